/** Maximum length of a file name, in characters (code points). */
const MAX_LENGTH = 255

/** Maximum length of an ending that is kept where a name is cut, in characters. */
const MAX_ENDING = 20

/** Stands for a name of which nothing is left. */
const UNNAMED = 'file'

/** Control characters, line and paragraph separators, and characters that change the direction of the text around them. */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu

/**
 * Makes the name of a file that a client sent harmless: one path segment, what follows the last `/` or `\`, without control characters and
 * characters that change the direction of text, at most 255 characters, never empty. It is for people to read: no file is ever opened by it.
 */
export function cleanFileName(sent: string): string {
  // A lone surrogate becomes U+FFFD.
  const text = Buffer.from(sent).toString().replace(HIDDEN, '')
  const segment = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1).trim()
  return /^\.{0,2}$/.test(segment) ? UNNAMED : shortened(segment)
}

/** Cuts a name that is too long in front of its ending, such as `.jpeg`. */
function shortened(name: string): string {
  const characters = [...name]
  if (characters.length <= MAX_LENGTH) return name
  const dot = characters.lastIndexOf('.')
  const ending = dot > 0 && characters.length - dot <= MAX_ENDING ? characters.slice(dot) : []
  return [...characters.slice(0, MAX_LENGTH - ending.length), ...ending].join('')
}
