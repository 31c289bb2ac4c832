import type { FileFormat } from '../../../client/client.ts'

/**
 * The lines where the rows of a file begin, from 1: that of row 1 first, as `admin import` names them. Records of JSON have no lines of their own.
 * A quote of CSV begins or ends a quoted cell wherever the server can read the file, so the delimiter need not be known.
 */
export function rowLines(format: FileFormat, content: Uint8Array): readonly number[] {
  if (format === 'json') return []
  const text = new TextDecoder().decode(content)
  if (format === 'ndjson') return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]))
  const lines: number[] = []
  let line = 1
  let row = { start: 0, line }
  let isQuoted = false
  for (const { 0: mark, index } of text.matchAll(/"|\r\n|\r|\n/g)) {
    if (mark === '"') isQuoted = !isQuoted
    else {
      line++
      if (isQuoted) continue
      // Empty lines are no rows.
      if (index > row.start) lines.push(row.line)
      row = { start: index + mark.length, line }
    }
  }
  if (row.start < text.length) lines.push(row.line)
  return lines.slice(1)
}
