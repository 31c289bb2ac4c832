import { Environment, type ParseResult } from '@marcbachmann/cel-js'
import type { Model } from '../model/model.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { one, RuleCompiler } from './rules.ts'

/** CEL types by field type; other types are dynamic. */
const CEL_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  text: 'string',
  email: 'string',
  url: 'string',
  slug: 'string',
  password: 'string',
  choice: 'string',
  date: 'string',
  time: 'string',
  datetime: 'string',
  integer: 'int',
  primarykey: 'int',
  foreignkey: 'int',
  one_to_one: 'int',
  number: 'double',
  decimal: 'double',
  boolean: 'bool',
  multichoice: 'list<string>',
  many_to_many: 'list<int>',
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in'])

type Node = ParseResult['ast']

/** Compilers of the server, and environments that know the types of the fields. */
const tools = new WeakMap<Model, { readonly compiler: RuleCompiler; readonly environment: Environment }>()

/**
 * Reports comparisons of a rule that never match: of different types, or of a choice with a value that is not one of its
 * choices; and rules that are not conditions, or always false. Rules that do not compile are reported by `RuleCompiler`.
 */
export function ruleProblems(rule: string, model: Model): string[] {
  const { compiler, environment } = tools.get(model) ?? {
    compiler: new RuleCompiler(model),
    environment: typedEnvironment(model),
  }
  tools.set(model, { compiler, environment })
  try {
    compiler.condition(rule)
    const { ast } = environment.parse(rule)
    const nodes = [...nodesOf(ast)]
    const problems = nodes.flatMap((node) => (COMPARISONS.has(node.op) ? comparisonProblems(node, model, environment) : []))
    return problems.length > 0 ? problems : resultProblems(rule, nodes, environment)
  } catch {
    return []
  }
}

function typedEnvironment(model: Model): Environment {
  const types = [...model.fields.values()].map(({ name, type }) => [name, CEL_TYPES[type.name] ?? 'dyn'])
  return new Environment().registerVariable({ name: 'self', schema: Object.fromEntries(types) })
}

function* nodesOf(part: unknown): Generator<Node> {
  if (Array.isArray(part)) for (const each of part) yield* nodesOf(each)
  else if (typeof part === 'object' && part !== null && 'op' in part && 'args' in part) {
    yield part as Node
    yield* nodesOf(part.args)
  }
}

/** A rule must be a condition that some record can meet. */
function resultProblems(rule: string, nodes: readonly Node[], environment: Environment): string[] {
  const { valid, type = 'dyn' } = environment.check(rule)
  if (valid && type !== 'bool' && !type.includes('dyn'))
    return [`The rule is ${one(type)}, and must be true or false; compare it with a value`]
  const isConstant = !nodes.some(({ op }) => op === 'id')
  return isConstant && environment.evaluate(rule) === false ? ['The condition is always false, so it holds for no record'] : []
}

function comparisonProblems(node: Node, model: Model, environment: Environment): string[] {
  const [left, right] = node.args as readonly [Node, Node]
  const typeOf = (side: Node): string => {
    const { valid, type = 'dyn' } = environment.check(textOf(side))
    return valid ? type : 'dyn'
  }
  const [a, b] = [typeOf(left), typeOf(right)]
  const text = textOf(node)
  if (node.op === 'in') {
    const [, item] = /^list<(.*)>$/.exec(b) ?? []
    if (item !== undefined && differ(a, item)) return [`${text} is never true: ${one(a)} is never in ${one(b)}`]
  } else if (node.op === '==' || node.op === '!=') {
    const verdict = node.op === '==' ? 'never' : 'always'
    if (a !== 'null' && b !== 'null' && differ(a, b)) return [`${text} is ${verdict} true: ${one(a)} never equals ${one(b)}`]
  } else if (differ(a, b)) {
    return [`${text} never holds: ${one(a)} cannot be compared with ${one(b)}`]
  }
  return [...choiceProblems(left, right, model, text), ...choiceProblems(right, left, model, text)]
}

const textOf = ({ input, start, end }: Node): string => input.slice(start, end)

const NUMBERS: ReadonlySet<string> = new Set(['int', 'double', 'uint'])

/** CEL compares numbers of all kinds with each other; dynamic values may match anything. */
function differ(a: string, b: string): boolean {
  if (a === b || [a, b].some((type) => type === 'dyn' || type.includes('dyn'))) return false
  return !(NUMBERS.has(a) && NUMBERS.has(b))
}

function choiceProblems(side: Node, other: Node, model: Model, text: string): string[] {
  const field =
    side.op === '.' && side.args[0].op === 'id' && side.args[0].args === 'self' ? model.fields.get(side.args[1]) : undefined
  const choices = field?.limits.choices?.map(String)
  if (field === undefined || choices === undefined) return []
  const values = other.op === 'list' ? other.args : [other]
  return values.flatMap((value) => {
    const literal = value.op === 'value' ? value.args : undefined
    if (typeof literal !== 'string' || literal === '' || choices.includes(literal)) return []
    return [`${text}: '${field.name}' is never '${literal}'${meantOrKnown(literal, choices)}`]
  })
}
