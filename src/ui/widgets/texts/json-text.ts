import { type ParseError, parse } from 'jsonc-parser'
import { Unparsed } from '../unparsed.ts'

/** The text of a JSON value, indented; empty for none. */
export const formatJson = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)

/** Parses typed JSON: null for an empty text, an `Unparsed` with line and column for a fault. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return null
  const offset = faultIn(text)
  if (offset === undefined) return JSON.parse(text)
  const before = text.slice(0, offset).split('\n')
  return new Unparsed(text, { kind: 'json', line: before.length, column: (before.at(-1)?.length ?? 0) + 1 })
}

/** The offset of the first fault in a text; undefined for JSON. */
export function faultIn(text: string): number | undefined {
  const faults: ParseError[] = []
  parse(text, faults, { disallowComments: true, allowTrailingComma: false })
  if (faults[0] !== undefined) return faults[0].offset
  try {
    JSON.parse(text)
    return undefined
  } catch {
    // The browser is stricter, for example about control characters within texts; it does not name the place everywhere.
    return 0
  }
}
