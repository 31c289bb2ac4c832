import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { StoredRecord } from './store.ts'

/** Cache size: the records of transactions and responses in progress, with a margin. */
const versions = new LRUCache<StoredRecord, string>({ max: 1000 })

/** The version of a record: equal for equal content, also after a restart. 96 bits of SHA-256, base64url. */
export function versionOf(record: StoredRecord): string {
  const known = versions.get(record)
  if (known !== undefined) return known
  const version = versionOfJson(JSON.stringify(record))
  versions.set(record, version)
  return version
}

/** True if both records have the same version. */
export const isSameVersion = (a: StoredRecord, b: StoredRecord): boolean => a === b || versionOf(a) === versionOf(b)

/** The version of a record by its JSON. Not cached. */
export const versionOfJson = (json: string): string => hash('sha256', json, 'base64url').slice(0, 16)
