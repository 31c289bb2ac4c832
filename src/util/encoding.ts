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
