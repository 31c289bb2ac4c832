import { stringify } from 'csv-stringify/sync'
import type { Format } from '../query/formats.ts'
import { type CsvCell, MAX_CELLS, readCsvRecords } from './csv-records.ts'
import { JsonItems } from './json-items.ts'

/** A value of a file field in the text of an import or an export. */
export interface ImportedFile {
  /** Index of the record in the file, from 0. */
  readonly index: number
  readonly field: string
  /** The value, as in a request. A cell of CSV that is no JSON is a text; null if it is empty. */
  readonly value: unknown
  /** The text or number in the column `id` of the record; undefined without such a column. */
  readonly id: unknown
}

/** What is rewritten in a file, and how. */
export interface Rewriting {
  readonly format: Format
  /** The delimiter of CSV, by its header. */
  readonly delimiterOf: (header: string) => string
  /** The file field that a column or a member is; undefined for others. */
  readonly fieldOf: (name: string) => string | undefined
  /** Returns what is written in place of a value; undefined to leave it. */
  readonly replace: (value: ImportedFile) => Promise<unknown>
}

/**
 * Replaces values of file fields in the text of a file. Everything else stays as it is written, and each record begins on its line, so that
 * messages about the new file are right for the old one. A text that is not well-formed ends at its first fault, for the reader to find it.
 *
 * @throws {AppError} INVALID_REQUEST, MALFORMED_JSON for a file that is no JSON array
 */
export function rewriteFileValues(text: AsyncIterable<string>, rewriting: Rewriting): AsyncIterable<string> {
  if (rewriting.format === 'csv') return rewriteCsv(text, rewriting)
  return rewriting.format === 'json' ? rewriteJson(text, rewriting) : rewriteLines(text, rewriting)
}

/** Ends lines of CSV (RFC 4180). */
const LINE_END = '\r\n'

async function* rewriteCsv(text: AsyncIterable<string>, { delimiterOf, fieldOf, replace }: Rewriting): AsyncGenerator<string> {
  let delimiter = ','
  let columns: readonly (string | undefined)[] | undefined
  let idColumn = -1
  let index = 0
  let line = 1
  const delimiterFor = (header: string) => {
    delimiter = delimiterOf(header)
    return delimiter
  }
  for await (const { cells, line: begin, fault } of readCsvRecords(text, delimiterFor, Number.POSITIVE_INFINITY)) {
    // Empty lines, and line breaks of cells that were replaced.
    const padding = LINE_END.repeat(Math.max(0, begin - line))
    if (fault !== undefined) return yield `${padding}${FAULTY_ROW}`
    let written: readonly CsvCell[] = cells
    if (columns === undefined) {
      const names = cells.map((cell) => (cell ?? '').replace(/^\uFEFF/, ''))
      columns = cells.length > MAX_CELLS ? [] : names.map((name) => fieldOf(name))
      idColumn = names.indexOf('id')
    } else {
      const row: CsvCell[] = [...cells]
      for (const [at, field] of columns.entries()) {
        const cell = cells[at] ?? null
        if (field === undefined || cell === null || cells.length !== columns.length) continue
        const replaced = await replace({ index, field, value: cellValue(cell), id: cells[idColumn] ?? undefined })
        if (replaced !== undefined) row[at] = replaced === null ? null : cellOf(replaced)
      }
      written = row
      index++
    }
    yield padding + toCsv(written, delimiter)
    line = begin + 1 + lineBreaksIn(written)
  }
}

/** A row that no reader takes, in the place of one that is malformed. */
const FAULTY_ROW = '"'

/** A cell of a file field: JSON, or a text. */
function cellValue(cell: string): unknown {
  if (!/^\s*[[{"]/.test(cell)) return cell
  try {
    return JSON.parse(cell)
  } catch {
    return cell
  }
}

const cellOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const toCsv = (cells: readonly CsvCell[], delimiter: string): string =>
  stringify([[...cells]], { delimiter, record_delimiter: 'windows', quoted_match: /^$|[\r\n]/ })

const lineBreaksIn = (cells: readonly CsvCell[]): number =>
  cells.reduce((count, cell) => count + (cell?.match(/\r\n|\r|\n/g)?.length ?? 0), 0)

async function* rewriteJson(text: AsyncIterable<string>, rewriting: Rewriting): AsyncGenerator<string> {
  const items = new JsonItems(Number.POSITIVE_INFINITY)
  let index = 0
  for await (const piece of text) {
    for (const item of items.read(piece)) {
      const rewritten = await rewriteObject(item.trim(), index, rewriting)
      yield `${index === 0 ? '[' : ',\n'}${rewritten}`
      index++
    }
    if (items.isOver) return
  }
  items.end()
  yield index === 0 ? '[]\n' : ']\n'
}

async function* rewriteLines(text: AsyncIterable<string>, rewriting: Rewriting): AsyncGenerator<string> {
  let index = 0
  let rest = ''
  const rewrite = async (line: string): Promise<string> => (line.trim() === '' ? line : rewriteObject(line, index++, rewriting))
  for await (const piece of text) {
    const [first = '', ...others] = piece.split('\n')
    const lines = [rest + first, ...others]
    rest = lines.pop() ?? ''
    for (const line of lines) yield `${await rewrite(line)}\n`
  }
  if (rest !== '') yield await rewrite(rest)
}

/** The text of an object with other values of its file fields. A text that is not well-formed stays as it is. */
async function rewriteObject(text: string, index: number, { fieldOf, replace }: Rewriting): Promise<string> {
  const members = membersOf(text)
  const idMember = members.find(({ name }) => name === 'id')
  const id = idMember === undefined ? undefined : parsed(text.slice(idMember.start, idMember.end))
  let written = ''
  let from = 0
  for (const { name, start, end } of members) {
    const field = fieldOf(name)
    const value = field === undefined ? undefined : parsed(text.slice(start, end))
    if (field === undefined || value === undefined || value === null) continue
    const replaced = await replace({ index, field, value, id })
    if (replaced === undefined) continue
    written += text.slice(from, start) + JSON.stringify(replaced)
    from = end
  }
  return written + text.slice(from)
}

/** The value of a JSON text; undefined if it is not well-formed. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Member {
  readonly name: string
  /** Where its value stands in the text. */
  readonly start: number
  readonly end: number
}

/** The members of the object that a JSON text is, in order. */
function membersOf(text: string): readonly Member[] {
  const members: Member[] = []
  let depth = 0
  let key: string | undefined
  let begun: Pick<Member, 'name' | 'start'> | undefined
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g)) {
    const closes = token === '}' || token === ']'
    if (depth === 1 && begun !== undefined && (token === ',' || closes)) {
      members.push({ ...begun, end: index })
      begun = undefined
    }
    if (token === '{' || token === '[') depth++
    else if (closes) depth--
    else if (depth !== 1 || begun !== undefined) continue
    else if (token === ':' && key !== undefined) {
      begun = { name: key, start: index + 1 }
      key = undefined
    } else if (token !== ',') key = String(parsed(token) ?? '')
  }
  return members
}
