import { hash } from 'node:crypto'
import type { Json } from '../util/json.ts'
import type { StoredRecord } from './store.ts'

/** Number of versions of a generation: the records of transactions and responses in progress, with a margin. */
const GENERATION = 1000

/** The latest versions, and those before. They keep no record in memory that is replaced or removed. */
let versions = new WeakMap<StoredRecord, string>()
let former = new WeakMap<StoredRecord, string>()
let count = 0

/** The version of a record: equal for equal content, also after a restart. 96 bits of SHA-256, base64url. */
export function versionOf(record: StoredRecord): string {
  const known = versions.get(record) ?? former.get(record)
  if (known !== undefined) return known
  const version = versionOfJson(JSON.stringify(record))
  if (count++ === GENERATION) {
    former = versions
    versions = new WeakMap()
    count = 1
  }
  versions.set(record, version)
  return version
}

/** True if both records have the same version. */
export const isSameVersion = (a: StoredRecord, b: StoredRecord): boolean => a === b || versionOf(a) === versionOf(b)

/** True if both values leave the version of a record as it is. Lists and objects are compared by their texts, so their order counts. */
export function isSameValue(a: Json, b: Json): boolean {
  if (a === b) return true
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b)
}

/** The version of a record by its JSON. Not cached. */
export const versionOfJson = (json: string): string => hash('sha256', json, 'base64url').slice(0, 16)
