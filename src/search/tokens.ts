import { fold } from './fold.ts'

/** Words are known by so many characters of theirs. */
export const MAX_WORD = 64

/**
 * A word of a text, folded, and where it stands: UTF-16 code units.
 *
 * - `plain`: letters and digits.
 * - `whole`: words that are joined, such as an e-mail address, `3.14` or `o'brien`; it is followed by its `part`s.
 * - `pair`: two characters of a script that puts no spaces between words, or the last one of a run.
 */
export type TokenKind = 'plain' | 'whole' | 'part' | 'pair'

export type TakeToken = (word: string, kind: TokenKind, start: number, end: number) => void

/** Takes a word, folded, as UTF-16 code units: those from `from` and before `to`. They are only lent. */
export type TakeUnits = (units: Uint16Array, from: number, to: number) => void

/** The same for a word that ends before `end`, wherever it is cut. */
type TakePlace = (units: Uint16Array, from: number, to: number, kind: TokenKind, end: number) => void

/** What holds words together when it stands alone between them. */
const JOINT = `[-@._+'’]`
const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{N}\p{M}]*`
const JOINED = new RegExp(`${WORD}(?:${JOINT}${WORD})*`, 'gu')
const PART = new RegExp(WORD, 'gu')
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\uff70\uff9e\uff9f]`
const RUN = new RegExp(String.raw`(?:${UNSPACED}\p{M}*)+|(?:(?!${UNSPACED})[\p{L}\p{N}\p{M}])+`, 'gu')
const STARTS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u')
/** With its marks; a Hangul syllable may be in pieces, and a half-width kana has its marks beside it. */
const CHARACTER = /[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?\p{M}*|\P{M}[\p{M}\uff9e\uff9f]*|\p{M}+/gu
const ASCII = /^[\0-\x7f]*$/

/** What an ASCII character is, where it is neither part of a word nor a joint; and what it is when it is folded. */
const LETTER = 1
const BETWEEN = 2
const CLASSES = new Uint8Array(128)
const FOLDED = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  CLASSES[code] = /[A-Za-z0-9]/.test(character) ? LETTER : /[-@._+']/.test(character) ? BETWEEN : 0
  FOLDED[code] = character.toLowerCase().charCodeAt(0)
}

/** Takes a text apart into words, in order; parts follow the whole that they are of. */
export function eachToken(text: string, take: TakeToken): void {
  const folded = text.toLowerCase()
  const rest = eachAsciiToken(text, (_, start, to, kind, end) => take(folded.slice(start, to), kind, start, end))
  if (rest < text.length) eachUnicodeToken(text, rest, take)
}

/** The same for those who do not ask where words stand, and make no text of them. Words are cut as those of `eachToken` are. */
export function eachWord(text: string, take: TakeUnits): void {
  const rest = eachAsciiToken(text, take)
  if (rest < text.length) eachUnicodeToken(text, rest, (word) => take(unitsOf(word), 0, word.length))
}

/** Most texts are short, and need no array of their own: making one takes longer than filling it. */
const LENT = new Uint16Array(1 << 15)
const LENT_BYTES = Buffer.from(LENT.buffer)

/** The code units of a text, and what may follow; good until those of another are asked for. */
export function unitsOf(text: string): Uint16Array {
  if (text.length <= LENT.length) {
    LENT_BYTES.write(text, 'utf16le')
    return LENT
  }
  const units = new Uint16Array(text.length)
  Buffer.from(units.buffer).write(text, 'utf16le')
  return units
}

/** Takes the words before the first that is not ASCII, and returns where that one begins: behind the text when all of it is. */
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

/** Takes the words from a place on. */
function eachUnicodeToken(text: string, from: number, take: TakeToken): void {
  for (const match of text.slice(from).matchAll(JOINED)) {
    const joined = match[0]
    const index = from + match.index
    const parts = [...joined.matchAll(PART)].map((part) => ({ text: part[0], start: index + part.index }))
    const isWhole = parts.length > 1
    // In scripts without spaces a joint is punctuation, or nothing that anybody would look for.
    if (isWhole) take(cut(fold(joined).replaceAll('’', "'")), 'whole', index, index + joined.length)
    for (const part of parts) eachRun(part.text, part.start, isWhole ? 'part' : 'plain', take)
  }
}

function eachRun(text: string, offset: number, kind: 'plain' | 'part', take: TakeToken): void {
  if (ASCII.test(text)) {
    take(cut(text.toLowerCase()), kind, offset, offset + text.length)
    return
  }
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const start = offset + index
    if (STARTS_UNSPACED.test(run)) eachPair(run, start, take)
    else take(cut(fold(run)), kind, start, start + run.length)
  }
}

function eachPair(run: string, start: number, take: TakeToken): void {
  const characters = [...run.matchAll(CHARACTER)]
  for (const [position, { 0: first, index }] of characters.entries()) {
    const pair = first + (characters[position + 1]?.[0] ?? '')
    take(cut(fold(pair)), 'pair', start + index, start + index + pair.length)
  }
}

const cutEnd = (start: number, end: number): number => Math.min(end, start + MAX_WORD)

const cut = (word: string): string => (word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word)
