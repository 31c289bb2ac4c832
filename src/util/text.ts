/**
 * True for text that every store, file and language preserves: without NUL, which terminates strings elsewhere, and without
 * unpaired surrogates, which UTF-8 cannot encode (RFC 7493, section 2.1).
 */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The message for other text, after the field's name. */
export const NOT_PLAIN = 'must not contain NUL or half of a surrogate pair'

/** The text in lower case for comparisons that ignore case. The final form of the Greek sigma, ς, becomes σ. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Characters whose order by code units, in which JavaScript compares, may differ from that by code points. */
const FROM_SURROGATES = /[\ud800-\uffff]/

/** Compares two texts by code points, as UTF-8 and the collation `"C"` of PostgreSQL order them. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  if (!FROM_SURROGATES.test(a) || !FROM_SURROGATES.test(b)) return a < b ? -1 : 1
  let at = 0
  while (a.charCodeAt(at) === b.charCodeAt(at)) at++
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}

/** The least text that is greater than all texts with a beginning, by code points; undefined if there is none. */
export function endOfPrefix(beginning: string): string | undefined {
  const characters = [...beginning]
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0
    // There are no characters from U+D800 to U+DFFF.
    if (code < 0x10ffff) return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1)
  }
  return undefined
}

/** Control characters, line separators and bidirectional overrides; each is one UTF-16 code unit. */
export const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * Escapes untrusted text for a terminal, in one line: control characters (C0, DEL, C1) and bidirectional overrides become `\u001b` and
 * the like, as in JSON.
 */
export const printable = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Formats indented JSON that is safe for a terminal. It parses to the same value. */
export const printableJson = (value: unknown): string =>
  (JSON.stringify(value, null, 2) ?? 'null').split('\n').map(printable).join('\n')

/**
 * The fault of a text file that is not UTF-8, with the remedy; follows the name of the file in a message.
 *
 * @param start the first bytes of the file
 */
export const wrongEncoding = (start: Uint8Array = new Uint8Array()): string =>
  isUtf16(start) ? 'is in UTF-16; save it as UTF-8' : 'is not in UTF-8, but probably in Latin-1 (Windows-1252); save it as UTF-8'

/**
 * True for the first bytes of a text in UTF-16: a byte order mark or, without one, an ASCII character with a zero byte, which UTF-8 would decode
 * as two characters.
 */
export function isUtf16([first, second]: Uint8Array): boolean {
  if (first === undefined || second === undefined) return false
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  return (first === 0) !== (second === 0)
}
