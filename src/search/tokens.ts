import { filesIn } from '../model/files.ts'
import type { JsonObject } from '../util/json.ts'

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

/** The beginning of a text. It keeps both halves of a character of two code units, or neither. */
function cut(text: string, length = MAX_WORD): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

/** Letters that Unicode does not decompose into a base letter and a mark, and the final form of a Greek letter. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ς: 'σ' },
}
const OF_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')
const ASCII = /^[\0-\x7f]*$/
/** Kana, unified ideographs and Hangul syllables, which the steps below leave as they are. */
const UNCHANGED = /^[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]*$/
/** Accents, enclosing marks and variation selectors. */
const ACCENTS = String.raw`\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\u{e0100}-\u{e01ef}`
/** Hebrew cantillation and vowel signs (niqqud). */
const NIQQUD = String.raw`\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7`
/** Arabic vowel signs (harakat), signs of the Quran, and the stroke that lengthens a word (tatweel). Hamza and madda are letters. */
const HARAKAT = String.raw`\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff`
/** Readers ignore these. White space is what NFKD puts between the words of a ligature such as U+FDFA. */
const IGNORED = new RegExp(String.raw`[${ACCENTS}${NIQQUD}${HARAKAT}\s]`, 'gu')

/**
 * Folds case, accents, vowel signs of Hebrew and Arabic, and compatibility forms (NFKD), which readers consider equal. Marks of other
 * scripts stay, since they are vowels there that every text has; decomposed syllables and kana are composed again.
 */
function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  if (UNCHANGED.test(text)) return text
  const bare = text.normalize('NFKD').toLowerCase().replace(IGNORED, '')
  return bare.replace(OF_LETTERS, (letter) => LETTERS[letter] ?? letter).normalize('NFC')
}

/** Soft hyphens, and characters of no width: ZWSP, ZWNJ, ZWJ, the word joiner and the byte order mark. */
const UNSEEN = /[\u00ad\u200b-\u200d\u2060\ufeff]+/g
const NON_JOINER = '\u200c'
const ENDS_WITH_LETTER = /[\p{L}\p{N}\p{M}]$/u
const STARTS_WITH_LETTER = /^[\p{L}\p{N}]/u

/** A text as readers see it, and where its characters stand in the whole text. */
interface SeenText {
  readonly text: string
  /** Position in the whole text. */
  placeOf(at: number): number
}

/**
 * Removes characters that readers do not see, since a word is the same with and without them. A ZWNJ between two letters stays: in Persian
 * it parts a word from its ending, and people write the same word joined, with a ZWNJ or with a space.
 */
function seenText(whole: string): SeenText {
  if (whole.search(UNSEEN) < 0) return { text: whole, placeOf: (at) => at }
  const places = new Int32Array(whole.length)
  let text = ''
  let from = 0
  const keep = (start: number, end: number) => {
    for (let at = start; at < end; at++) places[text.length + at - start] = at
    text += whole.slice(start, end)
  }
  for (const { 0: unseen, index } of whole.matchAll(UNSEEN)) {
    keep(from, index)
    from = index + unseen.length
    if (unseen.includes(NON_JOINER) && isBetweenLetters(whole, index, from))
      keep(index + unseen.indexOf(NON_JOINER), index + unseen.indexOf(NON_JOINER) + 1)
  }
  keep(from, whole.length)
  return { text, placeOf: (at) => places[at] ?? 0 }
}

/** True if a letter ends before `start`, and one begins at `end`. Either may have two code units. */
const isBetweenLetters = (text: string, start: number, end: number): boolean =>
  ENDS_WITH_LETTER.test(text.slice(Math.max(0, start - 2), start)) && STARTS_WITH_LETTER.test(text.slice(end, end + 2))

/** Number of characters of a text that are searched, in UTF-16 code units. */
export const MAX_SEARCHED = 100_000

/** The searched text of a field: the beginning of the text as stored; lists are joined by commas, files have their names. */
export function textOf(record: JsonObject, field: string): string {
  const value = record[field]
  if (typeof value === 'string') return searchedPart(value)
  if (typeof value !== 'object' || value === null) return ''
  const files = filesIn(value)
  if (files.length > 0) return searchedPart(files.map(({ name }) => name).join(', '))
  return Array.isArray(value) ? searchedPart(value.join(', ')) : ''
}

/** The beginning of a text that is searched. */
export const searchedPart = (text: string): string => cut(text, MAX_SEARCHED)
