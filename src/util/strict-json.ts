import { isEscaped, keysIn } from './duplicate-keys.ts'
import { MAX_JSON_DEPTH } from './json.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { isKeptExactly } from './numeral.ts'
import { isPlainText, NOT_PLAIN } from './plain-text.ts'

/** Something that JSON can say and that would not be kept as it was said. */
export interface JsonFault {
  readonly path: readonly (string | number)[]
  /** To be put behind the name of what stands at the path. */
  readonly problem: string
}

/** What a text says, and what would be lost of it. */
export interface StrictJson {
  readonly value: unknown
  readonly faults: readonly JsonFault[]
}

/** Of a text with thousands of faults, this many are named; it is refused for them whatever the others are. */
const MAX_FAULTS = 100

/** Escapes that need to be looked at. */
const SURROGATE_OR_NUL = /\\u(?:[dD][89a-fA-F]|0000)/

/**
 * Parses JSON of which nothing may get lost on the way (I-JSON, RFC 7493): no key twice in an object, no number that a double
 * cannot hold, no text that UTF-8 cannot say. Takes time in proportion to the text, and no deeper a stack, whatever it holds.
 *
 * @param envelope how many levels may stand around the values that people nest
 * @throws {SyntaxError} for what is no JSON
 */
export function parseStrictJson(text: string, envelope: number): MaybePromise<StrictJson> {
  const { tooDeep, members, longNumbers } = survey(text, MAX_JSON_DEPTH + envelope)
  if (tooDeep !== -1) return pathAt(text, tooDeep).then((path) => ({ value: undefined, faults: [{ path, problem: TOO_DEEP }] }))
  const value: unknown = JSON.parse(text)
  const escapes = text.includes('\\u') && SURROGATE_OR_NUL.test(text)
  // Of two members of one name `JSON.parse` keeps one.
  const suspicious = escapes || longNumbers || members !== keysIn(value)
  // Most texts are fine, and are spared the slower look.
  return suspicious ? faultsIn(text).then((faults) => ({ value, faults })) : { value, faults: NO_FAULTS }
}

const NO_FAULTS: readonly JsonFault[] = []
const TOO_DEEP = `must not be nested more than ${MAX_JSON_DEPTH} levels deep`

async function faultsIn(text: string): Promise<JsonFault[]> {
  // Seldom needed, and not to be loaded with every start.
  const { visit } = await import('jsonc-parser')
  const faults: JsonFault[] = []
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
      if (!isKeptExactly(numeral)) report(path(), `is a number that cannot be kept exactly: ${cut(numeral)}`)
    },
  })
  return faults
}

const cut = (numeral: string): string => (numeral.length > 40 ? `${numeral.slice(0, 40)}…` : numeral)

/** What stands around an offset; the text before it is nested as deep as may be. */
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
const POINT = 0x2e
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b]
const [CLOSE_LIST, CLOSE_OBJECT] = [0x5d, 0x7d]

/** What a look at each character tells of a text, without parsing it. */
interface Survey {
  /** Where the text is nested deeper than may be for the first time, or -1. */
  readonly tooDeep: number
  /** How many members its objects have together. */
  readonly members: number
  /** There are numbers that a double may not hold. */
  readonly longNumbers: boolean
}

function survey(text: string, maxDepth: number): Survey {
  let depth = 0
  let members = 0
  let longNumbers = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = endOfString(text, at)
    else if (character === COLON) members++
    else if (character === OPEN_LIST || character === OPEN_OBJECT) {
      if (++depth > maxDepth) return { tooDeep: at, members, longNumbers }
    } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) depth--
    else if (isDigit(character)) {
      const whole = endOfDigits(text, at)
      const end = text.charCodeAt(whole) === POINT ? endOfDigits(text, whole + 1) : whole
      const exponent = text[end] === 'e' || text[end] === 'E'
      if (whole - at > 15 || end - whole > 300 || exponent) longNumbers = true
      at = exponent ? end : end - 1
    }
  }
  return { tooDeep: -1, members, longNumbers }
}

const isDigit = (character: number): boolean => character >= 0x30 && character <= 0x39

function endOfDigits(text: string, start: number): number {
  let end = start
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

/** Where the string that begins at a quote ends; beyond the text when it does not. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}
