import { AppError } from '../../../errors.ts'
import type { Json } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'

/**
 * A record under the present names of its fields; the record itself if it has none of the former names. Fields keep their
 * position. A present field without a value gives way to the former one.
 *
 * @param fields present names by former names
 * @throws {AppError} RENAME_CONFLICT if both names have values, which differ
 */
export function renamedRecord(table: string, record: StoredRecord, fields: ReadonlyMap<string, string>): StoredRecord {
  let isRenamed = false
  for (const was of fields.keys()) isRenamed ||= Object.hasOwn(record, was)
  if (!isRenamed) return record
  const values = new Map<string, Json | undefined>()
  for (const [key, value] of Object.entries(record)) {
    const name = fields.get(key)
    if (name !== undefined) values.set(name, chosen(table, record, key, name))
    else if (!values.has(key)) values.set(key, value)
  }
  return Object.fromEntries(values) as StoredRecord
}

function chosen(table: string, record: StoredRecord, was: string, name: string): Json {
  const former = record[was] ?? null
  const present = record[name] ?? null
  if (former !== null && present !== null && JSON.stringify(former) !== JSON.stringify(present)) {
    throw new AppError(
      'RENAME_CONFLICT',
      `'${table}' has a field '${name}' that was '${was}', but record ${record.id} has different values of both; remove \`was: ${was}\` to keep '${name}', or correct the record`,
    )
  }
  return former ?? present
}
