import { Environment, type ParseResult } from '@marcbachmann/cel-js'
import type { RE2JS } from 're2js'
import { compilePattern } from '../model/limits.ts'
import type { Model } from '../model/model.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'

/** A compiled condition over a record. */
export interface RuleCondition {
  /** False also if the evaluation fails. */
  holds(self: Readonly<Record<string, unknown>>): boolean
}

/** A compiled cross-field rule of a form. */
export interface Rule extends RuleCondition {
  readonly field: string
  readonly message: string
}

/**
 * Compiles CEL expressions over `self`, a record of one model (Common Expression Language, as in Kubernetes validation rules).
 * A rule whose evaluation fails, for example by comparing null with a number, counts as violated.
 */
export class RuleCompiler {
  readonly #model: Model
  readonly #environment: Environment
  /** Compiled literal patterns; a pattern computed at run time is compiled on each call. */
  readonly #patterns = new Map<string, RE2JS>()

  constructor(model: Model) {
    this.#model = model
    const schema = Object.fromEntries([...model.fields.keys()].map((name) => [name, 'dyn']))
    this.#environment = new Environment()
      .registerVariable({ name: 'self', schema })
      .registerFunction(`string.${LINEAR_MATCHES}(string): bool`, (text: string, pattern: string) =>
        this.#pattern(pattern).test(text),
      )
  }

  /** @throws {Error} describing the error in the expression */
  compile({ rule, field, message }: { rule: string; field: string; message: string }): Rule {
    return { field, message, ...this.condition(rule) }
  }

  /** @throws {Error} describing the error in the expression */
  condition(text: string): RuleCondition {
    const program = this.#parse(text)
    return {
      holds(self) {
        try {
          return program({ self }) === true
        } catch {
          return false
        }
      },
    }
  }

  #parse(rule: string): ParseResult {
    const written = this.#attempt(rule, () => this.#environment.parse(rule))
    const nodes = [...nodesOf(written.ast)]
    this.#checkNames(nodes)
    const program = this.#attempt(rule, () => this.#environment.parse(withLinearMatches(rule, nodes, this.#patterns)))
    const checked = program.check()
    if (!checked.valid) throw new Error(this.#summary(rule, checked.error))
    if (checked.type !== 'bool' && checked.type !== 'dyn')
      throw new Error(`it gives ${one(String(checked.type))}, where true or false is meant`)
    return program
  }

  #pattern(pattern: string): RE2JS {
    return this.#patterns.get(pattern) ?? compilePattern(pattern)
  }

  #attempt<T>(rule: string, work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw new Error(this.#summary(rule, error))
    }
  }

  #summary(rule: string, error: unknown): string {
    if (!(error instanceof Error)) return String(error)
    const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : (error.message.split('\n')[0] ?? '')
    const [, unknown] = /^No such key: (.*)$/.exec(summary) ?? []
    return unknown === undefined ? summary + ruleHint(rule, summary, this.#model) : this.#unknownField(unknown)
  }

  /** The type checker ignores names in `has(self.name)`, so they are checked here. */
  #checkNames(nodes: readonly Node[]): void {
    for (const { op, args } of nodes) {
      if (op !== '.' || !Array.isArray(args)) continue
      const [object, name] = args as unknown as readonly [Partial<Node>, string]
      if (object.op === 'id' && object.args === 'self' && !this.#model.fields.has(name)) throw new Error(this.#unknownField(name))
    }
  }

  #unknownField(name: string): string {
    return `Model '${this.#model.name}' has no field '${name}'${didYouMean(name, this.#model.fields.keys())}`
  }
}

/** A node of a parsed expression, as far as it is used here; `end` is the end of its text in the rule. */
interface Node {
  readonly op: string
  readonly args: unknown
  readonly end: number
}

function* nodesOf(part: unknown): Generator<Node> {
  if (Array.isArray(part)) {
    for (const each of part) yield* nodesOf(each)
  } else if (typeof part === 'object' && part !== null && 'op' in part && 'args' in part) {
    yield part as Node
    yield* nodesOf(part.args)
  }
}

/** Replaces CEL's own `matches`, whose engine can take exponential time, by one in linear time. */
const LINEAR_MATCHES = 'matchesInLinearTime'

/**
 * Renames every call of `matches` in a rule. Literal patterns are compiled into `patterns`.
 *
 * @throws {Error} if a pattern is invalid
 */
function withLinearMatches(rule: string, nodes: readonly Node[], patterns: Map<string, RE2JS>): string {
  let renamed = rule
  const calls = nodes.flatMap(({ op, args }) => {
    if (op !== 'rcall' || !Array.isArray(args) || args[0] !== 'matches') return []
    const [, receiver, [pattern]] = args as unknown as readonly [string, Node, readonly Partial<Node>[]]
    if (pattern?.op === 'value' && typeof pattern.args === 'string') patterns.set(pattern.args, compilePattern(pattern.args))
    return [receiver.end]
  })
  // From right to left, so that earlier positions stay valid.
  for (const end of calls.sort((a, b) => b - a)) {
    const [before = ''] = /^[\s)]*\.\s*/.exec(renamed.slice(end)) ?? []
    const start = end + before.length
    if (!renamed.startsWith('matches', start))
      throw new Error('a call of matches() could not be found in it; write it without comments')
    renamed = renamed.slice(0, start) + LINEAR_MATCHES + renamed.slice(start + 'matches'.length)
  }
  return renamed
}

/** A record as rules see it: every field of the model, integers as CEL integers, unset values as null. */
export function ruleSubject(model: Model, record: JsonObject): Record<string, unknown> {
  return Object.fromEntries([...model.fields.values()].map(({ name, type }) => [name, celValue(record[name] ?? null, type.name)]))
}

function celValue(value: Json, type: string): unknown {
  const whole = type === 'integer' || type === 'primarykey' || type === 'foreignkey' || type === 'one_to_one'
  if (whole && Number.isInteger(value)) return BigInt(value as number)
  if (type === 'decimal' && typeof value === 'string') return Number(value)
  return type === 'many_to_many' && Array.isArray(value) ? value.map((id) => BigInt(Number(id))) : value
}

/** Operators of other languages, and what CEL writes instead. Longer ones come first. */
const OPERATORS: readonly (readonly [RegExp, string, string])[] = [
  [/!==/, '!==', '!='],
  [/===/, '===', '=='],
  [/<>/, '<>', '!='],
  [/(?<![=!<>])=(?!=)/, '=', '=='],
  [/\bor\b/i, 'or', '||'],
  [/\band\b/i, 'and', '&&'],
  [/\bnot\b/i, 'not', '!'],
]

/** A hint for a rule that does not compile, to follow its error; empty if nothing is known. */
function ruleHint(rule: string, error: string, model: Model): string {
  const [, name = ''] = /^Unknown variable: (\w+)$/.exec(error) ?? []
  if (model.fields.has(name)) return `; write self.${name}`
  const code = rule.replace(/'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?/g, '""')
  const [, written, meant] = OPERATORS.find(([pattern]) => pattern.test(code)) ?? []
  return written === undefined ? '' : `; write ${meant} instead of ${written}`
}

/** A CEL type with its article: `an int`, `a string`. */
export const one = (type: string): string => `${type === 'int' ? 'an' : 'a'} ${type}`
