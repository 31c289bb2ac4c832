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
