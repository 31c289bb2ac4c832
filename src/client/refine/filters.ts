import type { ConditionalFilter, CrudFilter, CrudSort, LogicalFilter } from '@refinedev/core'
import { emptyTextFilters, filledTextFilter, filterText, type ListFilter, searchedText } from '../models/query.ts'
import { type FilteredFields, UNKNOWN_FIELDS } from '../providers/model-shapes.ts'

type Operator = LogicalFilter['operator']

/** The API's suffix of each supported operator. */
const SUFFIXES: Partial<Record<Operator, string>> = {
  eq: '',
  eqs: '',
  ne: '__ne',
  nes: '__ne',
  lt: '__lt',
  lte: '__lte',
  gt: '__gt',
  gte: '__gte',
  in: '__in',
  contains: '__icontains',
  startswiths: '__startswith',
  endswiths: '__endswith',
}

/** Alternatives to unsupported operators. */
const ALTERNATIVES: Partial<Record<Operator, string>> = {
  containss: "'contains', which ignores case",
  startswith: "'startswiths', which is case-sensitive",
  endswith: "'endswiths', which is case-sensitive",
}

/**
 * Converts the filters of a refine list; a record must match all of them, and one of each `or`. The field `q` is the search text.
 *
 * A filter with the value undefined is ignored, except for `null` and `nnull`, which have no value. For a text these mean "is empty" and
 * "is not empty", as the grid of `@refinedev/mui` calls them; a text without characters is empty, too.
 *
 * @param fields converts the value of each filter, and knows texts
 * @throws {TypeError} for a filter that the API does not support, such as `and` within `or`
 */
export function listFilter(filters: readonly CrudFilter[] = [], fields: FilteredFields = UNKNOWN_FIELDS): ListFilter {
  const parts = filters.flatMap(conjuncts)
  const all = parts.filter(isPlain).filter(isSet)
  const searches = all.filter(({ field }) => field === 'q')
  if (searches.length > 1) throw new TypeError("There is more than one filter 'q'; put all words into one")
  const other = searches.find(({ operator }) => operator !== 'eq' && operator !== 'contains')
  if (other !== undefined) throw new TypeError(`The filter 'q' has the operator '${other.operator}'; use 'contains'`)
  return {
    q: searchedText(searches[0]?.value),
    filters: all.filter((each) => each.field !== 'q' && !isEmptyText(each, fields)).flatMap((each) => texts(each, fields)),
    any: parts.flatMap((part) => {
      if (!isPlain(part)) return group(part, fields)
      return isEmptyText(part, fields) ? [emptyTextFilters(pathOf(part))] : []
    }),
  }
}

const pathOf = ({ field }: LogicalFilter): string => field.replaceAll('.', '__')

/** True for "is empty" of a text, which two filters of the API stand for. */
const isEmptyText = (filter: LogicalFilter, fields: FilteredFields): boolean =>
  filter.operator === 'null' && fields.isText(pathOf(filter))

const isPlain = (filter: CrudFilter): filter is LogicalFilter => 'field' in filter

/** A filter without a value is ignored. */
const isSet = ({ operator, value }: LogicalFilter): boolean => value !== undefined || isOfNull(operator)

/** One list of filters for `or`; none if all of them are ignored. */
function group({ value }: ConditionalFilter, fields: FilteredFields): string[][] {
  const filters = value.flatMap(disjuncts).filter(isSet)
  const texted = filters.flatMap((filter) => {
    if (filter.field !== 'q' && isEmptyText(filter, fields)) return emptyTextFilters(pathOf(filter))
    const [text, ...more] = filter.field === 'q' ? [] : texts(filter, fields)
    if (text === undefined || more.length > 0)
      throw new TypeError(`The API does not support the operator '${filter.operator}' of '${filter.field}' within 'or'`)
    return text
  })
  return texted.length === 0 ? [] : [texted]
}

const isOfNull = (operator: Operator): boolean => operator === 'null' || operator === 'nnull'

/** Flattens `and`. */
function conjuncts(filter: CrudFilter): CrudFilter[] {
  if (filter.operator === 'and') return filter.value.flatMap(conjuncts)
  if (filter.operator === 'or' || isPlain(filter)) return [filter]
  throw new TypeError(`A filter with the operator '${filter.operator}' names no field`)
}

/** Flattens `or`. @throws {TypeError} for `and` */
function disjuncts(filter: CrudFilter): LogicalFilter[] {
  if (filter.operator === 'or') return filter.value.flatMap(disjuncts)
  if (isPlain(filter)) return [filter]
  throw new TypeError("The API does not support 'and' within 'or'; write an 'or' for each combination")
}

function texts(filter: LogicalFilter, fields: FilteredFields): string[] {
  const { field, operator } = filter
  const name = pathOf(filter)
  const value = fields.value(name, filter.value)
  switch (operator) {
    case 'null':
      return [filterText(`${name}__isnull`, true)]
    case 'nnull':
      return [fields.isText(name) ? filledTextFilter(name) : filterText(`${name}__isnull`, false)]
    case 'between': {
      const [from, to] = listOf(field, operator, value, 2)
      return [filterText(`${name}__gte`, from), filterText(`${name}__lte`, to)]
    }
    case 'nin':
      return listOf(field, operator, value).map((each) => filterText(`${name}__ne`, each))
    case 'ina':
      return listOf(field, operator, value).map((each) => filterText(name, each))
    case 'in':
      return [filterText(`${name}__in`, listOf(field, operator, value))]
  }
  const suffix = SUFFIXES[operator]
  if (suffix !== undefined) return [filterText(name + suffix, value)]
  const alternative = ALTERNATIVES[operator]
  const hint = alternative === undefined ? '' : `; use ${alternative}`
  throw new TypeError(`The API does not support the operator '${operator}' of '${field}'${hint}`)
}

/** Checks that the value of an operator is a list. @throws {TypeError} */
function listOf(field: string, operator: Operator, value: unknown, count?: number): unknown[] {
  if (Array.isArray(value) && (count === undefined || value.length === count)) return value
  throw new TypeError(`The operator '${operator}' of '${field}' takes a list${count === undefined ? '' : ` of ${count} values`}`)
}

/** Converts sorters to the sort keys of the client: `title`, or `-title` for descending. */
export const sortKeys = (sorters: readonly CrudSort[] = []): string[] =>
  sorters.map(({ field, order }) => (order === 'desc' ? `-${field}` : field))
