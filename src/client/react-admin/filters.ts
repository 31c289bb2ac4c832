import { type FilterObject, filterTexts, searchedText } from '../query.ts'

/** What a list is asked for by react-admin. */
export interface ListFilter {
  /** What is searched for; undefined where nothing is. */
  readonly q: string | undefined
  readonly filters: readonly string[]
}

/**
 * The filters of a list. `q` searches. Names may go through a relation as the API writes it, `author__username`, or as names of inputs
 * do, `author.username`, which react-admin turns into objects. A list means one of its values.
 *
 * @throws {TypeError} for what the API cannot be asked
 */
export function listFilter(filter: FilterObject = {}): ListFilter {
  const { q, ...rest } = filter
  return { q: searchedText(q), filters: filterTexts(Object.fromEntries(flat(rest))) }
}

function flat(filters: FilterObject, prefix = ''): [string, unknown][] {
  return Object.entries(filters).flatMap(([key, value]): [string, unknown][] => {
    const name = prefix + key.replaceAll('.', '__')
    if (isPlainObject(value)) return flat(value, `${name}__`)
    return [[Array.isArray(value) && !name.endsWith('__in') ? `${name}__in` : name, value]]
  })
}

const isPlainObject = (value: unknown): value is FilterObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
