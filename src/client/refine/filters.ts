import type { CrudFilter, CrudSort, LogicalFilter } from '@refinedev/core'
import { filterText, searchedText } from '../query.ts'

type Operator = LogicalFilter['operator']

/** What a list is asked for by refine. */
export interface ListFilter {
  /** What is searched for; undefined where nothing is. */
  readonly q: string | undefined
  readonly filters: readonly string[]
}

/** Operators that the API has, with the suffix of each. */
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

/** What to write in the place of operators that it has not. */
const INSTEAD: Partial<Record<Operator, string>> = {
  containss: "'contains', which ignores case",
  startswith: "'startswiths', which heeds case",
  endswith: "'endswiths', which heeds case",
}

/**
 * The filters of a list; all must hold. The field `q` is what is searched for. A value that is undefined leaves a filter out, but for
 * `null` and `nnull`, which look at no value.
 *
 * @throws {TypeError} for what the API cannot be asked, such as alternatives
 */
export function listFilter(filters: readonly CrudFilter[] = []): ListFilter {
  const all = filters.flatMap(plain).filter(({ operator, value }) => value !== undefined || isOfNull(operator))
  const searches = all.filter(({ field }) => field === 'q')
  if (searches.length > 1) throw new TypeError("The filter 'q' is there more than once; search for all words in one")
  const other = searches.find(({ operator }) => operator !== 'eq' && operator !== 'contains')
  if (other !== undefined) throw new TypeError(`The filter 'q' has the operator '${other.operator}'; search with 'contains'`)
  return { q: searchedText(searches[0]?.value), filters: all.filter(({ field }) => field !== 'q').flatMap(texts) }
}

const isOfNull = (operator: Operator): boolean => operator === 'null' || operator === 'nnull'

/** @throws {TypeError} for alternatives */
function plain(filter: CrudFilter): LogicalFilter[] {
  if (filter.operator === 'and') return filter.value.flatMap(plain)
  if (filter.operator === 'or') {
    throw new TypeError("The API knows no 'or'; for one of several values of a field use the operator 'in'")
  }
  if ('field' in filter) return [filter]
  throw new TypeError(`A filter with the operator '${filter.operator}' names no field`)
}

function texts({ field, operator, value }: LogicalFilter): string[] {
  const name = field.replaceAll('.', '__')
  switch (operator) {
    case 'null':
      return [filterText(`${name}__isnull`, true)]
    case 'nnull':
      return [filterText(`${name}__isnull`, false)]
    case 'between': {
      const [from, to] = several(field, operator, value, 2)
      return [filterText(`${name}__gte`, from), filterText(`${name}__lte`, to)]
    }
    case 'nin':
      return several(field, operator, value).map((each) => filterText(`${name}__ne`, each))
    case 'ina':
      return several(field, operator, value).map((each) => filterText(name, each))
    case 'in':
      return [filterText(`${name}__in`, several(field, operator, value))]
  }
  const suffix = SUFFIXES[operator]
  if (suffix !== undefined) return [filterText(name + suffix, value)]
  const instead = INSTEAD[operator]
  const hint = instead === undefined ? '' : `; use ${instead}`
  throw new TypeError(`The API cannot be asked for '${operator}' of '${field}'${hint}`)
}

function several(field: string, operator: Operator, value: unknown, count?: number): unknown[] {
  if (Array.isArray(value) && (count === undefined || value.length === count)) return value
  throw new TypeError(`The operator '${operator}' of '${field}' takes a list${count === undefined ? '' : ` of ${count} values`}`)
}

/** Orders as a client's `sort` names them. */
export const sortKeys = (sorters: readonly CrudSort[] = []): string[] =>
  sorters.map(({ field, order }) => (order === 'desc' ? `-${field}` : field))
