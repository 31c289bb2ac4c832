import { matcher } from '../../query/match.ts'
import { type Filter, isFieldFilter, isRelationFilter } from '../../query/plan.ts'
import type { Store, StoredRecord } from '../../store/store.ts'

/** Decides whether a record, stored or not, matches a filter. Related records are read from the store. */
export async function matchesRecord(store: Store, filter: Filter, record: StoredRecord): Promise<boolean> {
  if (isFieldFilter(filter)) return matcher(filter, () => () => false)(record)
  if (isRelationFilter(filter)) {
    const ids = [record[filter.field] ?? []].flat().map(Number)
    for (const related of await store.get(filter.target, ids)) {
      if (related !== undefined && (await matchesRecord(store, filter.filter, related))) return true
    }
    return false
  }
  if ('not' in filter) return !(await matchesRecord(store, filter.not, record))
  const isAny = 'any' in filter
  for (const part of isAny ? filter.any : filter.all) {
    if ((await matchesRecord(store, part, record)) === isAny) return isAny
  }
  return !isAny
}
