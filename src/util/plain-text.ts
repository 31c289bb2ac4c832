/**
 * True for text that every store, file and language preserves: without NUL, which terminates strings elsewhere, and without
 * unpaired surrogates, which UTF-8 cannot encode (RFC 7493, section 2.1).
 */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The message for other text, after the field's name. */
export const NOT_PLAIN = 'must not contain NUL or half of a surrogate pair'

/** The text in lower case for comparisons that ignore case. The final form of the Greek sigma, ς, becomes σ. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')
