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
