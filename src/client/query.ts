/** Filters as an object: `{status: 'draft', rating__gte: 4, author__username__in: ['ann', 'bob'], published_at: null}`. */
export type FilterObject = Readonly<Record<string, unknown>>

/** Names and values of query parameters; what is undefined is left out. */
export type QueryEntries = readonly (readonly [string, string | number | boolean | undefined])[]

/** `?page=1&filters=…`, or nothing. */
export function queryText(entries: QueryEntries): string {
  const sent = new URLSearchParams()
  for (const [name, value] of entries) if (value !== undefined) sent.append(name, String(value))
  const text = sent.toString()
  return text === '' ? '' : `?${text}`
}

/** A path with more parameters, whether or not it has some already. */
export function withQuery(path: string, entries: QueryEntries): string {
  const text = queryText(entries)
  return path + (path.includes('?') ? text.replace('?', '&') : text)
}

/** Names between commas; undefined for none. */
export const namesText = (names: readonly string[] | undefined): string | undefined =>
  names === undefined || names.length === 0 ? undefined : names.join(',')

/** `filters` of a request, one for each: filters that are texts already are taken as they are. */
export const filterEntries = (filters: FilterObject | readonly string[] | undefined): QueryEntries =>
  filterTexts(filters).map((text) => ['filters', text])

export function filterTexts(filters: FilterObject | readonly string[] = []): readonly string[] {
  if (isTexts(filters)) return filters
  return Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [filterText(name, value)]))
}

const isTexts = (filters: FilterObject | readonly string[]): filters is readonly string[] => Array.isArray(filters)

/**
 * One filter, `<field>[__<operator>]=<value>`. Null is asked for by `__isnull`; a list of `__in` has its commas quoted.
 *
 * @throws {TypeError} for a value that no filter has, such as an empty list
 */
export function filterText(name: string, value: unknown): string {
  if (value === null) return nullText(name)
  if (!Array.isArray(value)) return `${name}=${name.endsWith('__in') ? csvCell(plainText(name, value)) : plainText(name, value)}`
  if (!name.endsWith('__in')) throw new TypeError(`Filter '${name}' has a list; write '${name}__in' for one of several`)
  if (value.length === 0) throw new TypeError(`Filter '${name}' is an empty list, which no record is in; leave the filter out`)
  return `${name}=${value.map((item) => csvCell(plainText(name, item))).join(',')}`
}

function nullText(name: string): string {
  const [, negated] = /^(.*)__ne$/.exec(name) ?? []
  if (negated !== undefined) return `${negated}__isnull=false`
  if (/__(icontains|startswith|endswith|gte?|lte?|in|isnull)$/.test(name)) {
    throw new TypeError(`Filter '${name}' is null; write '<field>__isnull': true for fields that are empty`)
  }
  return `${name}__isnull=true`
}

/**
 * What is searched for; undefined where nothing is.
 *
 * @throws {TypeError} for what holds no words, such as a list
 */
export function searchedText(q: unknown): string | undefined {
  const text = plainText('q', q ?? '').trim()
  return text === '' ? undefined : text
}

function plainText(name: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(
    `Filter '${name}' holds ${value === null ? 'null' : `a value of type ${typeof value}`}, which cannot be filtered by`,
  )
}

/** RFC 4180. */
const csvCell = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Orders as `sort` names them: `title`, and `-title` for the opposite. */
export function sortEntries(sort: readonly string[] | undefined): QueryEntries {
  if (sort === undefined || sort.length === 0) return []
  return [
    ['sort_by', sort.map((key) => key.replace(/^-/, '')).join(',')],
    ['sort_order', sort.map((key) => (key.startsWith('-') ? 'desc' : 'asc')).join(',')],
  ]
}
