/** Letters that Unicode does not take apart into a letter and a mark, and the form that a Greek letter has at the end of a word. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ς: 'σ' },
}
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')
const ASCII = /^[\0-\x7f]*$/
/** Accents, what goes around a character, and what chooses between pictures of one. */
const MARKS = /[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/**
 * Makes alike what a reader takes for the same: case, accents, and forms of a character that Unicode calls compatible (NFKD).
 * Marks of other scripts stay, since they are vowels there; syllables and kana that were taken apart are put together again.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const bare = text.normalize('NFKD').toLowerCase().replace(MARKS, '')
  return bare.replace(LETTER, (letter) => LETTERS[letter] ?? letter).normalize('NFC')
}
