import { isEscaped, keysIn } from './duplicate-keys.ts'
import { MAX_JSON_DEPTH } from './json.ts'
import { isKeptExactly, isShortest, LongNumeral, shownNumeral } from './numbers/numeral.ts'
import { isPlainText, NOT_PLAIN } from './plain-text.ts'

/** A part of a JSON text that would be lost or changed by parsing. */
export interface JsonFault {
  readonly path: readonly (string | number)[]
  /** The message, after the name of the value at the path. */
  readonly problem: string
}

/** The parsed value, and what parsing would lose. Numbers with other digits than JavaScript writes for them are `LongNumeral`s. */
export interface StrictJson {
  readonly value: unknown
  readonly faults: readonly JsonFault[]
}

/** Maximum number of reported faults. */
const MAX_FAULTS = 100

/** Limits of a JSON text, which are checked before it is parsed: parsing takes the time of its values, not of its bytes. */
export interface JsonLimits {
  /** Total number of members of objects. */
  readonly members: number
  /** Total number of values: members of objects, items of lists, lists and objects. */
  readonly values: number
}

/** The limits of a text that a client sends, and of a record in a file. A bulk operation of 1,000 records of 100 fields has as many members. */
export const SENT_LIMITS: JsonLimits = { members: 100_000, values: 300_000 }

/** Escapes that need a closer look. */
const SURROGATE_OR_NUL = /\\u(?:[dD][89a-fA-F]|0000)/

/**
 * Parses JSON without loss (I-JSON, RFC 7493): reports duplicate keys, numbers that a double does not keep, and strings that
 * UTF-8 cannot encode. Time is linear in the text; the stack depth is bounded.
 *
 * @param envelope nesting levels allowed around a field value
 * @param limits none by default, for texts that are limited otherwise
 * @throws {SyntaxError} if the text is not JSON
 */
export async function parseStrictJson(text: string, envelope: number, limits?: JsonLimits): Promise<StrictJson> {
  const { tooDeep, members, values, longNumbers } = survey(text, MAX_JSON_DEPTH + envelope)
  if (limits !== undefined && members > limits.members) return refused(`has more than ${limits.members} members`)
  if (limits !== undefined && values > limits.values) return refused(`has more than ${limits.values} values`)
  if (tooDeep !== -1) return { value: undefined, faults: [{ path: await pathAt(text, tooDeep), problem: TOO_DEEP }] }
  const value: unknown = JSON.parse(text)
  const escapes = text.includes('\\u') && SURROGATE_OR_NUL.test(text)
  // `JSON.parse` keeps one of several members with the same name.
  const suspicious = escapes || longNumbers || members !== keysIn(value)
  // Most texts need no second pass.
  if (!suspicious) return { value, faults: NO_FAULTS }
  const { faults, numerals } = await faultsIn(text)
  return { value: faults.length > 0 ? value : withNumerals(value, numerals), faults }
}

const NO_FAULTS: readonly JsonFault[] = []
const refused = (problem: string): StrictJson => ({ value: undefined, faults: [{ path: [], problem }] })
const TOO_DEEP = `must not be nested more than ${MAX_JSON_DEPTH} levels deep`

/** A number with other digits than JavaScript writes for it, and its place. */
interface PlacedNumeral {
  readonly path: readonly (string | number)[]
  readonly numeral: LongNumeral
}

async function faultsIn(text: string): Promise<{ faults: JsonFault[]; numerals: PlacedNumeral[] }> {
  // Rarely needed, so it is not loaded at start.
  const { visit } = await import('jsonc-parser')
  const faults: JsonFault[] = []
  const numerals: PlacedNumeral[] = []
  const report = (path: readonly (string | number)[], problem: string) => {
    if (faults.length < MAX_FAULTS) faults.push({ path, problem })
  }
  const open: Set<string>[] = []
  visit(text, {
    onObjectBegin() {
      open.push(new Set())
    },
    onObjectEnd() {
      open.pop()
    },
    onObjectProperty(key, _offset, _length, _line, _character, parent) {
      const keys = open.at(-1)
      if (keys?.has(key) === true) report([...parent(), key], 'is given twice')
      if (!isPlainText(key)) report([...parent(), key], `is no name: it ${NOT_PLAIN}`)
      keys?.add(key)
    },
    onLiteralValue(value, offset, length, _line, _character, path) {
      if (typeof value === 'string' && !isPlainText(value)) report(path(), NOT_PLAIN)
      if (typeof value !== 'number') return
      const numeral = text.slice(offset, offset + length)
      // With a fault the value is not used, so its other numbers need no test.
      if (faults.length === MAX_FAULTS || isShortest(numeral)) return
      if (!isKeptExactly(numeral)) report(path(), `is a number that cannot be kept exactly: ${shownNumeral(numeral)}`)
      else if (faults.length === 0) numerals.push({ path: path(), numeral: new LongNumeral(numeral) })
    },
  })
  return { faults, numerals }
}

/** Puts numerals into the places of the doubles that were parsed. */
function withNumerals(value: unknown, numerals: readonly PlacedNumeral[]): unknown {
  const root = { value }
  for (const { path, numeral } of numerals) {
    let container: Record<string | number, unknown> = root
    let key: string | number = 'value'
    for (const step of path) {
      container = container[key] as Record<string | number, unknown>
      key = step
    }
    container[key] = numeral
  }
  return root.value
}

/** The path to an offset in a text that exceeds the nesting depth there. */
async function pathAt(text: string, offset: number): Promise<(string | number)[]> {
  const { visit } = await import('jsonc-parser')
  let last: (string | number)[] = []
  const enter = (_offset: number, _length: number, _line: number, _character: number, path: () => (string | number)[]) => {
    last = path()
  }
  visit(text.slice(0, offset), { onObjectBegin: enter, onArrayBegin: enter })
  return last
}

const QUOTE = 0x22
const COLON = 0x3a
const COMMA = 0x2c
const POINT = 0x2e
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b]
const [CLOSE_LIST, CLOSE_OBJECT] = [0x5d, 0x7d]

/** Properties of a JSON text found in one pass, without parsing. */
interface Survey {
  /** Offset at which the nesting depth is exceeded first, or -1. */
  readonly tooDeep: number
  /** Total number of object members. */
  readonly members: number
  /** Total number of commas and opening brackets. */
  readonly values: number
  /** True if there are numbers with other digits than JavaScript writes for them. */
  readonly longNumbers: boolean
}

function survey(text: string, maxDepth: number): Survey {
  let depth = 0
  let members = 0
  let values = 0
  let longNumbers = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = endOfString(text, at)
    else if (character === COLON) members++
    else if (character === COMMA) values++
    else if (character === OPEN_LIST || character === OPEN_OBJECT) {
      values++
      if (++depth > maxDepth) return { tooDeep: at, members, values, longNumbers }
    } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) depth--
    else if (isDigit(character)) {
      const whole = endOfDigits(text, at)
      const end = text.charCodeAt(whole) === POINT ? endOfDigits(text, whole + 1) : whole
      const next = endOfExponent(text, end)
      // Every double keeps 15 digits.
      if (!longNumbers && (end - at > 15 || next > end)) longNumbers = !isShortest(text.slice(at, next))
      at = next - 1
    }
  }
  return { tooDeep: -1, members, values, longNumbers }
}

const isDigit = (character: number): boolean => character >= 0x30 && character <= 0x39

function endOfDigits(text: string, start: number): number {
  let end = start
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

function endOfExponent(text: string, start: number): number {
  if (text[start] !== 'e' && text[start] !== 'E') return start
  return endOfDigits(text, text[start + 1] === '+' || text[start + 1] === '-' ? start + 2 : start + 1)
}

/** Offset of the closing quote; beyond the text if there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}
