import lunr from 'lunr'

const LETTERS = /^[a-z]{3,}$/

/** The stem of an English word, by lunr's Porter stemmer (M. F. Porter, 1980); anything else is its own. */
export function stemOf(word: string): string {
  return LETTERS.test(word) ? lunr.stemmer(new lunr.Token(word, {})).toString() : word
}

/** All stop words are like this; most other words are not, and asking lunr takes longer. */
const SHORT = /^[a-z]{1,7}$/

/** True for words that say nothing by themselves, such as `the`: lunr's list. */
export function isStopWord(word: string): boolean {
  return SHORT.test(word) && lunr.stopWordFilter(new lunr.Token(word, {})) === undefined
}

const A = 97
const Z = 122

/** True for a word of the letters a to z, as all words with a stem of another form and all stop words are. */
export function isOfLetters(units: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const unit = units[at] ?? 0
    if (unit < A || unit > Z) return false
  }
  return true
}
