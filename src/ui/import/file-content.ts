import type { FileFormat } from '../../client/client.ts'
import { sheetOfRecords } from '../../client/sheet.ts'
import { LoadFailure } from '../load-failure.ts'
import { delimiterCharacter, foundDelimiter, readCsv } from './csv-text.ts'
import { type FileKind, linesOfRecords } from './import-options.ts'
import { decoded, encodingOf, type TextEncoding } from './text-encodings.ts'

/** A file or pasted cells, as they were when they were chosen: what is imported is what was checked, even if the file has changed since. */
export interface ImportSource {
  /** Differs from that of every other source. */
  readonly id: number
  /** Name of the file; undefined for pasted cells. */
  readonly name: string | undefined
  readonly content: Blob
}

/** How a source is read. What is undefined is found in it. */
export interface ReadingChoices {
  readonly kind: FileKind
  /** A name of a delimiter, or a character. */
  readonly delimiter: string | undefined
  readonly encoding: TextEncoding | undefined
  readonly sheet: string | undefined
}

/** A source as it is sent to the server. */
export interface ImportContent {
  readonly format: FileFormat
  readonly delimiter: 'comma' | 'semicolon' | 'tab' | undefined
  readonly body: Blob
  /** The line where each record begins, from 1, in the file; empty for JSON. */
  readonly lines: readonly number[]
  /** The columns; undefined for JSON and NDJSON, whose members are fields. */
  readonly table: ImportTable | undefined
  /** What was found in the source. */
  readonly found: {
    readonly delimiter?: string
    readonly encoding?: TextEncoding
    readonly sheets?: readonly string[]
    readonly sheet?: string
  }
}

/** The columns of a source. */
export interface ImportTable {
  readonly headers: readonly string[]
  /** The names of the columns in the body. */
  readonly keys: readonly string[]
  /** The first rows with their head, for a preview. */
  readonly first: Blob
}

/** The file is no workbook, or is damaged. */
export class NoWorkbook extends Error {}

/** Number of rows that a preview is made from: as many as the server guesses from. */
const FIRST_ROWS = 1000

const turn = () => new Promise<void>((resolve) => setTimeout(resolve))

/**
 * Reads a source.
 *
 * @param isKnown true for the name or the label of a field
 * @returns undefined for a source without a row
 * @throws {NoWorkbook}
 * @throws {LoadFailure} if the code that reads workbooks cannot be loaded
 */
export async function readSource(
  { content, name }: ImportSource,
  { kind, delimiter, encoding, sheet }: ReadingChoices,
  isKnown: (name: string) => boolean,
): Promise<ImportContent | undefined> {
  if (kind === 'xlsx') return readWorkbook(content, sheet)
  const bytes = new Uint8Array(await content.arrayBuffer())
  if (kind !== 'csv') {
    return { format: kind, delimiter: undefined, body: content, lines: linesOfRecords(kind, bytes), table: undefined, found: {} }
  }
  const read = encoding ?? encodingOf(bytes)
  const text = decoded(bytes, read)
  const isPasted = name === undefined
  // Spreadsheets put tabs between cells that are copied.
  const found = delimiter ?? (isPasted && text.includes('\t') ? 'tab' : foundDelimiter(text, isKnown))
  const csv = await readCsv(text, { delimiter: delimiterCharacter(found), isPasted, firstRows: FIRST_ROWS, turn })
  if (csv === undefined) return undefined
  const { headers, pieces, first, lines } = csv
  return {
    ...{ format: 'csv', delimiter: csv.delimiter, body: new Blob([...pieces]), lines },
    table: { headers, keys: headers, first: new Blob([first]) },
    found: { delimiter: found, encoding: read },
  }
}

async function readWorkbook(file: Blob, wanted: string | undefined): Promise<ImportContent | undefined> {
  const { readSheets } = await import('./workbook.ts').catch((error: unknown) => {
    throw new LoadFailure(error)
  })
  const sheets = await readSheets({ file, firstRows: FIRST_ROWS })
  if (sheets === undefined) throw new NoWorkbook('The file is no XLSX workbook')
  const sheet = sheets.find(({ name }) => name === wanted) ?? sheetOfRecords(sheets)
  if (sheet === undefined) return undefined
  const { headers, keys, lines, first, content, name } = sheet
  return {
    ...{ format: 'ndjson', delimiter: undefined, body: new Blob([content]), lines },
    table: { headers, keys, first: new Blob([first]) },
    found: { sheets: sheets.map((each) => each.name), sheet: name },
  }
}
