/** A key that stands twice in one object: `JSON.parse` would keep the last and say nothing. */
export interface DuplicateKey {
  readonly key: string
  /** Where it stands for the second time, counted from 1. */
  readonly line: number
}

/**
 * The first key that stands twice in an object of a JSON text, however deep.
 *
 * @param value what `JSON.parse` made of the text
 */
export async function duplicateKey(text: string, value: unknown): Promise<DuplicateKey | undefined> {
  if (!hasDuplicateKey(text, value)) return undefined
  // Seldom needed, and not to be loaded with every start.
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

/** True when there are more keys in a JSON text than in what `JSON.parse` made of it. */
export const hasDuplicateKey = (text: string, value: unknown): boolean => keysInText(text) !== keysIn(value)

/** How many members the objects in what `JSON.parse` made have together. */
export function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += keysIn(item)
    return count
  }
  const members = value as Readonly<Record<string, unknown>>
  // Such objects inherit nothing that `in` would find.
  for (const key in members) {
    count++
    if (typeof members[key] === 'object') count += keysIn(members[key])
  }
  return count
}

const BACKSLASH = 0x5c
const COLON = 0x3a
const SPACE = 0x20

/** How many strings of a valid JSON text have a colon behind them. */
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

/** True for a quote that belongs to the string it stands in. */
export function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text.charCodeAt(at - 1) === BACKSLASH) at--
  return (quote - at) % 2 === 1
}
