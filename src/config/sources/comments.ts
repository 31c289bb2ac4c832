import { Lexer } from 'yaml'

/** The lines of a YAML text, from 1, that hold a comment. A `#` within a string does not begin a comment. */
export function commentLines(text: string): ReadonlySet<number> {
  const lines = new Set<number>()
  let line = 1
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('#') && !isScalar) lines.add(line)
    isScalar = token === SCALAR
    for (const character of token) if (character === '\n') line++
  }
  return lines
}

/** The token that the lexer emits before an unquoted scalar. */
const SCALAR = '\x1f'
