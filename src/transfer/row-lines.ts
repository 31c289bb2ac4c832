import { DELIMITERS, type DelimiterName, type Format } from '../query/formats.ts'
import { delimiterOf } from './csv-delimiter.ts'
import { readCsvRecords } from './csv-records.ts'
import { decodeUtf8 } from './row-reader.ts'

/**
 * Finds the line where each row of a file begins, as `readRows` counts them: that of row 1 first. Lines count from 1. The list is empty for
 * JSON, whose records have no lines of their own.
 *
 * @param delimiter of CSV; when absent, the one that splits the header into the most names
 * @throws {AppError} INVALID_REQUEST for bytes that are not UTF-8
 */
export async function rowLines(format: Format, bytes: Uint8Array, delimiter?: DelimiterName): Promise<readonly number[]> {
  if (format === 'json') return []
  const text = decodeUtf8([bytes])
  const lines: number[] = []
  if (format === 'ndjson') {
    let whole = ''
    for await (const piece of text) whole += piece
    return whole.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]))
  }
  // The names of the fields are not known here.
  const delimiterFor = (header: string) => (delimiter === undefined ? delimiterOf(header, () => false) : DELIMITERS[delimiter])
  let isHeader = true
  for await (const { line, fault } of readCsvRecords(text, delimiterFor, Number.POSITIVE_INFINITY)) {
    // A syntax error may come in the place of the header.
    if (!isHeader || fault !== undefined) lines.push(line)
    isHeader = false
  }
  return lines
}
