import type { Field } from '../model/field.ts'
import type { Operator, Ordering, Reading } from '../model/field-type.ts'
import { checkLimits } from '../model/limits.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Json } from '../util/json.ts'
import { didYouMean, meantOrKnown } from '../util/suggest.ts'
import type { Parameters } from './parameters.ts'
import type { AnyFilter, FieldFilter, Filter } from './plan.ts'

const SUFFIXES: readonly Operator[] = ['icontains', 'startswith', 'endswith', 'gt', 'gte', 'lt', 'lte', 'in', 'ne', 'isnull']

/** Maximum number of filters, since each costs time. Those within groups count, too. */
export const MAX_FILTERS = 30
/** Maximum number of relations that a filter goes through. */
const MAX_RELATIONS = 2

/** The query parameters that `parseFilters` reads. */
export const FILTER_PARAMETERS = ['filters', 'any'] as const

/**
 * Parses `filters=<field>[__<relation field>…][__<operator>]=<value>` and `any=<filter>|<filter>…`. Both may be repeated; all
 * filters and one filter of each group must match.
 */
export function parseFilters(parameters: Parameters, model: Model, registry: Registry): Filter[] {
  const groups = parameters.all('any').map(splitGroup)
  const texts = { filters: parameters.all('filters'), any: groups.flat() }
  for (const name of FILTER_PARAMETERS) {
    const count = texts[name].length + (name === 'any' ? texts.filters.length : 0)
    if (count <= MAX_FILTERS) continue
    const given = name === 'any' ? `'filters' and 'any' hold ${count} filters` : `'filters' is given ${count} times`
    parameters.fault(name, `${given}; at most ${MAX_FILTERS} are taken`)
    return []
  }
  const parse = (name: string, text: string): Filter[] => {
    const result = parseFilter(text, model, registry)
    if (typeof result !== 'string') return [result]
    parameters.fault(name, result)
    return []
  }
  const all = texts.filters.flatMap((text) => parse('filters', text))
  const any = groups.map((group): AnyFilter => ({ any: group.flatMap((text) => parse('any', text)) }))
  return [...all, ...any]
}

/** Splits the filters of a group at bars. `\|` is a bar and `\\` a backslash; before other characters a backslash stands for itself. */
const splitGroup = (text: string): string[] =>
  Array.from(`${text}|`.matchAll(/((?:[^\\|]|\\[\\|]?)*)\|/g), ([, filter = '']) => filter.replace(/\\([\\|])/g, '$1'))

/** @returns the filter, or an error message */
function parseFilter(text: string, model: Model, registry: Registry): Filter | string {
  const equals = text.indexOf('=')
  if (equals < 1) return `Filter '${text}' must be written <field>=<value> or <field>__<operator>=<value>`
  const path = text.slice(0, equals)
  if (path.startsWith('__')) return unknownField(model, path)
  return parsePath({ model, registry, path: path.split('__'), relations: MAX_RELATIONS }, text.slice(equals + 1))
}

interface FilterPath {
  readonly model: Model
  readonly registry: Registry
  /** Names of relations and a field, and the operator, if one is given. */
  readonly path: readonly string[]
  /** Number of relations that the path may go through. */
  readonly relations: number
}

function parsePath({ model, registry, path, relations }: FilterPath, value: string): Filter | string {
  // `tags__slug=news`, `tags__in=1,2` and `author__username=ann` all begin with the name of a relation or a field.
  const [first = '', second, ...rest] = path
  const relation = model.relations.get(first)
  const throughRelation = relation !== undefined && second !== undefined && (!isOperator(second) || rest.length > 0)
  if (!throughRelation || relations === 0) {
    const misspelt = visible(model, first) === undefined && relation === undefined && second !== undefined && !isOperator(second)
    if (misspelt) return `Unknown field '${first}'${didYouMean(first, model.relations.keys())}`
    return parseFieldFilter(model, first, path.slice(1), value)
  }
  const target = registry.expect(relation.relation.target)
  const filter = parsePath({ model: target, registry, path: path.slice(1), relations: relations - 1 }, value)
  return typeof filter === 'string' ? filter : { field: relation.name, target: target.key, filter }
}

function parseFieldFilter(model: Model, name: string, suffixes: readonly string[], text: string): FieldFilter | string {
  const [suffix, extra] = suffixes
  const isTooLong = extra !== undefined || (suffix !== undefined && !isOperator(suffix) && model.relations.has(name))
  if (isTooLong && (visible(model, name) !== undefined || model.relations.has(name))) {
    return `'${[name, ...suffixes].join('__')}' goes further than two relations and one operator`
  }
  const field = visible(model, name)
  if (field === undefined) return unknownField(model, name)
  if (suffix !== undefined && !isOperator(suffix)) {
    return `Unknown operator '__${suffix}' for '${name}'${meantOrKnown(suffix, SUFFIXES)}`
  }
  return readFilter(field, suffix ?? 'eq', text)
}

function readFilter(field: Field, operator: Operator, text: string): FieldFilter | string {
  const { name, type } = field
  if (!type.operators.includes(operator)) {
    const known = type.operators.map((each) => (each === 'eq' ? '=' : `__${each}`)).join(' ')
    return `A ${type.name} field such as '${name}' cannot be filtered with ${operator === 'eq' ? '=' : `__${operator}`} (known: ${known})`
  }
  if (operator === 'isnull') {
    if (text !== 'true' && text !== 'false') return `'${name}__isnull' must be true or false, not '${text}'`
    return { field: name, operator, value: text === 'true' }
  }
  if (operator === 'in') {
    const items = splitValues(text)
    if (items === undefined) return `'${name}__in' has a quote that is not closed: ${text}`
    const values: Json[] = []
    for (const item of items) {
      const reading = readValue(field, item, operator)
      if (!reading.ok) return `'${name}' ${reading.problem}, not '${item}'`
      values.push(reading.value)
    }
    return { field: name, operator, values }
  }
  const reading = readValue(field, text, operator)
  if (!reading.ok) return `'${name}' ${reading.problem}, not '${text}'`
  return { field: name, operator, value: reading.value, ...orderingOf(field) }
}

/** The ordering of a field, as a member of filters and sort keys. */
export const orderingOf = ({ type: { ordering } }: Field): { ordering?: Ordering } => (ordering === undefined ? {} : { ordering })

/** Parses the value of a filter. For comparisons with whole values, a value that the field cannot have is an error. */
function readValue({ type, limits: { choices } }: Field, text: string, operator: Operator): Reading {
  const reading = type.parse(text)
  const whole = operator === 'eq' || operator === 'ne' || operator === 'in'
  if (!reading.ok || !whole || choices === undefined) return reading
  const [problem] = checkLimits(reading.value, { choices })
  return problem === undefined ? reading : { ok: false, problem }
}

const isOperator = (name: string): name is Operator => SUFFIXES.some((suffix) => suffix === name)

/** A field that requests may name. Secret fields count as unknown. */
export function visible(model: Model, name: string): Field | undefined {
  const field = model.fields.get(name)
  return field === undefined || field.type.secret ? undefined : field
}

/** `Unknown field 'usernme'; did you mean 'username'?` */
export function unknownField(model: Model, name: string): string {
  const foreignKey = model.relations.get(name)
  if (foreignKey?.relation.kind === 'one') return `Unknown field '${name}'; did you mean '${foreignKey.name}'?`
  return `Unknown field '${name}'${didYouMean(
    name,
    model.visibleFields.map((field) => field.name),
  )}`
}

/**
 * Splits a line of comma-separated values (RFC 4180): values with commas are enclosed in double quotes, quotes are doubled.
 *
 * @returns undefined for an unclosed quote
 */
export function splitValues(line: string): string[] | undefined {
  const values: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y
  while (cell.lastIndex <= line.length) {
    const match = cell.exec(line)
    if (match === null) return undefined
    values.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === '') return values
  }
  return values
}
