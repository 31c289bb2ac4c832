import type { Site, SiteField, SiteModel } from '../../client/client.ts'
import { withOffset } from '../../client/local-time.ts'
import { emptyTextFilters, filledTextFilter } from '../../client/query.ts'
import { fieldOf, modelOf } from '../data/site.ts'
import { addDays, addMonths, endOfMonth, isDay, localDay } from '../text/days.ts'

/**
 * A filter of a list, split into its parts. The API writes it `<path>[__<operator>]=<value>`. The operators `within` and `between` are of
 * the page: `apiFilters` writes them as those of the API.
 */
export interface ListFilter {
  /** Name of a field, or of relations and a field: `author__username`. */
  readonly path: string
  /** `eq` for the operator without a suffix. */
  readonly operator: string
  readonly value: string
}

/** Operators of the page alone. */
const RANGES = new Set(['within', 'between'])

const SUFFIXES = new Set(['ne', 'in', 'isnull', 'icontains', 'startswith', 'endswith', 'gt', 'gte', 'lt', 'lte', ...RANGES])

/** Splits a filter; undefined for a text that is no filter. */
export function parseFilter(text: string): ListFilter | undefined {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) return undefined
  const parts = name.split('__')
  const last = parts.at(-1) ?? ''
  const hasSuffix = parts.length > 1 && SUFFIXES.has(last)
  return { path: (hasSuffix ? parts.slice(0, -1) : parts).join('__'), operator: hasSuffix ? last : 'eq', value }
}

/** Writes a filter as the API takes it. */
export const filterText = ({ path, operator, value }: ListFilter): string =>
  `${operator === 'eq' ? path : `${path}__${operator}`}=${value}`

/** A field that a filter compares, and the model that it belongs to. */
interface FilteredField {
  readonly field: SiteField
  readonly model: SiteModel
  /** Label of the field, after those of the relations that lead to it. */
  readonly label: string
}

/** The field of a filter, also through relations; undefined if the user has no such field. */
export function filteredField(site: Site, model: SiteModel, path: string): FilteredField | undefined {
  const [name = '', ...rest] = path.split('__')
  if (rest.length === 0) {
    const field = fieldOf(model, name)
    return field && { field, model, label: field.label }
  }
  const through = model.fields.find((field) => field.relation?.name === name)
  const target = through?.relation && modelOf(site, through.relation.model)
  if (through === undefined || !target?.can.includes('view')) return undefined
  const found = filteredField(site, target, rest.join('__'))
  return found && { ...found, label: `${through.label}: ${found.label}` }
}

/** True if the API accepts the filter from the user, as far as the page can know. */
export function isUsable(site: Site, model: SiteModel, text: string): boolean {
  const filter = parseFilter(text)
  const field = filter && filteredField(site, model, filter.path)?.field
  if (filter === undefined || field === undefined) return false
  const { operator, value } = filter
  if (RANGES.has(operator)) return takesRange(field, operator, value)
  if (!field.operators.includes(operator)) return false
  return !COMPARES.has(operator) || (operator === 'in' ? itemsOf(value) : [value]).every((each) => isValue(field, each))
}

/** Operators whose values are of the type of the field. */
const COMPARES = new Set(['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'])

/** True for a field whose values are texts, which may have no characters. */
const isText = ({ operators }: SiteField): boolean => operators.includes('startswith')

/** Splits the value of `in`, which is a CSV line. */
export function itemsOf(value: string): readonly string[] {
  const cells = value.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '').filter((item) => item !== '')
}

/** Writes the value of `in`. */
export const itemsText = (items: readonly string[]): string =>
  items.map((item) => (/[",]/.test(item) ? `"${item.replaceAll('"', '""')}"` : item)).join(',')

/** Filters as the API takes them: a record must match all of them, and one of each group. */
export interface ApiFilters {
  readonly filters: readonly string[]
  readonly any: readonly (readonly string[])[]
}

/**
 * The filters of a list's address that the user may use, for the API. In the address `__isnull` means "is empty", which a text without
 * characters is, too; for the API such a text is not null. `__within` and `__between` become the first and the last value.
 *
 * @param now decides which day is today
 */
export function apiFilters(site: Site, model: SiteModel, texts: readonly string[], now: Date): ApiFilters {
  const filters: string[] = []
  const any: (readonly string[])[] = []
  for (const text of texts.filter((each) => isUsable(site, model, each))) {
    const { path, operator, value } = parseFilter(text) ?? { path: '', operator: '', value: '' }
    const field = filteredField(site, model, path)?.field
    const ends =
      operator === 'between' ? endsOf(value) : operator === 'within' && isPeriod(value) ? daysOf(value, now) : undefined
    if (field !== undefined && ends !== undefined) filters.push(...rangeFilters(field, path, ends))
    else if (field === undefined || operator !== 'isnull' || !isText(field)) filters.push(text)
    else if (value === 'true') any.push(emptyTextFilters(path))
    else if (value === 'false') filters.push(filledTextFilter(path))
    else filters.push(text)
  }
  return { filters, any }
}

/** Periods that move with the calendar, as a filter of an address names them: `created_at__within=last_7_days`. */
export const PERIODS = [
  'today',
  'yesterday',
  'tomorrow',
  'last_7_days',
  'next_7_days',
  'last_30_days',
  'this_month',
  'last_month',
  'this_year',
] as const

/** A period that moves with the calendar. */
export type Period = (typeof PERIODS)[number]

export const isPeriod = (text: string): text is Period => PERIODS.some((period) => period === text)

/** The first and the last day of a period, which belong to it. @param now decides which day is today, in the time zone of the browser */
export function daysOf(period: Period, now: Date): readonly [string, string] {
  const today = localDay(now)
  const month = `${today.slice(0, 7)}-01`
  const year = today.slice(0, 4)
  switch (period) {
    case 'today':
      return [today, today]
    case 'yesterday':
      return [addDays(today, -1), addDays(today, -1)]
    case 'tomorrow':
      return [addDays(today, 1), addDays(today, 1)]
    case 'last_7_days':
      return [addDays(today, -6), today]
    case 'next_7_days':
      return [today, addDays(today, 6)]
    case 'last_30_days':
      return [addDays(today, -29), today]
    case 'this_month':
      return [month, endOfMonth(month)]
    case 'last_month':
      return [addMonths(month, -1), addDays(month, -1)]
    case 'this_year':
      return [`${year}-01-01`, `${year}-12-31`]
  }
}

/** The two ends of the value of `between`, of which one may be empty; undefined for a value that has no such ends. */
export function endsOf(value: string): readonly [string, string] | undefined {
  const [, from, to] = /^([^,]*),([^,]*)$/.exec(value) ?? []
  return from === undefined || to === undefined || value === ',' ? undefined : [from, to]
}

/**
 * The filters of the API for all values from one to another, which are found, too. Ends of a point in time are days in the time zone of
 * the browser.
 *
 * @param ends of which one may be empty
 */
function rangeFilters({ type }: SiteField, path: string, [from, to]: readonly [string, string]): readonly string[] {
  const isTime = type === 'datetime'
  const least = from === '' ? [] : [`${path}__gte=${isTime ? withOffset(from) : from}`]
  if (to === '') return least
  return [...least, isTime ? `${path}__lt=${withOffset(addDays(to, 1))}` : `${path}__lte=${to}`]
}

/** True if the API can compare the values of a field with the ends of a range. */
function takesRange(field: SiteField, operator: string, value: string): boolean {
  const { type, operators } = field
  const isDays = type === 'date' || type === 'datetime'
  if (!operators.includes('gte') || !operators.includes('lt')) return false
  if (operator === 'within') return isDays && isPeriod(value)
  const ends = endsOf(value)
  return ends?.every((end) => end === '' || (isDays ? isDay(end) : isValue(field, end))) === true
}

/** True for a text that can be a value of a field, as the API writes it. */
export function isValue({ type, relation }: SiteField, text: string): boolean {
  if (relation !== null) return /^-?\d+$/.test(text)
  switch (type) {
    case 'primarykey':
    case 'integer':
    case 'number':
    case 'decimal':
      return text.trim() !== '' && Number.isFinite(Number(text))
    case 'date':
    case 'datetime':
      return isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
    case 'boolean':
      return text === 'true' || text === 'false'
    case 'time':
      return /^\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
    default:
      return true
  }
}
