import { createHash } from 'node:crypto'
import type { StoredRecord } from './store.ts'

const versions = new WeakMap<StoredRecord, string>()

/** Names the content of a record: equal for equal content, after a restart too. 96 bits of SHA-256, base64url. */
export function versionOf(record: StoredRecord): string {
  const known = versions.get(record)
  if (known !== undefined) return known
  const version = createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 16)
  versions.set(record, version)
  return version
}
