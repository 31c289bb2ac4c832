import { hasDuplicateKey } from './duplicate-keys.ts'
import { MAX_JSON_DEPTH } from './json.ts'
import { isKeptExactly } from './numeral.ts'
import { isPlainText, NOT_PLAIN } from './plain-text.ts'

/** Something that JSON can say and that would not be kept as it was said. */
export interface JsonFault {
  readonly path: readonly (string | number)[]
  /** To be put behind the name of what stands at the path. */
  readonly problem: string
}

/** Of a text with thousands of faults, this many are named; it is refused for them whatever the others are. */
const MAX_FAULTS = 100

/** Escapes, whole numbers and exponents among which there may be something to find. None of it stands in most texts. */
const SUSPICIOUS = /\\u(?:[dD][89a-fA-F]|0000)|(?:^|[^\d.])\d{16}|\d[eE][+-]?\d{3}|\.0{300}/

/**
 * Parses JSON of which nothing may get lost on the way (I-JSON, RFC 7493): no key twice in an object, no number that a double
 * cannot hold, no text that UTF-8 cannot say. Takes time in proportion to the text, and no deeper a stack, whatever it holds.
 *
 * @param envelope how many levels may stand around the values that people nest
 * @throws {SyntaxError} for what is no JSON
 */
export async function parseStrictJson(
  text: string,
  envelope: number,
): Promise<{ readonly value: unknown; readonly faults: readonly JsonFault[] }> {
  const tooDeep = offsetBelow(text, MAX_JSON_DEPTH + envelope)
  if (tooDeep !== -1) return { value: undefined, faults: [{ path: await pathAt(text, tooDeep), problem: TOO_DEEP }] }
  const value: unknown = JSON.parse(text)
  const suspicious = SUSPICIOUS.test(text) || hasDuplicateKey(text, value)
  return { value, faults: suspicious ? await faultsIn(text) : [] }
}

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
const BACKSLASH = 0x5c
const OPEN = [0x5b, 0x7b] as const
const CLOSE = [0x5d, 0x7d] as const

/** Where a text is nested deeper than `maxDepth` for the first time, or -1. */
function offsetBelow(text: string, maxDepth: number): number {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) {
      at++
      while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
    } else if (character === OPEN[0] || character === OPEN[1]) {
      if (++depth > maxDepth) return at
    } else if (character === CLOSE[0] || character === CLOSE[1]) depth--
  }
  return -1
}
