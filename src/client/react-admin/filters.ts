import { type FilterObject, filterTexts, type ListFilter, searchedText } from '../models/query.ts'
import { type FilteredFields, UNKNOWN_FIELDS } from '../providers/model-shapes.ts'

/**
 * Converts the filters of a react-admin list. The filter `q` is the search text; `any` is a group of filters, or a list of groups,
 * one of which must match.
 *
 * Names may go through a relation in the API's notation, `author__username`, or as an input is named, `author.username`, which
 * react-admin turns into nested objects. A list as value matches any of its items.
 *
 * @param fields converts the value of each filter
 * @throws {TypeError} for a value that the API does not support
 */
export function listFilter(filter: FilterObject = {}, fields: Pick<FilteredFields, 'value'> = UNKNOWN_FIELDS): ListFilter {
  const { q, any = [], ...rest } = filter
  const groups = [any].flat()
  if (!groups.every(isPlainObject)) throw new TypeError("The filter 'any' is neither an object of filters nor a list of them")
  const texts = (filters: FilterObject) =>
    filterTexts(Object.fromEntries(flat(filters).map(([name, value]) => [name, fields.value(name, value)])))
  return { q: searchedText(q), filters: texts(rest), any: groups.map(texts) }
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
