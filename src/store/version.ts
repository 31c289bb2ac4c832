import { hash } from 'node:crypto'
import { WeakCache } from '../util/weak-cache.ts'
import { textOf } from './embedded/snapshot/record-text.ts'
import type { StoredRecord } from './store.ts'

/** Those of the transactions and answers under way, with much to spare. */
const versions = new WeakCache<StoredRecord, string>(1000)

/** Names the content of a record: equal for equal content, after a restart too. 96 bits of SHA-256, base64url. */
export function versionOf(record: StoredRecord): string {
  const known = versions.get(record)
  if (known !== undefined) return known
  const version = versionOfJson(textOf(record))
  versions.set(record, version)
  return version
}

/** The version of the record whose JSON this is, for whoever has it at hand. Nothing is remembered of it. */
export const versionOfJson = (json: string): string => hash('sha256', json, 'base64url').slice(0, 16)
