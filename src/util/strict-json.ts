import { MAX_JSON_DEPTH } from './json.ts'
import { isKeptExactly, isShortest, LongNumeral, shownNumeral } from './numeral.ts'
import { runInSlices, type Steps } from './slices.ts'
import { isPlainText, NOT_PLAIN } from './text.ts'

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
interface JsonLimits {
  /** Total number of members of objects. */
  readonly members: number
  /** Total number of values: members of objects, items of lists, lists and objects. */
  readonly values: number
}

/** The limits of a text that a client sends, and of a record in a file. A bulk operation of 1,000 records of 100 fields has as many members. */
export const SENT_LIMITS: JsonLimits = { members: 100_000, values: 300_000 }

const NO_LIMITS: JsonLimits = { members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY }

/** Escapes that need a closer look. */
const SURROGATE_OR_NUL = /\\u(?:[dD][89a-fA-F]|0000)/

/** Number of tokens of a step. */
const TOKENS = 1024

/**
 * Parses JSON without loss (I-JSON, RFC 7493): reports duplicate keys, numbers that a double does not keep, and strings that
 * UTF-8 cannot encode. Time is linear in the text; the stack depth is bounded. Other work runs between the slices of a long text.
 *
 * @param envelope nesting levels allowed around a field value
 * @param limits none by default, for texts that are limited otherwise
 * @throws {SyntaxError} if the text is not JSON
 */
export async function parseStrictJson(text: string, envelope: number, limits = NO_LIMITS): Promise<StrictJson> {
  const { tooDeep, members, values, longNumbers } = await runInSlices(survey(text, MAX_JSON_DEPTH + envelope, limits))
  if (members > limits.members) return refused(`has more than ${limits.members} members`)
  if (values > limits.values) return refused(`has more than ${limits.values} values`)
  if (tooDeep !== -1) return { value: undefined, faults: [{ path: await pathAt(text, tooDeep), problem: TOO_DEEP }] }
  const value: unknown = JSON.parse(text)
  const escapes = text.includes('\\u') && SURROGATE_OR_NUL.test(text)
  // `JSON.parse` keeps one of several members with the same name.
  const suspicious = escapes || longNumbers || members !== keysIn(value)
  // Most texts need no second pass.
  if (!suspicious) return { value, faults: NO_FAULTS }
  const { faults, numerals } = await runInSlices(faultsIn(text))
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

/** Finds what parsing loses in a valid JSON text. */
function* faultsIn(text: string): Steps<{ faults: JsonFault[]; numerals: PlacedNumeral[] }> {
  const faults: JsonFault[] = []
  const numerals: PlacedNumeral[] = []
  const report = (path: Path, problem: string) => {
    if (faults.length < MAX_FAULTS) faults.push({ path: [...path], problem })
  }
  yield* walk(text, text.length, (path, kind, token, isRepeated) => {
    if (isRepeated) report(path, 'is given twice')
    if (kind !== 'number') {
      if (!isPlainText(token)) report(path, kind === 'name' ? `is no name: it ${NOT_PLAIN}` : NOT_PLAIN)
      return
    }
    // With a fault the value is not used, so its other numbers need no test.
    if (faults.length === MAX_FAULTS || isShortest(token)) return
    if (!isKeptExactly(token)) report(path, `is a number that cannot be kept exactly: ${shownNumeral(token)}`)
    else if (faults.length === 0) numerals.push({ path: [...path], numeral: new LongNumeral(token) })
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

/** The path to the list or object in which a text exceeds the nesting depth. */
const pathAt = async (text: string, offset: number): Promise<Path> =>
  (await runInSlices(walk(text, offset, () => {}))).slice(0, -1)

type Path = readonly (string | number)[]

/**
 * Receives a name, string or number of a JSON text.
 *
 * @param path its path, which changes afterwards
 * @param token the decoded string, or the numeral
 * @param isRepeated true for a name that its object has already
 */
type Visit = (path: Path, kind: 'name' | 'string' | 'number', token: string, isRepeated: boolean) => void

/**
 * Visits the names, strings and numbers of a valid JSON text.
 *
 * @returns the path at the end
 */
function* walk(text: string, end: number, visit: Visit): Steps<Path> {
  const path: (string | number)[] = []
  /** The names of each open object; undefined for a list. */
  const open: (Set<string> | undefined)[] = []
  let isName = false
  for (let at = 0, count = 1; at < end; at++, count++) {
    const character = text.charCodeAt(at)
    if (character === OPEN_LIST || character === OPEN_OBJECT) {
      isName = character === OPEN_OBJECT
      open.push(isName ? new Set() : undefined)
      path.push(isName ? '' : 0)
    } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) {
      open.pop()
      path.pop()
    } else if (character === COMMA) {
      isName = open.at(-1) !== undefined
      if (!isName) path.push(Number(path.pop()) + 1)
    } else if (character === QUOTE) {
      const close = endOfString(text, at)
      const token = stringIn(text.slice(at, close + 1))
      const names = isName ? open.at(-1) : undefined
      if (isName) path[path.length - 1] = token
      visit(path, isName ? 'name' : 'string', token, names?.has(token) === true)
      names?.add(token)
      isName = false
      at = close
    } else if (character === MINUS || isDigit(character)) {
      const next = endOfNumeral(text, character === MINUS ? at + 1 : at)
      visit(path, 'number', text.slice(at, next), false)
      at = next - 1
    }
    if (count % TOKENS === 0) yield
  }
  return path
}

const QUOTE = 0x22
const COLON = 0x3a
const COMMA = 0x2c
const POINT = 0x2e
const MINUS = 0x2d
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

/** Ends early where a limit is exceeded. */
function* survey(text: string, maxDepth: number, limits: JsonLimits): Steps<Survey> {
  let depth = 0
  let members = 0
  let values = 0
  let longNumbers = false
  for (let at = 0, count = 1; at < text.length; at++, count++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = endOfString(text, at)
    else if (character === COLON) members++
    else if (character === COMMA) values++
    else if (character === OPEN_LIST || character === OPEN_OBJECT) {
      values++
      if (++depth > maxDepth) return { tooDeep: at, members, values, longNumbers }
    } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) depth--
    else if (isDigit(character)) {
      const end = endOfFraction(text, at)
      const next = endOfExponent(text, end)
      // Every double keeps 15 digits.
      if (!longNumbers && (end - at > 15 || next > end)) longNumbers = !isShortest(text.slice(at, next))
      at = next - 1
    }
    if (count % TOKENS !== 0) continue
    if (members > limits.members || values > limits.values) break
    yield
  }
  return { tooDeep: -1, members, values, longNumbers }
}

const isDigit = (character: number): boolean => character >= 0x30 && character <= 0x39

function endOfDigits(text: string, start: number): number {
  let end = start
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

function endOfFraction(text: string, start: number): number {
  const whole = endOfDigits(text, start)
  return text.charCodeAt(whole) === POINT ? endOfDigits(text, whole + 1) : whole
}

const endOfNumeral = (text: string, start: number): number => endOfExponent(text, endOfFraction(text, start))

function endOfExponent(text: string, start: number): number {
  if (text[start] !== 'e' && text[start] !== 'E') return start
  return endOfDigits(text, text[start + 1] === '+' || text[start + 1] === '-' ? start + 2 : start + 1)
}

/** The string that a JSON text of one stands for. */
const stringIn = (text: string): string => (text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1))

/** Offset of the closing quote; beyond the text if there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

/** A duplicate key in an object. `JSON.parse` would silently keep the last value. */
interface DuplicateKey {
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
function keysIn(value: unknown): number {
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
function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text.charCodeAt(at - 1) === BACKSLASH) at--
  return (quote - at) % 2 === 1
}
