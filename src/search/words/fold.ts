/** Letters that Unicode does not decompose into a base letter and a mark, and the final form of a Greek letter. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ς: 'σ' },
}
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')
const ASCII = /^[\0-\x7f]*$/
/** Accents, enclosing marks and variation selectors. */
const MARKS = /[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/**
 * Folds case, accents and compatibility forms (NFKD), which readers consider equal. Marks of other scripts stay, since they are
 * vowels there; decomposed syllables and kana are composed again.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const bare = text.normalize('NFKD').toLowerCase().replace(MARKS, '')
  return bare.replace(LETTER, (letter) => LETTERS[letter] ?? letter).normalize('NFC')
}
