import type { Renames } from '../../../model/renames.ts'
import { isObject } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'

/** A history entry that names its model and the changed fields as they are called now; the entry itself if it does so already. */
export function renamedEntry(entry: StoredRecord, names: Renames): StoredRecord {
  const { model, changes } = entry
  if (typeof model !== 'string') return entry
  const table = names.table(model)
  const fields = names.fieldsOf(table)
  const isRenamed = (name: string, all: object) => fields.has(name) && !Object.hasOwn(all, fields.get(name) ?? name)
  const hasFormer = isObject(changes) && Object.keys(changes).some((name) => isRenamed(name, changes))
  if (table === model && !hasFormer) return entry
  if (!hasFormer) return { ...entry, model: table }
  const renamed = Object.entries(changes).map(([name, change]) => [
    isRenamed(name, changes) ? (fields.get(name) ?? name) : name,
    change,
  ])
  return { ...entry, model: table, changes: Object.fromEntries(renamed) }
}
