import lunr from 'lunr'

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

/** The stop words of lunr: words so common that they say little beside others. */
export const STOP_WORDS: readonly string[] = [
  'a able about across after all almost also am among an and any are as at be because been but by can cannot could',
  'dear did do does either else ever every for from get got had has have he her hers him his how however i if in',
  'into is it its just least let like likely may me might most must my neither no nor not of off often on only or',
  'other our own rather said say says she should since so some than that the their them then there these they this',
  'tis to too twas us wants was we were what when where which while who whom why will with would yet you your',
].flatMap((line) => line.split(' '))

const KNOWN: ReadonlySet<string> = new Set(STOP_WORDS)

export const isStopWord = (word: string): boolean => KNOWN.has(word)

/** Minimum length of a beginning that stop words match. Shorter ones begin words such as `the`, which most texts have. */
const MIN_PREFIX = 3

/** True if stop words match a word of a query that may be their beginning. */
export const beginsStopWords = (prefix: string): boolean => prefix.length >= MIN_PREFIX
