import { hash } from 'node:crypto'
import type { StoredRecord } from './store.ts'

/** How many versions a generation remembers: those of the transactions and answers under way, with much to spare. */
const GENERATION = 1_000

let young = new WeakMap<StoredRecord, string>()
let old = new WeakMap<StoredRecord, string>()
let size = 0

/** Names the content of a record: equal for equal content, after a restart too. 96 bits of SHA-256, base64url. */
export function versionOf(record: StoredRecord): string {
  const known = young.get(record) ?? old.get(record)
  if (known !== undefined) return known
  const version = versionOfJson(JSON.stringify(record))
  // Two small generations, since a garbage collector takes long over a weak map with an entry for every record there is.
  if (++size > GENERATION) {
    old = young
    young = new WeakMap()
    size = 1
  }
  young.set(record, version)
  return version
}

/** The version of the record whose JSON this is, for whoever has it at hand. Nothing is remembered of it. */
export const versionOfJson = (json: string): string => hash('sha256', json, 'base64url').slice(0, 16)
