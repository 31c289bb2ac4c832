import { setImmediate } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { type Field, isRelation } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { DELIMITERS, type DelimiterName, type Format } from '../query/formats.ts'
import { isObject } from '../util/json.ts'
import { type JsonFault, parseStrictJson, SENT_LIMITS } from '../util/strict-json.ts'
import { isUtf16, wrongEncoding } from '../util/text.ts'
import { generatedTitle } from '../views/generate.ts'
import { readCell } from './cells.ts'
import { type CsvCell, delimiterOf, MAX_CELLS, readCsvRecords, rowTooLong } from './csv-records.ts'
import { JsonItems, malformedFile } from './json-items.ts'
import type { MappedColumn } from './mapping.ts'
import type { RelatedTexts } from './related-values.ts'

/** A record of a file, before validation. */
export interface FileRow {
  readonly data: Readonly<Record<string, unknown>>
  /** Line where it begins, from 1, in line-based formats. */
  readonly line?: number
  /** Syntax errors of the row; `field` if they concern one field. */
  readonly problems: readonly { readonly field?: string; readonly message: string }[]
  /** Texts that name related records, by field; the values are looked up later. */
  readonly related?: readonly RelatedTexts[]
}

/** The bytes or the text of a file, from its beginning. */
export type FileContent = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

/** Number of bytes that are read before other work gets a turn. */
const SLICE = 65_536

/** Options of reading. */
interface RowOptions {
  /** Maximum size of a record: the setting `max_record_bytes`. */
  readonly maxRecordBytes: number
  /** Delimiter of a CSV file; found in its header when absent. */
  readonly delimiter?: DelimiterName | undefined
  /** Decides what columns mean and how cells are read. Without it, cells are as an export writes them. */
  readonly columns?: ColumnReader | undefined
}

/** Decides what the columns of a file mean. */
export interface ColumnReader {
  /** @returns null for a column that is left out */
  column(header: string): MappedColumn | null
}

/** A row may have four characters for each byte of the largest record, since a file may have escapes and spaces where a record has none. */
const ROW_OF_BYTES = 4
/** A row may have this many characters at least, so that a header has room. */
const LEAST_MAX_ROW = 65_536

const maxRowOf = (maxRecordBytes: number): number => Math.max(LEAST_MAX_ROW, ROW_OF_BYTES * maxRecordBytes)

/** Maximum number of fields of a record in JSON, as of columns in CSV. */
const MAX_FIELDS = MAX_CELLS

/** Maximum number of items of a list in a cell. */
const MAX_ITEMS = 100_000

/**
 * Iterates the rows of a file, which is read in slices, with turns of the event loop between them. Errors of a row are returned with it; an
 * unreadable file throws. A row of CSV whose cells do not match the header is the last one, as is any row that is too long.
 *
 * @throws {AppError} INVALID_REQUEST, MALFORMED_JSON
 */
export function readRows(
  format: Format,
  content: FileContent,
  model: Model,
  { maxRecordBytes, delimiter, columns }: RowOptions,
): AsyncIterable<FileRow> {
  const maxRow = maxRowOf(maxRecordBytes)
  const text = decodeUtf8(content)
  if (format === 'csv') return readCsv(text, model, { maxRow, delimiter, columns })
  const rows = format === 'json' ? readJson(text, maxRow) : readNdjson(text, maxRow)
  return columns === undefined ? rows : mappedRows(rows, columns)
}

/** Reads the values of JSON as cells. */
async function* mappedRows(rows: AsyncIterable<FileRow>, columns: ColumnReader): AsyncGenerator<FileRow> {
  const known = new Map<string, MappedColumn | null>()
  for await (const row of rows) {
    const cells: { column: MappedColumn; value: unknown }[] = []
    const problems = [...row.problems]
    for (const [header, given] of Object.entries(row.data)) {
      const column = known.get(header) ?? (known.has(header) ? null : columns.column(header))
      if (known.size < MAX_FIELDS) known.set(header, column)
      if (column === null) continue
      const { name, field } = column
      const isJson = typeof given === 'string' && field !== undefined && isJsonCell(field, given)
      const { value, faults } = isJson ? await jsonIn(given) : { value: given, faults: [] }
      for (const problem of faults) problems.push({ field: name, message: `${name} ${problem}` })
      cells.push({ column, value })
    }
    const names = cells.map(({ column }) => column.name)
    const twin = names.find((name, index) => names.indexOf(name) !== index)
    if (twin !== undefined)
      yield { ...row, data: {}, problems: [{ field: twin, message: `Two columns are the field '${twin}'` }] }
    else yield readCells(cells, { ...row, problems })
  }
}

/** The row of some cells. */
function readCells(cells: readonly { column: MappedColumn; value: unknown }[], row: FileRow): FileRow {
  const problems = [...row.problems]
  const related: RelatedTexts[] = []
  const entries = cells.map(({ column: { name, field, read }, value }) => {
    const reading = read(value)
    if ('problem' in reading) problems.push({ field: name, message: reading.problem })
    else if ('value' in reading) return [name, reading.value]
    else if (field !== undefined && isRelation(field)) related.push({ field, by: reading.by, texts: reading.related })
    return [name, null]
  })
  return { ...row, data: Object.fromEntries(entries), problems, related }
}

/**
 * Decodes a file in slices. Rejects UTF-16 and Latin-1 rather than importing wrong characters. Strips a byte order mark.
 *
 * @throws {AppError} INVALID_REQUEST
 */
export async function* decodeUtf8(content: FileContent): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let first: Uint8Array | undefined
  let turn = 0
  try {
    for await (const bytes of slicesOf(content)) {
      first ??= bytes.subarray(0, 2)
      if (isUtf16(first)) break
      yield decoder.decode(bytes, { stream: true })
      turn += bytes.length
      if (turn < SLICE) continue
      turn = 0
      await setImmediate()
    }
    if (first === undefined || !isUtf16(first)) return yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new AppError('INVALID_REQUEST', `The file ${wrongEncoding(first)}`, { cause: error })
  }
  throw new AppError('INVALID_REQUEST', `The file ${wrongEncoding(first)}`)
}

async function* slicesOf(content: FileContent): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const chunk of content) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE)
  }
}

/**
 * Reads RFC 4180: the first row names the columns.
 *
 * @param options the delimiter is found in the header when absent
 */
async function* readCsv(
  text: AsyncIterable<string>,
  model: Model,
  { maxRow, delimiter, columns: reader }: Pick<RowOptions, 'delimiter' | 'columns'> & { readonly maxRow: number },
): AsyncGenerator<FileRow> {
  const labels = labelsOf(model)
  const isKnown = (name: string) =>
    reader === undefined ? model.fields.has(name) || labels.has(name) : reader.column(name)?.field !== undefined
  const delimiterFor = (header: string) => (delimiter === undefined ? delimiterOf(header, isKnown) : DELIMITERS[delimiter])
  let columns: readonly (Column | MappedColumn | null)[] | undefined
  for await (const { cells, line, fault } of readCsvRecords(text, delimiterFor, maxRow)) {
    if (fault !== undefined) yield { data: {}, line, problems: [{ message: fault }] }
    else if (columns === undefined)
      columns = columnsOf(cells, (text) => (reader === undefined ? plainColumn(text, model, labels) : reader.column(text)))
    else if (cells.length === columns.length) yield await csvRow(columns, cells, line)
    else {
      // The other rows of a file that is cut up wrongly would have the same fault.
      yield { data: {}, line, problems: [{ message: wrongCells(cells.length, columns.length) }] }
      return
    }
  }
}

function wrongCells(cells: number, columns: number): string {
  const found = cells > MAX_CELLS ? `more than ${MAX_CELLS}` : String(cells)
  return `The row has ${found} cells where the header has ${columns} columns`
}

async function csvRow(
  columns: readonly (Column | MappedColumn | null)[],
  cells: readonly CsvCell[],
  line: number,
): Promise<FileRow> {
  const problems: { field: string; message: string }[] = []
  const entries: [string, unknown][] = []
  const mapped: { column: MappedColumn; value: unknown }[] = []
  for (const [index, column] of columns.entries()) {
    if (column === null) continue
    const { name, field } = column
    const cell = cells[index] ?? null
    if (field?.type.list === true && cell !== null && hasManyItems(cell)) {
      problems.push({ field: name, message: `${name} must not have more than ${MAX_ITEMS} items` })
      continue
    }
    if (field !== undefined && cell !== null && isJsonCell(field, cell)) {
      const { value, faults } = await jsonIn(cell)
      for (const problem of faults) problems.push({ field: name, message: `${name} ${problem}` })
      entries.push([name, value])
    } else if ('read' in column) mapped.push({ column, value: cell })
    else entries.push([name, readCell(field, cell)])
  }
  const row = { data: {}, line, problems }
  const read = mapped.length === 0 ? row : readCells(mapped, row)
  return { ...read, data: { ...Object.fromEntries(entries), ...read.data } }
}

/** JSON; of a file field, one or several objects, or ids within brackets. */
const isJsonCell = ({ type, file }: Field, cell: string): boolean =>
  type.name === 'json' || (file !== undefined && /^\s*[[{]/.test(cell))

function hasManyItems(cell: string): boolean {
  let items = 1
  for (let at = cell.indexOf(';'); at !== -1 && items <= MAX_ITEMS; at = cell.indexOf(';', at + 1)) items++
  return items > MAX_ITEMS
}

/** The value of a cell with JSON; with faults, the text itself. */
async function jsonIn(cell: string): Promise<{ value: unknown; faults: readonly string[] }> {
  try {
    const { value, faults } = await parseStrictJson(cell, 0, SENT_LIMITS)
    return faults.length === 0 ? { value, faults: [] } : { value: cell, faults: faults.map(({ problem }) => problem) }
  } catch {
    return { value: cell, faults: ['must be valid JSON, with strings in double quotes'] }
  }
}

async function* readJson(text: AsyncIterable<string>, maxRow: number): AsyncGenerator<FileRow> {
  const items = new JsonItems(maxRow)
  for await (const piece of text) {
    for (const item of items.read(piece)) {
      if (item.length > maxRow) yield { data: {}, problems: [{ message: rowTooLong(maxRow) }] }
      else yield await jsonRow(item, malformedFile)
    }
    if (items.isOver) return
  }
  items.end()
}

async function* readNdjson(text: AsyncIterable<string>, maxRow: number): AsyncGenerator<FileRow> {
  let line = 0
  for await (const lines of linesOf(text, maxRow)) {
    for (const each of lines) {
      line++
      if (each.length > maxRow) return yield { data: {}, line, problems: [{ message: rowTooLong(maxRow) }] }
      if (each.trim() !== '') yield { ...(await jsonRow(each)), line }
    }
  }
}

/**
 * Reads the JSON text of a record.
 *
 * @param malformed makes the error of a text that is not JSON; without it, the row has the problem
 */
async function jsonRow(text: string, malformed?: (reason: string) => AppError): Promise<FileRow> {
  try {
    const { value, faults } = await parseStrictJson(text, 1, SENT_LIMITS)
    const problems = faults.length === 0 ? NO_PROBLEMS : faults.map(problemOf)
    if (!isObject(value)) return { data: {}, problems: value === undefined ? problems : [NO_OBJECT] }
    const count = Object.keys(value).length
    return count > MAX_FIELDS
      ? { data: {}, problems: [{ message: `The record has ${count} fields; ${TOO_MANY}` }] }
      : { data: value, problems }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (malformed !== undefined) throw malformed(reason)
    return { data: {}, problems: [{ message: `Not valid JSON: ${reason}` }] }
  }
}

const NO_PROBLEMS: FileRow['problems'] = []
const NO_OBJECT = { message: 'A record must be an object' }
const TOO_MANY = `at most ${MAX_FIELDS} are read`

/** The lines of a text, in batches. A line that is too long is returned before it is complete. */
async function* linesOf(text: AsyncIterable<string>, maxRow: number): AsyncGenerator<readonly string[]> {
  let rest = ''
  for await (const chunk of text) {
    const [first = '', ...others] = chunk.split('\n')
    rest += first
    if (others.length === 0 && rest.length <= maxRow) continue
    const lines = [rest, ...others]
    rest = others.length === 0 ? '' : (lines.pop() ?? '')
    yield lines
  }
  if (rest !== '') yield [rest]
}

function problemOf({ path: [field], problem }: JsonFault): { field?: string; message: string } {
  return field === undefined ? { message: `The record ${problem}` } : { field: String(field), message: `${field} ${problem}` }
}

/** A column of a CSV file. */
interface Column {
  /** Name of the field, or the text of the header if there is no such field. */
  readonly name: string
  readonly field: Field | undefined
}

/** The labels of a model's fields, for headers that people write. A label that two fields share names neither. */
function labelsOf(model: Model): ReadonlyMap<string, Field> {
  const labels = new Map<string, Field>()
  const shared = new Set<string>()
  for (const field of model.fields.values()) {
    const label = field.label ?? generatedTitle(field.name)
    if (labels.has(label)) shared.add(label)
    labels.set(label, field)
  }
  for (const label of shared) labels.delete(label)
  return labels
}

/**
 * The columns that a header names; null for those that are left out.
 *
 * @throws {AppError} INVALID_REQUEST for too many columns, and for two of the same field
 */
function columnsOf<C extends Column>(cells: readonly CsvCell[], columnOf: (text: string) => C | null): readonly (C | null)[] {
  if (cells.length > MAX_CELLS) throw new AppError('INVALID_REQUEST', `A CSV file must not have more than ${MAX_CELLS} columns`)
  const texts = new Map<string, string>()
  return cells.map((cell) => {
    const text = cell ?? ''
    const column = columnOf(text)
    if (column === null) return null
    const { name } = column
    const former = texts.get(name)
    if (former !== undefined) throw new AppError('INVALID_REQUEST', twice(former, text, name))
    texts.set(name, text)
    return column
  })
}

/** A column that is named by the name or the label of a field. */
function plainColumn(text: string, model: Model, labels: ReadonlyMap<string, Field>): Column {
  const field = model.fields.get(text) ?? labels.get(text.trim())
  return { name: field?.name ?? text, field }
}

const twice = (one: string, other: string, name: string): string =>
  one === other ? `The column '${one}' occurs twice` : `The columns '${one}' and '${other}' both are the field '${name}'`

/**
 * Finds the line where each row of a file begins, as `readRows` counts them: row 1 first. Lines count from 1. The list is empty for
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
