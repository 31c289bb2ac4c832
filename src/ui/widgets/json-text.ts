import { type ParseError, parse, visit } from 'jsonc-parser'
import { isExactNumeral } from './numbers.ts'
import { type JsonInputFault, Unparsed } from './unparsed.ts'

/** The text of a JSON value, indented; empty for none. */
export const formatJson = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)

/** Parses typed JSON: null for an empty text, an `Unparsed` with line and column for a fault. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return null
  const fault = faultIn(text)
  if (fault === undefined) return JSON.parse(text)
  const before = text.slice(0, fault.offset).split('\n')
  const { kind, text: part } = fault
  return new Unparsed(text, { kind, text: part, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 })
}

/** The first fault in a text; undefined for JSON that can be stored unchanged. */
export function faultIn(text: string): (Pick<JsonInputFault, 'kind' | 'text'> & { readonly offset: number }) | undefined {
  const faults: ParseError[] = []
  parse(text, faults, { disallowComments: true, allowTrailingComma: false })
  if (faults[0] !== undefined) return { kind: 'json', text: '', offset: faults[0].offset }
  try {
    JSON.parse(text)
  } catch {
    // The browser is stricter, for example about control characters within texts; it does not name the place everywhere.
    return { kind: 'json', text: '', offset: 0 }
  }
  return lossIn(text)
}

/** The first name that is given twice, or number that would be rounded: parsing drops the one and changes the other. */
function lossIn(text: string): ReturnType<typeof faultIn> {
  let loss: ReturnType<typeof faultIn>
  const names: Set<string>[] = []
  visit(text, {
    onObjectBegin: () => {
      names.push(new Set())
    },
    onObjectEnd: () => {
      names.pop()
    },
    onObjectProperty(name, offset) {
      if (names.at(-1)?.has(name)) loss ??= { kind: 'jsonName', text: name, offset }
      names.at(-1)?.add(name)
    },
    onLiteralValue(value, offset, length) {
      const numeral = text.slice(offset, offset + length)
      if (typeof value === 'number' && !isExactNumeral(numeral)) loss ??= { kind: 'jsonNumber', text: numeral, offset }
    },
  })
  return loss
}
