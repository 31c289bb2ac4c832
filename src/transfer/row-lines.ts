import { DELIMITERS, type DelimiterName, type Format } from '../query/formats.ts'
import { delimiterOf } from './csv-delimiter.ts'
import { readCsvRecords } from './csv-records.ts'

/**
 * Finds the line where each row of a file begins, as `readRows` counts them: that of row 1 first. Lines count from 1. The list is empty for
 * JSON, whose records have no lines of their own.
 *
 * @param delimiter of CSV; when absent, the one that splits the header into the most names
 */
export async function rowLines(format: Format, bytes: Uint8Array, delimiter?: DelimiterName): Promise<readonly number[]> {
  if (format === 'json') return []
  const text = new TextDecoder().decode(bytes)
  if (format === 'ndjson') return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]))
  const lines: number[] = []
  const delimiterFor = (header: string) =>
    delimiter === undefined ? delimiterOf(header, namesIn(header)) : DELIMITERS[delimiter]
  let isHeader = true
  for await (const { line, fault } of readCsvRecords([text], delimiterFor)) {
    // A syntax error may come in the place of the header.
    if (!isHeader || fault !== undefined) lines.push(line)
    isHeader = false
  }
  return lines
}

/** What may be the names of a header whose delimiter is unknown. */
const namesIn = (header: string): ReadonlySet<string> =>
  new Set(header.split(/[,;\t]/).map((name) => name.trim().replace(/^"(.*)"$/, '$1')))
