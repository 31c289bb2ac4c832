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

/** What an ASCII character is: 0 between words, 1 of a word, 2 a joint; and what it is when it is folded. */
const CLASSES = new Uint8Array(128)
const FOLDED = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  CLASSES[code] = /[A-Za-z0-9]/.test(character) ? 1 : /[-@._+']/.test(character) ? 2 : 0
  FOLDED[code] = character.toLowerCase().charCodeAt(0)
}

/** Takes a text apart into words, in order; parts follow the whole that they are of. */
export function eachToken(text: string, take: TakeToken): void {
  // Whoever takes a word may ask for the units of another.
  const units = asciiUnitsOf(text)?.slice(0, text.length)
  if (units === undefined) eachUnicodeToken(text, take)
  else {
    const folded = text.toLowerCase()
    eachAsciiToken(units, text.length, (_, start, to, kind, end) => take(folded.slice(start, to), kind, start, end))
  }
}

/** The same for those who do not ask where words stand, and make no text of them. Words are cut as those of `eachToken` are. */
export function eachWord(text: string, take: TakeUnits): void {
  const units = asciiUnitsOf(text)
  if (units === undefined) eachUnicodeToken(text, (word) => take(unitsOf(word), 0, word.length))
  else eachAsciiToken(units, text.length, take)
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

/** The code units of a text, folded; undefined when not all of it is ASCII. */
function asciiUnitsOf(text: string): Uint16Array | undefined {
  const units = text.length <= LENT.length ? LENT : new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 127) return undefined
    units[at] = FOLDED[unit] ?? 0
  }
  return units
}

function eachAsciiToken(units: Uint16Array, length: number, take: TakePlace): void {
  let at = 0
  while (at < length) {
    if (CLASSES[units[at] ?? 0] !== 1) {
      at++
      continue
    }
    const start = at
    let joints = 0
    while (at < length) {
      const kind = CLASSES[units[at] ?? 0]
      if (kind === 2 && at + 1 < length && CLASSES[units[at + 1] ?? 0] === 1) joints++
      else if (kind !== 1) break
      at++
    }
    if (joints === 0) take(units, start, cutEnd(start, at), 'plain', at)
    else eachAsciiPart(units, start, at, take)
  }
}

function eachAsciiPart(units: Uint16Array, start: number, end: number, take: TakePlace): void {
  take(units, start, cutEnd(start, end), 'whole', end)
  let from = start
  for (let at = start; at <= end; at++) {
    if (at < end && CLASSES[units[at] ?? 0] === 1) continue
    take(units, from, cutEnd(from, at), 'part', at)
    from = at + 1
  }
}

function eachUnicodeToken(text: string, take: TakeToken): void {
  for (const { 0: joined, index } of text.matchAll(JOINED)) {
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
