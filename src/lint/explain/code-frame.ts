import { withoutUrlPasswords } from '../../util/url-passwords.ts'
import type { Paint } from '../formats/format.ts'
import type { Span } from './example.ts'

/**
 * The lines around a span of a file, with the span underlined. Of a span over several lines, the part in its first line is underlined.
 * Passwords of URLs are masked.
 */
export function codeFrame(text: string, { line, column, end }: Span, paint: Paint): string {
  const lines = text.replaceAll('\t', ' ').split(/\r?\n/).map(withoutControls).map(masked)
  const first = Math.max(1, line - 1)
  const last = Math.min(lines.length, line + 1)
  const width = String(last).length
  const gutter = (number: string) => paint('dim', `${number.padStart(width)} |`)
  const shown: string[] = []
  for (let number = first; number <= last; number++) {
    const content = lines[number - 1] ?? ''
    if (number !== line && content.trim() === '') continue
    shown.push(`  ${gutter(String(number))} ${content}`.trimEnd())
    if (number !== line) continue
    const stop = end.line === line ? end.column : content.length + 1
    const marks = '^'.repeat(Math.max(1, Math.min(stop, content.length + 1) - column))
    shown.push(`  ${gutter('')} ${' '.repeat(column - 1)}${paint('red', marks)}`)
  }
  return shown.join('\n')
}

/** Of the same length, so that columns stay. */
const masked = (line: string): string => withoutUrlPasswords(line, (password) => '*'.repeat(password.length))

/** Replaces control characters, since a file may contain terminal escapes. */
export const withoutControls = (text: string): string => text.replaceAll(/\p{Cc}/gu, '\uFFFD')
