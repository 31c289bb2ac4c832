import type { Json } from '../../../util/json.ts'

const PARTS = 64
/** Maximum number of characters of a text that determine its part. */
const CHARACTERS = 32

/** A map in parts, of which each grows by itself. A `Map` of a million values stops the event loop for 40 to 70 ms each time that it grows. */
export class PartedMap<V> {
  readonly #parts: readonly Map<Json, V>[] = Array.from({ length: PARTS }, () => new Map())

  get(key: Json): V | undefined {
    return this.#parts[partOf(key)]?.get(key)
  }

  set(key: Json, value: V): void {
    this.#parts[partOf(key)]?.set(key, value)
  }

  delete(key: Json): void {
    this.#parts[partOf(key)]?.delete(key)
  }
}

/** FNV-1a of some characters of a text, or the last bits of a number. */
function partOf(key: Json): number {
  if (typeof key === 'number') return key & (PARTS - 1)
  if (typeof key !== 'string') return 0
  const step = Math.ceil(key.length / CHARACTERS)
  let hash = 0x811c9dc5 | 0
  for (let at = 0; at < key.length; at += step) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) & (PARTS - 1)
}
