/**
 * True for text that every store, file and language keeps as it is: without NUL, which ends text elsewhere, and without half of
 * a surrogate pair, which UTF-8 cannot say (RFC 7493, section 2.1).
 */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** What to say of other text, to be put behind a name. */
export const NOT_PLAIN = 'must not hold NUL or half of a surrogate pair'
