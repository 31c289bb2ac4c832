import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { DELIMITERS, type DelimiterName, type Format } from '../query/formats.ts'
import { wrongEncoding } from '../util/encoding.ts'
import { isObject } from '../util/json.ts'
import { type JsonFault, parseStrictJson, type StrictJson } from '../util/strict-json.ts'
import { readCell } from './cells.ts'
import { delimiterOf } from './csv-delimiter.ts'
import { type Cell, readCsvRecords } from './csv-records.ts'

/** A record of a file, before validation. */
export interface Row {
  readonly data: Readonly<Record<string, unknown>>
  /** Line where it begins, from 1, in line-based formats. */
  readonly line?: number
  /** Syntax errors of the row; `field` if they concern one field. */
  readonly problems: readonly { readonly field?: string; readonly message: string }[]
}

/** The bytes or the text of a file, from its beginning. */
export type Content = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

/**
 * Iterates the rows of a file. Errors of a row are returned with it; an unreadable file throws.
 *
 * @throws {AppError} INVALID_REQUEST, MALFORMED_JSON
 */
export function readRows(format: Format, content: Content, model: Model, delimiter?: DelimiterName): AsyncIterable<Row> {
  const text = decodeUtf8(content)
  if (format === 'csv') return readCsv(text, model, delimiter)
  return format === 'json' ? readJson(text) : readNdjson(text)
}

/** Rejects UTF-16 and Latin-1 rather than importing wrong characters. Strips a byte order mark. @throws {AppError} INVALID_REQUEST */
async function* decodeUtf8(content: Content): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const encoder = new TextEncoder()
  let first: Uint8Array | undefined
  try {
    for await (const chunk of content) {
      const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
      first ??= bytes.subarray(0, 2)
      yield decoder.decode(bytes, { stream: true })
    }
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new AppError('INVALID_REQUEST', `The file ${wrongEncoding(first)}`, { cause: error })
  }
}

/**
 * Reads RFC 4180: the first row names the columns.
 *
 * @param delimiter found in the header when absent
 */
export async function* readCsv(
  text: AsyncIterable<string> | Iterable<string>,
  model: Model,
  delimiter?: DelimiterName,
): AsyncGenerator<Row> {
  const delimiterFor = (header: string) =>
    delimiter === undefined ? delimiterOf(header, new Set(model.fields.keys())) : DELIMITERS[delimiter]
  let names: readonly string[] | undefined
  for await (const { cells, line, fault } of readCsvRecords(text, delimiterFor)) {
    if (fault !== undefined) yield { data: {}, line, problems: [{ message: fault }] }
    else if (names === undefined) names = header(cells)
    else yield await csvRow(names, cells, line, model)
  }
}

function header(cells: readonly Cell[]): string[] {
  const names = cells.map((cell) => cell ?? '')
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new AppError('INVALID_REQUEST', `The column '${twice}' occurs twice`)
  return names
}

async function csvRow(names: readonly string[], cells: readonly Cell[], line: number, model: Model): Promise<Row> {
  if (cells.length !== names.length) {
    const message = `The row has ${cells.length} cells where the header has ${names.length} columns`
    return { data: {}, line, problems: [{ message }] }
  }
  const columns = names.map((name, index) => ({ name, field: model.fields.get(name), cell: cells[index] ?? null }))
  const problems: { field: string; message: string }[] = []
  for (const { name, field, cell } of columns) {
    if (field?.type.name !== 'json' || cell === null) continue
    for (const problem of await problemsInJson(cell)) problems.push({ field: name, message: `${name} ${problem}` })
  }
  return { data: Object.fromEntries(columns.map(({ name, field, cell }) => [name, readCell(field, cell)])), line, problems }
}

async function problemsInJson(cell: string): Promise<string[]> {
  try {
    const { faults } = await parseStrictJson(cell, 0)
    return faults.map(({ problem }) => problem)
  } catch {
    return ['must be valid JSON, with strings in double quotes']
  }
}

async function* readJson(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let whole = ''
  for await (const chunk of text) whole += chunk
  const { value, faults } = await parseFile(whole)
  const [general] = faults.filter(({ path }) => typeof path[0] !== 'number')
  if (general !== undefined) throw new AppError('INVALID_REQUEST', `The file ${general.problem}`)
  // JSON that is nested too deep is not parsed.
  if (value === undefined) throw new AppError('INVALID_REQUEST', faults.map((fault) => problemOf(fault, 1).message).join('; '))
  if (!Array.isArray(value)) throw new AppError('INVALID_REQUEST', 'A JSON file must contain an array of objects')
  for (const [index, item] of value.entries()) {
    yield jsonRow(
      item,
      faults.filter(({ path }) => path[0] === index).map((fault) => problemOf(fault, 1)),
    )
  }
}

async function parseFile(text: string): Promise<StrictJson> {
  try {
    return await parseStrictJson(text, 2)
  } catch (error) {
    throw new AppError('MALFORMED_JSON', `The file is not valid JSON: ${messageOf(error)}`)
  }
}

async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0
  for await (const lines of linesOf(text)) {
    for (const each of lines) {
      line++
      if (each.trim() !== '') yield await ndjsonRow(each, line)
    }
  }
}

async function ndjsonRow(text: string, line: number): Promise<Row> {
  try {
    const { value, faults } = await parseStrictJson(text, 1)
    const problems = faults.length === 0 ? NO_PROBLEMS : faults.map((fault) => problemOf(fault, 0))
    if (isObject(value)) return { data: value, line, problems }
    return { data: {}, line, problems: value === undefined ? problems : [NO_OBJECT] }
  } catch (error) {
    return { data: {}, line, problems: [{ message: `Not valid JSON: ${messageOf(error)}` }] }
  }
}

const NO_PROBLEMS: Row['problems'] = []

/** The lines of a text, in batches. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  if (rest !== '') yield [rest]
}

function jsonRow(value: unknown, problems: Row['problems']): Row {
  return isObject(value) ? { data: value, problems } : { data: {}, problems: [NO_OBJECT] }
}

const NO_OBJECT = { message: 'A record must be an object' }

/** @param depth position of the field's name in the path */
function problemOf({ path, problem }: JsonFault, depth: number): { field?: string; message: string } {
  const field = path[depth]
  return field === undefined ? { message: `The record ${problem}` } : { field: String(field), message: `${field} ${problem}` }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
