/** Latin letters that Unicode does not take apart into a letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }

/**
 * Makes alike what a reader takes for the same: case, accents, and forms of a character that Unicode calls compatible (NFKD).
 * Marks of other scripts stay, since they are vowels there; syllables and kana that were taken apart are put together again.
 */
export function fold(text: string): string {
  const bare = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
  return bare.replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter] ?? letter).normalize('NFC')
}
