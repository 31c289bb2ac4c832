/** Encodings of text files, as the Encoding Standard names them. */
export const TEXT_ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1254',
  'macintosh',
  'shift_jis',
  'gb18030',
] as const

export type TextEncoding = (typeof TEXT_ENCODINGS)[number]

/**
 * Finds the encoding of a text file: by its byte order mark, by zero bytes, which only UTF-16 has, and by whether it is valid UTF-8. Otherwise it is
 * Windows-1252, as spreadsheets of western Europe save it.
 */
export function encodingOf(bytes: Uint8Array): TextEncoding {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first !== undefined && second !== undefined && (first === 0) !== (second === 0))
    return first === 0 ? 'utf-16be' : 'utf-16le'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** Decodes a text file, without its byte order mark. */
export const decoded = (bytes: Uint8Array, encoding: TextEncoding): string => new TextDecoder(encoding).decode(bytes)
