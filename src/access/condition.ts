import { Environment, type ParseResult, serialize } from '@marcbachmann/cel-js'
import type { Field } from '../model/field.ts'
import type { Operator } from '../model/field-type.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { orderingOf } from '../query/filters.ts'
import type { FieldFilter, Filter } from '../query/plan.ts'
import type { Json } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'

/** A condition over `self`, a record, and `user`, compiled to filters that a store executes. */
export class Condition {
  readonly #part: Part

  private constructor(part: Part) {
    this.#part = part
  }

  /**
   * Compiles a CEL expression of comparisons between a field and a value that does not depend on the record, `in`, `&&`, `||`, `!`,
   * `startsWith` and `endsWith`. Fields may belong to a related record: `self.author.team`.
   *
   * @throws {Error} describing the error in the expression, or the part that no filter can express
   */
  static compile(text: string, model: Model, registry: Registry): Condition {
    return new Condition(new Compiler(model, registry).compile(text))
  }

  /** The records that a user may access under the condition. */
  for(user: Subject): Bound {
    return this.#part(user).yes
  }
}

const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' }
const ORDER: Readonly<Record<string, readonly [yes: Operator, no: Operator]>> = {
  '<': ['lt', 'gte'],
  '<=': ['lte', 'gt'],
  '>': ['gt', 'lte'],
  '>=': ['gte', 'lt'],
}
const TEXT_CALLS: Readonly<Record<string, Operator>> = { startsWith: 'startswith', endsWith: 'endswith' }

/** A field of the record, or of a related record. */
interface Subfield {
  readonly field: Field
  /** Turns a filter of the record that has the field into one of `self`. */
  readonly within: (filter: Bound) => Bound
}

class Compiler {
  readonly #model: Model
  readonly #registry: Registry
  readonly #environment: Environment

  constructor(model: Model, registry: Registry) {
    this.#model = model
    this.#registry = registry
    this.#environment = new Environment().registerVariable('self', 'dyn').registerVariable('user', 'dyn')
  }

  compile(text: string): Part {
    const { ast } = this.#parse(text)
    for (const node of nodesOf(ast)) this.#checkUserField(node)
    return this.#part(ast)
  }

  #parse(text: string): ParseResult {
    try {
      const program = this.#environment.parse(text)
      const { valid, error } = program.check()
      if (valid) return program
      throw error
    } catch (error) {
      throw new Error(summaryOf(error))
    }
  }

  #part(node: Node): Part {
    if (!dependsOnRecord(node)) return this.#constant(node)
    switch (node.op) {
      case '&&':
        return joined(this.#part(node.args[0]), this.#part(node.args[1]), both, either)
      case '||':
        return joined(this.#part(node.args[0]), this.#part(node.args[1]), either, both)
      case '!_': {
        const part = this.#part(node.args)
        return (user) => {
          const { yes, no } = part(user)
          return { yes: no, no: yes }
        }
      }
      case '.':
        return this.#flag(node)
      case 'in':
        return dependsOnRecord(node.args[1]) ? this.#holds(node) : this.#isAmong(node)
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#comparison(node, node.op, node.args)
      case 'rcall':
        return this.#textCall(node)
      default:
        throw unsupported(node)
    }
  }

  /** A condition on the user alone. */
  #constant(node: Node): Part {
    const evaluate = this.#evaluation(node)
    return (user) => {
      const value = evaluate(user)
      return value === true ? { yes: true, no: false } : value === false ? { yes: false, no: true } : FAILED
    }
  }

  /** `self.published` */
  #flag(node: Node): Part {
    const { field, within } = this.#subfield(node)
    if (field.type.name !== 'boolean') {
      throw new Error(`${textOf(node)} is no condition: '${field.name}' is of type ${field.type.name}; compare it with a value`)
    }
    const outcome = (value: boolean): Bound => within({ field: field.name, operator: 'eq', value })
    const fixed = { yes: outcome(true), no: outcome(false) }
    return () => fixed
  }

  #comparison(node: Node, op: string, [left, right]: readonly [Node, Node]): Part {
    if (dependsOnRecord(left) && dependsOnRecord(right)) throw comparesFields(node)
    if (dependsOnRecord(right)) return this.#comparison(node, MIRRORED[op] ?? op, [right, left])
    const { field, within } = this.#subfield(left)
    const order = ORDER[op]
    if (field.type.list) throw new Error(`'${field.name}' is a list; write \`value in ${textOf(left)}\``)
    if (field.type.structured || (order !== undefined && !field.type.sortable)) throw unsupported(node)
    const read = this.#valueFor(field, right, node)
    return (user) => {
      const value = read(user)
      if (value === undefined || (order !== undefined && !isOfKind(field, value))) return FAILED
      if (order !== undefined) {
        const [yes, no] = order.map((operator) => within(fieldFilter(field, operator, storedOr(field, value)))) as [Bound, Bound]
        return { yes, no }
      }
      const [equal, unequal] =
        value === null || isOfKind(field, value)
          ? [fieldFilter(field, 'eq', storedOr(field, value)), fieldFilter(field, 'ne', storedOr(field, value))]
          : [NONE, ALL]
      const [same, other] = [within(equal), within(unequal)]
      return op === '==' ? { yes: same, no: other } : { yes: other, no: same }
    }
  }

  /** `self.status in ['draft', 'published']` */
  #isAmong(node: Extract<Node, { op: 'in' }>): Part {
    const [left, right] = node.args
    const { field, within } = this.#subfield(left)
    if (field.type.list || field.type.structured) throw unsupported(node)
    const evaluate = this.#evaluation(right)
    if (right.op === 'list') for (const item of right.args) if (item.op === 'value') this.#valueFor(field, item, node)
    return (user) => {
      const list = jsonOf(evaluate(user))
      if (!Array.isArray(list)) return FAILED
      const possible = list.filter((item) => item === null || isOfKind(field, item))
      const filter: Filter = { field: field.name, operator: 'in', values: possible.map((item) => storedOr(field, item)) }
      return { yes: within(filter), no: within({ not: filter }) }
    }
  }

  /** `user.id in self.editors` */
  #holds(node: Extract<Node, { op: 'in' }>): Part {
    const [left, right] = node.args
    if (dependsOnRecord(left)) throw comparesFields(node)
    const { field, within } = this.#subfield(right)
    if (!field.type.list) throw new Error(`'${field.name}' is no list; compare it with ==`)
    const evaluate = this.#evaluation(left)
    return (user) => {
      const value = jsonOf(evaluate(user))
      if (value === undefined || typeof value === 'object') return FAILED
      const filter: Filter = { field: field.name, operator: 'eq', value }
      return { yes: within(filter), no: within({ not: filter }) }
    }
  }

  /** `self.slug.startsWith('news-')` */
  #textCall(node: Extract<Node, { op: 'rcall' }>): Part {
    const [name, receiver, [argument, ...others]] = node.args
    const operator = TEXT_CALLS[name]
    if (operator === undefined || argument === undefined || others.length > 0 || dependsOnRecord(argument))
      throw unsupported(node)
    const { field, within } = this.#subfield(receiver)
    if (!field.type.operators.includes(operator)) throw unsupported(node)
    const evaluate = this.#evaluation(argument)
    return (user) => {
      const value = evaluate(user)
      if (typeof value !== 'string') return FAILED
      const filter = fieldFilter(field, operator, value)
      return {
        yes: within(filter),
        no: within({ all: [{ not: filter }, { field: field.name, operator: 'isnull', value: false }] }),
      }
    }
  }

  /** Resolves `self.field` or `self.relation.field`. */
  #subfield(node: Node): Subfield {
    const path = pathOf(node)
    const [first = '', second, ...rest] = path ?? []
    if (path === undefined) throw unsupported(node)
    if (second === undefined) return { field: fieldOf(this.#model, first), within: (filter) => filter }
    const relation = this.#model.relations.get(first)
    if (relation === undefined) {
      throw new Error(`Model '${this.#model.name}' has no relation '${first}'${didYouMean(first, this.#model.relations.keys())}`)
    }
    if (rest.length > 0) throw new Error(`${textOf(node)} goes further than one relation`)
    if (relation.relation.kind === 'many') {
      throw new Error(`${textOf(node)} refers to many records; a condition goes through relations to one record`)
    }
    const target = this.#registry.expect(relation.relation.target)
    const field = fieldOf(target, second)
    return {
      field,
      within: (filter) => (typeof filter === 'boolean' ? filter : { field: relation.name, target: target.key, filter }),
    }
  }

  /** Returns the value that a field is compared with; undefined if its evaluation fails. */
  #valueFor(field: Field, node: Node, comparison: Node): (user: Subject) => Json | undefined {
    const evaluate = this.#evaluation(node)
    if (node.op === 'value') {
      const literal = jsonOf(evaluate(null)) ?? null
      const reading = literal === null ? undefined : field.type.read(literal)
      if (reading?.ok === false) throw new Error(`${textOf(comparison)} is never true: '${field.name}' ${reading.problem}`)
      if (reading !== undefined && !isOfKind(field, literal)) {
        throw new Error(`${textOf(comparison)} is never true: '${field.name}' is a ${kindOf(field)}; write it without quotes`)
      }
      const { choices } = field.limits
      if (choices !== undefined && typeof literal === 'string' && !choices.includes(literal)) {
        throw new Error(`${textOf(comparison)}: '${field.name}' is never '${literal}'${didYouMean(literal, choices.map(String))}`)
      }
    }
    return (user) => jsonOf(evaluate(user))
  }

  /** Returns the evaluation of an expression without `self`; its result is undefined if it fails. */
  #evaluation(node: Node): (user: Subject) => unknown {
    const program = this.#parse(textOf(node))
    return (user) => {
      try {
        return program({ user })
      } catch {
        return undefined
      }
    }
  }

  #checkUserField(node: Node): void {
    if (node.op !== '.' || node.args[0].op !== 'id' || node.args[0].args !== 'user') return
    const [, name] = node.args
    fieldOf(this.#registry.expect('user'), name)
  }
}

function fieldOf(model: Model, name: string): Field {
  const field = model.fields.get(name)
  if (field !== undefined && !field.type.secret) return field
  const known = model.visibleFields.map((each) => each.name)
  throw new Error(`Model '${model.name}' has no field '${name}'${didYouMean(name, known)}`)
}

const ALL: Filter = { all: [] }
const NONE: Filter = { any: [] }

/** A part of the syntax tree of a condition. */
type Node = ParseResult['ast']

/** The members that a chain begins with `self`: `['author', 'team']`; undefined for any other expression. */
function pathOf(node: Node): string[] | undefined {
  if (node.op !== '.') return undefined
  const [object, name] = node.args
  if (object.op === 'id') return object.args === 'self' ? [name] : undefined
  const path = pathOf(object)
  return path === undefined ? undefined : [...path, name]
}

/** All parts of a part of an expression. */
function* nodesOf(part: unknown): Generator<Node> {
  if (Array.isArray(part)) for (const each of part) yield* nodesOf(each)
  else if (typeof part === 'object' && part !== null && 'op' in part && 'args' in part) {
    yield part as Node
    yield* nodesOf(part.args)
  }
}

/** True if `self` occurs in a part. */
const dependsOnRecord = (node: Node): boolean => [...nodesOf(node)].some(({ op, args }) => op === 'id' && args === 'self')

/** The text of a part. Positions of nodes leave out parentheses, so it is written from the tree. */
const textOf = (node: Node): string => serialize(node)

/** The error for a comparison of two fields. */
const comparesFields = (node: Node): Error =>
  new Error(`${textOf(node)} compares two fields of the record, which no filter can; compare a field with a value`)

/** The error for a part that no filter can express. */
const unsupported = (node: Node): Error =>
  new Error(`${textOf(node)} cannot be a filter; use comparisons of a field with a value, in, startsWith, endsWith, &&, || and !`)

/** The message of an error of the CEL library, in one line. */
function summaryOf(error: unknown): string {
  const { summary, message } = error as { summary?: unknown; message?: string }
  const text = typeof summary === 'string' ? summary : (message?.split('\n')[0] ?? String(error))
  const [, unknown] = /^Unknown variable: (\w+)$/.exec(text) ?? []
  return unknown === undefined
    ? text
    : `Unknown name '${unknown}'; a condition is about self and user, and a group is written { group: ${unknown} }`
}

/** The JavaScript type of a field's values in conditions, where a decimal is a number. */
function kindOf({ type, relation }: Field): 'number' | 'boolean' | 'string' {
  if (relation !== undefined || NUMBERS.has(type.name)) return 'number'
  return type.name === 'boolean' ? 'boolean' : 'string'
}

const NUMBERS: ReadonlySet<string> = new Set(['primarykey', 'integer', 'number', 'decimal'])

/** As in CEL, values of different types are unequal, and comparing their order fails. */
const isOfKind = (field: Field, value: Json): boolean => typeof value === kindOf(field)

/** The stored form of a value, or the value itself if the field cannot have it. */
function storedOr(field: Field, value: Json): Json {
  const reading = value === null ? undefined : field.type.read(value)
  return reading?.ok === true ? reading.value : value
}

/** A filter that compares a field with a stored value. */
const fieldFilter = (field: Field, operator: Operator, value: Json): Filter =>
  ({ field: field.name, operator, value, ...orderingOf(field) }) as FieldFilter

/** A CEL value as JSON; undefined for one that fields do not have. */
function jsonOf(value: unknown): Json | undefined {
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (!Array.isArray(value)) return undefined
  const items = value.map(jsonOf)
  return items.some((item) => item === undefined) ? undefined : (items as Json[])
}

/** The user as a condition sees it: the fields of the record, and the names of the groups. Null without a user. */
export type Subject = Readonly<Record<string, unknown>> | null

/** A condition on records for one user: all of them, none, or those that a filter matches. */
export type Bound = Filter | boolean

/**
 * The records for which a condition is true, and the records for which it is false. It is neither if its evaluation fails, such
 * as those with null on a side of `<`. As in CEL, `false && failure` is false and `true || failure` true.
 */
interface Outcome {
  readonly yes: Bound
  readonly no: Bound
}

/** A part of a condition, compiled. */
type Part = (user: Subject) => Outcome

/** The outcome of a part whose evaluation fails. */
const FAILED: Outcome = { yes: false, no: false }

/** A part that combines the outcomes of two. */
function joined(left: Part, right: Part, yes: (a: Bound, b: Bound) => Bound, no: (a: Bound, b: Bound) => Bound): Part {
  return (user) => {
    const [a, b] = [left(user), right(user)]
    return { yes: yes(a.yes, b.yes), no: no(a.no, b.no) }
  }
}

/** The records of both. */
function both(a: Bound, b: Bound): Bound {
  if (typeof a === 'boolean') return a ? b : false
  if (typeof b === 'boolean') return b ? a : false
  return { all: [a, b] }
}

/** The records of either. */
function either(a: Bound, b: Bound): Bound {
  if (typeof a === 'boolean') return a ? true : b
  if (typeof b === 'boolean') return b ? true : a
  return { any: [a, b] }
}
