/** A duplicate key in an object. `JSON.parse` would silently keep the last value. */
export interface DuplicateKey {
  readonly key: string
  /** Line of the second occurrence, from 1. */
  readonly line: number
}

/**
 * Finds the first duplicate key in a JSON text, at any depth.
 *
 * @param value the result of `JSON.parse` of the text
 */
export async function duplicateKey(text: string, value: unknown): Promise<DuplicateKey | undefined> {
  if (!hasDuplicateKey(text, value)) return undefined
  // Rarely needed, so it is not loaded at start.
  const { visit } = await import('jsonc-parser')
  const open: Set<string>[] = []
  let found: DuplicateKey | undefined
  visit(text, {
    onObjectBegin() {
      open.push(new Set())
    },
    onObjectEnd() {
      open.pop()
    },
    onObjectProperty(key, _offset, _length, line) {
      const keys = open.at(-1)
      if (keys?.has(key) === true) found ??= { key, line: line + 1 }
      keys?.add(key)
    },
  })
  return found
}

/** True if a JSON text has more keys than the result of `JSON.parse`. */
export const hasDuplicateKey = (text: string, value: unknown): boolean => keysInText(text) !== keysIn(value)

/** Total number of members of all objects in a parsed value. */
export function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += keysIn(item)
    return count
  }
  const members = value as Readonly<Record<string, unknown>>
  // Parsed objects inherit no enumerable members.
  for (const key in members) {
    count++
    if (typeof members[key] === 'object') count += keysIn(members[key])
  }
  return count
}

const BACKSLASH = 0x5c
const COLON = 0x3a
const SPACE = 0x20

/** Number of strings in a valid JSON text that are followed by a colon. */
function keysInText(text: string): number {
  let count = 0
  for (let start = text.indexOf('"'); start !== -1; ) {
    let end = text.indexOf('"', start + 1)
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
    let next = end + 1
    while (text.charCodeAt(next) <= SPACE) next++
    if (text.charCodeAt(next) === COLON) count++
    start = text.indexOf('"', end + 1)
  }
  return count
}

/** True if the quote is escaped. */
export function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text.charCodeAt(at - 1) === BACKSLASH) at--
  return (quote - at) % 2 === 1
}
