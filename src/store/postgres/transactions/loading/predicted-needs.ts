import { relationFilters } from '../../../../query/plan.ts'
import { referencesOf } from '../../../references.ts'
import type { Operation, TransactionNotes } from '../../../store.ts'
import type { LoadedTables } from './loaded-tables.ts'

/** Adds what operations are certain to need, so that it is loaded at once: the named records, referenced records, unique values. */
export function predictNeeds(tables: LoadedTables, operations: readonly Operation[]): void {
  // A condition may read the values of a referenced record, which must then stay as they are.
  const readsRelated = operations.some(({ allowed }) => allowed !== undefined && relationFilters([allowed]).length > 0)
  for (const operation of operations) {
    const table = tables.get(operation.table)
    if (operation.kind === 'remove') {
      table.need(operation.id, 'remove')
      continue
    }
    if (operation.id !== undefined) table.need(operation.id, 'update')
    const { values } = operation
    for (const { name, unique, relation } of table.model.constrained) {
      const value = values[name] ?? null
      if (value === null) continue
      if (unique) table.ownerOf(name, value)
      if (relation === undefined) continue
      const target = tables.get(relation.target)
      for (const id of referencesOf(values, name)) target.need(id, readsRelated ? 'share' : 'key share')
    }
    if (operation.kind !== 'insert') continue
    for (const set of table.model.uniqueSets) {
      const key = set.keyOf(values)
      if (key !== null) table.ownerOf(set.name, key)
    }
  }
}

/** The tables in which operations and their notes may create records. */
export function tablesOfNewRecords(operations: readonly Operation[], { events, history }: TransactionNotes = {}): string[] {
  const tables = operations.flatMap(({ kind, table }) => (kind === 'insert' ? [table] : []))
  return [
    ...new Set([...tables, ...(events === undefined ? [] : [events.table]), ...(history === undefined ? [] : [history.table])]),
  ]
}
