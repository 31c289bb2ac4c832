import { pipeline, Readable } from 'node:stream'
import { type CsvError, parse as parseCsv } from 'csv-parse'
import { withHeader } from './csv-delimiter.ts'

/** A cell; null if it is empty and not quoted. */
export type Cell = string | null

/** A row of a CSV file, the header included. */
export interface CsvRecord {
  readonly cells: readonly Cell[]
  /** Line where it begins, from 1. */
  readonly line: number
  /** The syntax error that ends the reading; then there are no cells. */
  readonly fault?: string
}

interface ParsedRecord {
  readonly record: readonly Cell[]
  readonly info: { readonly lines: number }
  readonly raw: string
}

/**
 * Reads the rows of RFC 4180, without empty lines.
 *
 * @param delimiterFor returns the delimiter of a file with this header
 */
export async function* readCsvRecords(
  text: AsyncIterable<string> | Iterable<string>,
  delimiterFor: (header: string) => string,
): AsyncGenerator<CsvRecord> {
  const { header, whole } = await withHeader(text)
  const parser = parseCsv({
    delimiter: delimiterFor(header),
    info: true,
    raw: true,
    skip_empty_lines: true,
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  })
  // Errors are thrown by the parser's iteration.
  pipeline(Readable.from(whole), parser, () => {})
  let countedTwice = 0
  try {
    for await (const { record, info, raw } of parser as AsyncIterable<ParsedRecord>) {
      // The parser reports the line where a row ends, and counts CRLF within quotes as two line breaks.
      const row = raw.trim()
      countedTwice += row.split('\r\n').length - 1
      yield { cells: record, line: info.lines - countedTwice - (row.split(/\r\n|\n|\r/).length - 1) }
    }
  } catch (error) {
    if (!isCsvError(error)) throw error
    yield { cells: [], line: Number(error.lines), fault: `Not valid CSV: ${error.message}` }
  }
}

const isCsvError = (error: unknown): error is CsvError => error instanceof Error && 'lines' in error && 'code' in error
