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

/** What an ASCII character is: 0 between words, 1 of a word, 2 a joint. */
const CLASSES = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  CLASSES[code] = /[A-Za-z0-9]/.test(character) ? 1 : /[-@._+']/.test(character) ? 2 : 0
}

/** Takes a text apart into words, in order; parts follow the whole that they are of. */
export function eachToken(text: string, take: TakeToken): void {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 127) {
      eachUnicodeToken(text, take)
      return
    }
  }
  eachAsciiToken(text.toLowerCase(), take)
}

function eachAsciiToken(text: string, take: TakeToken): void {
  let at = 0
  while (at < text.length) {
    if (CLASSES[text.charCodeAt(at)] !== 1) {
      at++
      continue
    }
    const start = at
    let joints = 0
    while (at < text.length) {
      const kind = CLASSES[text.charCodeAt(at)]
      if (kind === 2 && CLASSES[text.charCodeAt(at + 1)] === 1) joints++
      else if (kind !== 1) break
      at++
    }
    if (joints === 0) take(cut(text.slice(start, at)), 'plain', start, at)
    else eachAsciiPart(text, start, at, take)
  }
}

function eachAsciiPart(text: string, start: number, end: number, take: TakeToken): void {
  take(cut(text.slice(start, end)), 'whole', start, end)
  let from = start
  for (let at = start; at <= end; at++) {
    if (at < end && CLASSES[text.charCodeAt(at)] === 1) continue
    take(cut(text.slice(from, at)), 'part', from, at)
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

const cut = (word: string): string => (word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word)
