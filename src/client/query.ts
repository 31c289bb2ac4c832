/** Filters as an object: `{status: 'draft', rating__gte: 4, author__username__in: ['ann', 'bob'], published_at: null}`. */
export type FilterObject = Readonly<Record<string, unknown>>

/** The filters of a front end's list, converted for the API. */
export interface ConvertedFilters {
  /** The text to search for; undefined for a list without a search. */
  readonly q: string | undefined
  /** Filters as the API takes them: `status=draft`. */
  readonly filters: readonly string[]
  /** Groups of filters, at least one of which must match. */
  readonly any: readonly (readonly string[])[]
}

/** Names and values of query parameters; undefined values are omitted. */
export type QueryEntries = readonly (readonly [string, string | number | boolean | undefined])[]

/** Formats a query string, `?page=1&filters=…`; empty without parameters. */
export function queryText(entries: QueryEntries): string {
  const params = new URLSearchParams()
  for (const [name, value] of entries) if (value !== undefined) params.append(name, String(value))
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Adds query parameters to a path, which may already have some. */
export function withQuery(path: string, entries: QueryEntries): string {
  const text = queryText(entries)
  return path + (path.includes('?') ? text.replace('?', '&') : text)
}

/** Joins names with commas; undefined for an empty or missing list. */
export const namesText = (names: readonly string[] | undefined): string | undefined =>
  names === undefined || names.length === 0 ? undefined : names.join(',')

type FilterInput = FilterObject | readonly string[]

/** The query parameters `filters`, one per filter, and `any`, one per group. */
export const filterEntries = (query: {
  readonly filters?: FilterInput | undefined
  readonly any?: readonly FilterInput[] | undefined
}): QueryEntries => [
  ...filterTexts(query.filters).map((text) => ['filters', text] as const),
  ...(query.any ?? []).map((group) => ['any', groupText(filterTexts(group))] as const),
]

/** Joins the filters of a group with bars. Bars and backslashes in them are escaped. */
export const groupText = (filters: readonly string[]): string => filters.map((text) => text.replace(/[\\|]/g, '\\$&')).join('|')

/** Converts filters to strings as the API takes them. Filters that are strings stay unchanged; undefined values are omitted. */
export function filterTexts(filters: FilterObject | readonly string[] = []): readonly string[] {
  if (isTexts(filters)) return filters
  return Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [filterParameter(name, value)]))
}

const isTexts = (filters: FilterObject | readonly string[]): filters is readonly string[] => Array.isArray(filters)

/**
 * Formats one filter, `<field>[__<operator>]=<value>`. Null becomes `__isnull`; the items of `__in` are quoted as in CSV.
 *
 * @throws {TypeError} for an invalid value, such as an empty list
 */
export function filterParameter(name: string, value: unknown): string {
  if (value === null) return nullText(name)
  if (!Array.isArray(value)) return `${name}=${name.endsWith('__in') ? csvCell(plainText(name, value)) : plainText(name, value)}`
  if (!name.endsWith('__in')) throw new TypeError(`Filter '${name}' has a list; write '${name}__in' for one of several`)
  if (value.length === 0) throw new TypeError(`Filter '${name}' is an empty list, which matches no record; omit the filter`)
  return `${name}=${value.map((item) => csvCell(plainText(name, item))).join(',')}`
}

function nullText(name: string): string {
  const [, negated] = /^(.*)__ne$/.exec(name) ?? []
  if (negated !== undefined) return `${negated}__isnull=false`
  if (/__(icontains|startswith|endswith|gte?|lte?|in|isnull)$/.test(name)) {
    throw new TypeError(`Filter '${name}' is null; write '<field>__isnull': true for fields that are null`)
  }
  return `${name}__isnull=true`
}

/** The filters of an empty text, one of which must match: it is null or has no characters. `__lte`, since `=` refuses what is no choice. */
export const emptyTextFilters = (path: string): readonly string[] => [`${path}__isnull=true`, `${path}__lte=`]

/** The filter of a text with characters. `__gt` never matches null. */
export const filledTextFilter = (path: string): string => `${path}__gt=`

/**
 * Converts the value of a search field to text; undefined if it is empty.
 *
 * @throws {TypeError} for a value that is not text, such as a list
 */
export function searchedText(q: unknown): string | undefined {
  const text = plainText('q', q ?? '').trim()
  return text === '' ? undefined : text
}

function plainText(name: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(
    `Filter '${name}' has ${value === null ? 'the value null' : `a value of type ${typeof value}`}, which filters do not support`,
  )
}

/** Quotes a CSV cell (RFC 4180) if necessary. */
const csvCell = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The query parameters of `sort`: `title` for ascending, `-title` for descending. */
export function sortEntries(sort: readonly string[] | undefined): QueryEntries {
  if (sort === undefined || sort.length === 0) return []
  return [
    ['sort_by', sort.map((key) => key.replace(/^-/, '')).join(',')],
    ['sort_order', sort.map((key) => (key.startsWith('-') ? 'desc' : 'asc')).join(',')],
  ]
}
