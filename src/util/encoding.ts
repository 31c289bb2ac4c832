/**
 * The fault of a text file that is not UTF-8, with the remedy; follows the name of the file in a message.
 *
 * @param start the first bytes of the file
 */
export function wrongEncoding(start: Uint8Array = new Uint8Array()): string {
  const [first, second] = start
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isUtf16 ? 'is in UTF-16; save it as UTF-8' : 'is not in UTF-8, but probably in Latin-1 (Windows-1252); save it as UTF-8'
}
