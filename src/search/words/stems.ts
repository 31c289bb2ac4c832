import lunr from 'lunr'
import { isStopWord } from './stop-words.ts'

const LETTERS = /^[a-z]{3,}$/

/**
 * The stem of an English word by lunr's Porter stemmer (M. F. Porter, 1980). Other words are their own stem, and so are stop words:
 * `US` is no form of `used`, nor `his` one of `hi`.
 */
export function stemOf(word: string): string {
  return LETTERS.test(word) && !isStopWord(word) ? lunr.stemmer(new lunr.Token(word, {})).toString() : word
}

const A = 97
const Z = 122

/** True for a word of the letters a to z. Only such words are stop words or have a different stem. */
export function isOfLetters(units: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const unit = units[at] ?? 0
    if (unit < A || unit > Z) return false
  }
  return true
}
