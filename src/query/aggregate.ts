import type { Field } from '../model/field.ts'
import type { Ordering } from '../model/field-type.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Json } from '../util/json.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { FILTER_PARAMETERS, orderingOf, parseFilters, unknownField, visible } from './filters.ts'
import { Parameters } from './parameters.ts'
import { DATE_PERIODS, type DatePeriod, hasPeriods, isDatePeriod } from './periods.ts'
import type { Filter } from './plan.ts'

/** Maximum number of groups of an answer. */
export const MAX_GROUPS = 1000
/** Maximum number of fields that records are grouped by. */
const MAX_KEYS = 4

/** The functions of an aggregate. */
export const MEASURES = ['sum', 'avg', 'min', 'max'] as const

export type Measure = (typeof MEASURES)[number]

/** What makes a group: the values of a field, or a period of its dates. */
export type GroupKey = string | { readonly field: string; readonly period: DatePeriod }

export const fieldOfKey = (key: GroupKey): string => (typeof key === 'string' ? key : key.field)

/** Groups of records, and what to compute of each. */
export interface AggregatePlan {
  /** Combined by AND. */
  readonly filters: readonly Filter[]
  /** A record with a list belongs to the group of each item. */
  readonly groupBy: readonly GroupKey[]
  /** Fields to add up, each a number, or a decimal as text. */
  readonly sums: readonly string[]
  /** Fields whose least and greatest values are found. */
  readonly ranges: readonly { readonly field: string; readonly ordering?: Ordering }[]
  /** Maximum number of groups. */
  readonly limit: number
}

/** The totals of a group of records. Nulls count in no sum, range or `present`. */
export interface AggregateGroup {
  /** The values of the fields that records are grouped by, and the names of their periods. */
  readonly key: readonly Json[]
  readonly count: number
  /** By the position of the field in `sums`: the exact sum as a numeral, rounded once for doubles, and the number of values. */
  readonly sums: readonly { readonly sum: string; readonly present: number }[]
  /** By the position of the field in `ranges`; null without a value. */
  readonly ranges: readonly { readonly min: Json; readonly max: Json }[]
}

/** A parsed aggregate request. */
export interface AggregateRequest {
  readonly plan: AggregatePlan
  /** What records are grouped by, as it was requested: `status`, `created_at:week`. */
  readonly groupBy: readonly string[]
  readonly countsRecords: boolean
  /** The fields of each function, in the requested order. */
  readonly measures: Readonly<Record<Measure, readonly Field[]>>
}

const AGGREGATE_PARAMETERS = ['group_by', 'count', ...MEASURES, ...FILTER_PARAMETERS]

/** True if a field's values can be added up. */
export const isAddable = ({ type }: Field): boolean => ['integer', 'number', 'decimal'].includes(type.name)

/** True if records can be grouped by a field's values. */
export const isGroupable = ({ type }: Field): boolean => type.operators.includes('eq')

/**
 * Parses the query parameters of an aggregate.
 *
 * @throws {AppError} INVALID_REQUEST with the errors by parameter
 */
export function parseAggregateRequest(sent: URLSearchParams, model: Model, registry: Registry): AggregateRequest {
  const parameters = new Parameters(sent, AGGREGATE_PARAMETERS)
  const groupBy = parseGroupBy(parameters, model)
  if (groupBy.length > MAX_KEYS)
    parameters.fault('group_by', `'group_by' names ${groupBy.length} fields; at most ${MAX_KEYS} are taken`)
  const sortable = ({ type }: Field) => type.sortable
  const measures = {
    sum: parseFields(parameters, 'sum', model, isAddable, 'be added up'),
    avg: parseFields(parameters, 'avg', model, isAddable, 'be averaged'),
    min: parseFields(parameters, 'min', model, sortable, 'be ordered'),
    max: parseFields(parameters, 'max', model, sortable, 'be ordered'),
  }
  const isPlain = MEASURES.every((measure) => measures[measure].length === 0)
  const countsRecords = parameters.switch('count', isPlain)
  const filters = parseFilters(parameters, model, registry)
  parameters.throwIfFaulty()
  const plan = {
    filters,
    groupBy: groupBy.map(({ key }) => key),
    sums: [...new Set(namesOf([...measures.sum, ...measures.avg]))],
    ranges: [...new Set([...measures.min, ...measures.max])].map((field) => ({ field: field.name, ...orderingOf(field) })),
    limit: MAX_GROUPS,
  }
  return { plan, groupBy: groupBy.map(({ name }) => name), countsRecords, measures }
}

/** Reads `group_by=status,created_at:week`. */
function parseGroupBy(parameters: Parameters, model: Model): { readonly name: string; readonly key: GroupKey }[] {
  return [...new Set(parameters.names('group_by'))].flatMap((name): { name: string; key: GroupKey }[] => {
    const [fieldName = '', period, ...others] = name.split(':')
    const field = visible(model, fieldName)
    if (field !== undefined && period === undefined && isGroupable(field)) return [{ name, key: fieldName }]
    if (field !== undefined && period !== undefined && others.length === 0 && hasPeriods(field) && isDatePeriod(period))
      return [{ name, key: { field: fieldName, period } }]
    parameters.fault('group_by', () => {
      if (field === undefined) return unknownField(model, fieldName)
      if (period === undefined) return `A ${field.type.name} field such as '${fieldName}' cannot be grouped by`
      if (hasPeriods(field)) {
        const unknown = [period, ...others].join(':')
        return `Unknown period '${unknown}' of '${fieldName}'${meantOrKnown(unknown, DATE_PERIODS)}`
      }
      const dates = model.visibleFields.filter(hasPeriods).map((date) => date.name)
      const remedy = isGroupable(field) ? `; group by '${fieldName}' alone, or by a period of a date` : '; group by a date'
      return `A ${field.type.name} field such as '${fieldName}' has no periods${remedy} (known: ${dates.join(', ') || 'none'})`
    })
    return []
  })
}

function parseFields(
  parameters: Parameters,
  parameter: string,
  model: Model,
  isFit: (field: Field) => boolean,
  action: string,
): Field[] {
  return [...new Set(parameters.names(parameter))].flatMap((name) => {
    const field = visible(model, name)
    if (field !== undefined && isFit(field)) return [field]
    parameters.fault(parameter, () =>
      field === undefined ? unknownField(model, name) : `A ${field.type.name} field such as '${name}' cannot ${action}`,
    )
    return []
  })
}

const namesOf = (fields: readonly Field[]): string[] => fields.map(({ name }) => name)
