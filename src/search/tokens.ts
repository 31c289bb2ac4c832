import { fold, seenText } from './fold.ts'

/** Maximum length of a word, in characters; the rest is ignored. */
export const MAX_WORD = 64

/**
 * A word of a text, folded, with its position in UTF-16 code units.
 *
 * - `plain`: letters and digits.
 * - `whole`: a compound, such as an e-mail address, `3.14` or `o'brien`; its `part`s follow.
 * - `pair`: two characters of a script without spaces between words, or the last one of a run.
 */
export type TokenKind = 'plain' | 'whole' | 'part' | 'pair'

export type TakeToken = (word: string, kind: TokenKind, start: number, end: number) => void

/** Receives a folded word as UTF-16 code units from `from` up to but not including `to`. The array is reused. */
export type TakeUnits = (units: Uint16Array, from: number, to: number) => void

/** The same with the position where the word ends in the text. */
type TakePlace = (units: Uint16Array, from: number, to: number, kind: TokenKind, end: number) => void

/** Characters that join words when they stand alone between them: the last is ZWNJ. */
const JOINT = `[-@._+'’\\u200c]`
const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{N}\p{M}]*`
const JOINED = new RegExp(`${WORD}(?:${JOINT}${WORD})*`, 'gu')
const PART = new RegExp(WORD, 'gu')
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\uff70\uff9e\uff9f]`
const RUN = new RegExp(String.raw`(?:${UNSPACED}\p{M}*)+|(?:(?!${UNSPACED})[\p{L}\p{N}\p{M}])+`, 'gu')
const STARTS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u')
/** A character with its marks; a Hangul syllable may be decomposed, and half-width kana have separate marks. */
const CHARACTER = /[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?\p{M}*|\P{M}[\p{M}\uff9e\uff9f]*|\p{M}+/gu
/** A word of Latin, Greek or Cyrillic letters and digits, without parts. */
const SIMPLE = /^[0-9A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u052f]+$/

/** Classes of ASCII characters that are neither part of a word nor a joint, and their folded form. */
const LETTER = 1
const BETWEEN = 2
const CLASSES = new Uint8Array(128)
const FOLDED = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  CLASSES[code] = /[A-Za-z0-9]/.test(character) ? LETTER : /[-@._+']/.test(character) ? BETWEEN : 0
  FOLDED[code] = character.toLowerCase().charCodeAt(0)
}

/** Number of words between two steps: about half a millisecond. */
const WORDS_A_STEP = 512

/** Splits a text into words, in order; parts follow their compound. */
export function eachToken(text: string, take: TakeToken): void {
  for (const _ of tokenSteps(text, take));
}

/** The same in steps of at most a few milliseconds. */
export function* tokenSteps(text: string, take: TakeToken): Generator<void, void> {
  const folded = text.toLowerCase()
  const rest = eachAsciiToken(text, (_, start, to, kind, end) => take(folded.slice(start, to), kind, start, end))
  if (rest < text.length) yield* unicodeSteps(text, rest, take)
}

/** Splits a text into words like `eachToken`, without positions and without creating strings. */
export function eachWord(text: string, take: TakeUnits): void {
  const rest = eachAsciiToken(text, take)
  if (rest < text.length) for (const _ of unicodeSteps(text, rest, (word) => take(unitsOf(word), 0, word.length)));
}

/** The same in steps of at most a few milliseconds. */
export function* wordSteps(text: string, take: TakeUnits): Generator<void, void> {
  const rest = eachAsciiToken(text, take)
  if (rest < text.length) yield* unicodeSteps(text, rest, (word) => take(unitsOf(word), 0, word.length))
}

/** A reused buffer, since most texts are short and allocation takes longer than filling. */
const LENT = new Uint16Array(1 << 15)
const LENT_BYTES = Buffer.from(LENT.buffer)

/** The code units of a text, followed by arbitrary ones; valid until the next call. */
export function unitsOf(text: string): Uint16Array {
  if (text.length <= LENT.length) {
    LENT_BYTES.write(text, 'utf16le')
    return LENT
  }
  const units = new Uint16Array(text.length)
  Buffer.from(units.buffer).write(text, 'utf16le')
  return units
}

/** Processes the words before the first non-ASCII one and returns where that begins, or the length of the text. */
function eachAsciiToken(text: string, take: TakePlace): number {
  const { length } = text
  const units = length < LENT.length ? LENT : new Uint16Array(length + 1)
  let start = -1
  let joints = 0
  let before = 0
  for (let at = 0; at <= length; at++) {
    const unit = at < length ? text.charCodeAt(at) : 0
    if (unit > 127) return start < 0 ? at : start
    units[at] = FOLDED[unit] ?? 0
    const kind = CLASSES[unit] ?? 0
    if (kind === LETTER) {
      if (start < 0) start = at
      else if (before === BETWEEN) joints++
    } else if (start >= 0 && (kind === 0 || before === BETWEEN)) {
      const end = before === BETWEEN ? at - 1 : at
      take(units, start, cutEnd(start, end), joints === 0 ? 'plain' : 'whole', end)
      if (joints > 0) eachAsciiPart(text, units, start, end, take)
      start = -1
      joints = 0
    }
    before = kind
  }
  return length
}

function eachAsciiPart(text: string, units: Uint16Array, start: number, end: number, take: TakePlace): void {
  let from = start
  for (let at = start; at <= end; at++) {
    if (at < end && CLASSES[text.charCodeAt(at)] === LETTER) continue
    take(units, from, cutEnd(from, at), 'part', at)
    from = at + 1
  }
}

/** Processes the words from a position on, in steps. */
function* unicodeSteps(whole: string, from: number, take: TakeToken): Generator<void, void> {
  const { text, placeOf } = seenText(whole.slice(from))
  const takeSeen: TakeToken = (word, kind, start, end) => take(word, kind, from + placeOf(start), from + placeOf(end - 1) + 1)
  let words = 0
  for (const { 0: joined, index } of text.matchAll(JOINED)) {
    if (SIMPLE.test(joined)) {
      takeSeen(cut(fold(joined)), 'plain', index, index + joined.length)
      if (++words % WORDS_A_STEP === 0) yield
      continue
    }
    for (const { run, start, kind } of runsOf(joined, index, takeSeen)) {
      if (kind === 'pair') {
        for (const [pair, at] of pairsOf(run)) {
          takeSeen(cut(fold(pair)), 'pair', start + at, start + at + pair.length)
          if (++words % WORDS_A_STEP === 0) yield
        }
      } else {
        takeSeen(cut(fold(run)), kind, start, start + run.length)
        if (++words % WORDS_A_STEP === 0) yield
      }
    }
  }
}

/** A run of characters that are words by pairs, or one word. */
interface Run {
  readonly run: string
  readonly start: number
  readonly kind: Exclude<TokenKind, 'whole'>
}

/** The runs of a word and of its parts. A word of several parts is passed to `take` first. */
function* runsOf(joined: string, index: number, take: TakeToken): Generator<Run, void> {
  const parts = [...joined.matchAll(PART)]
  const isWhole = parts.length > 1
  // In scripts without spaces a joint is punctuation.
  if (isWhole) take(cut(fold(joined).replaceAll('’', "'").replaceAll('\u200c', '')), 'whole', index, index + joined.length)
  const kind = isWhole ? 'part' : 'plain'
  for (const { 0: part, index: offset } of parts) {
    for (const { 0: run, index: at } of part.matchAll(RUN))
      yield { run, start: index + offset + at, kind: STARTS_UNSPACED.test(run) ? 'pair' : kind }
  }
}

/** The pairs of characters of a run, and the last character, with their positions. */
function* pairsOf(run: string): Generator<readonly [pair: string, at: number], void> {
  let last: RegExpExecArray | undefined
  for (const character of run.matchAll(CHARACTER)) {
    if (last !== undefined) yield [last[0] + character[0], last.index]
    last = character
  }
  if (last !== undefined) yield [last[0], last.index]
}

const cutEnd = (start: number, end: number): number => Math.min(end, start + MAX_WORD)

/** Keeps both halves of a character of two code units, or neither. */
function cut(word: string): string {
  if (word.length <= MAX_WORD) return word
  const last = word.charCodeAt(MAX_WORD - 1)
  return word.slice(0, last >= 0xd800 && last < 0xdc00 ? MAX_WORD - 1 : MAX_WORD)
}
