/** What a terminal would obey, and what would turn the rest of its line around: each one code unit. */
export const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * A text from outside as one line that a terminal shows and does not obey: control characters (C0, DEL, C1) and bidirectional
 * overrides are written as JSON would escape them.
 */
export const printable = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Indented JSON that a terminal does not obey either; whoever parses it reads the same value. */
export const printableJson = (value: unknown): string =>
  (JSON.stringify(value, null, 2) ?? 'null').split('\n').map(printable).join('\n')
