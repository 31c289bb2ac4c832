import lunr from 'lunr'

const LETTERS = /^[a-z]{3,}$/

/** The stem of an English word by lunr's Porter stemmer (M. F. Porter, 1980); other words are their own stem. */
export function stemOf(word: string): string {
  return LETTERS.test(word) ? lunr.stemmer(new lunr.Token(word, {})).toString() : word
}

/** All stop words match this; most other words do not, and calling lunr takes longer. */
const SHORT = /^[a-z]{1,7}$/

/** True for words of lunr's stop word list, such as `the`. */
export function isStopWord(word: string): boolean {
  return SHORT.test(word) && lunr.stopWordFilter(new lunr.Token(word, {})) === undefined
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
