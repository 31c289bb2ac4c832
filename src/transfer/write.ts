import { stringify } from 'csv-stringify/sync'
import type { Field } from '../model/field.ts'
import type { Format } from '../query/formats.ts'
import type { StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'
import { writeCell } from './cells.ts'

/** What a file consists of. */
interface Layout {
  readonly head: string
  /** What stands between two records. */
  readonly between: string
  readonly tail: string
  rows(records: readonly StoredRecord[]): string
}

/**
 * The text of a file, in pieces of some hundred records each.
 *
 * @param fields the fields to write, in their order
 * @param bom begins with a byte order mark, by which spreadsheets recognise UTF-8
 */
export async function* writeFile(
  format: Format,
  fields: readonly Field[],
  batches: AsyncIterable<readonly StoredRecord[]>,
  bom = false,
): AsyncGenerator<string> {
  const { head, between, tail, rows } = LAYOUTS[format](fields)
  let text = bom ? `\uFEFF${head}` : head
  let isFirst = true
  for await (const records of batches) {
    if (records.length === 0) continue
    yield text + (isFirst ? '' : between) + rows(records)
    text = ''
    isFirst = false
  }
  if (text + tail !== '') yield text + tail
}

const LAYOUTS: Readonly<Record<Format, (fields: readonly Field[]) => Layout>> = {
  csv: (fields) => ({
    head: toCsv([fields.map(({ name }) => name)]),
    between: '',
    tail: '',
    rows: (records) => toCsv(records.map((record) => fields.map((field) => writeCell(field, storedValue(record, field))))),
  }),
  json: (fields) => ({
    head: '[',
    between: ',\n',
    tail: ']\n',
    rows: (records) => jsonObjects(records, fields, ',\n'),
  }),
  ndjson: (fields) => ({
    head: '',
    between: '\n',
    tail: '\n',
    rows: (records) => jsonObjects(records, fields, '\n'),
  }),
}

/** RFC 4180. Null is nothing, an empty text is a pair of quotes; lone line breaks are quoted too. */
const toCsv = (rows: readonly (readonly (string | null)[])[]): string =>
  stringify(rows as (string | null)[][], { record_delimiter: 'windows', quoted_match: QUOTED })

/** What must be quoted beside what any cell must: what would be nothing, and line breaks of other kinds than those between rows. */
const QUOTED = /^$|[\r\n]/

/** Where one record ends and the next begins, in an array of them. */
const BOUNDARY = '},{"id":'

/**
 * The JSON of records, with something between them. Most are written as they are stored, all at once, which is twice as quick as one
 * after the other; when something within a record looks like the boundary of two, that shows in how many there seem to be.
 */
function jsonObjects(records: readonly StoredRecord[], fields: readonly Field[], between: string): string {
  if (records.every((record) => isWhole(record, fields))) {
    const parts = JSON.stringify(records).slice(1, -1).split(BOUNDARY)
    if (parts.length === records.length) return parts.join(`}${between}{"id":`)
  }
  return records.map((record) => toJson(record, fields)).join(between)
}

function toJson(record: StoredRecord, fields: readonly Field[]): string {
  if (isWhole(record, fields)) return JSON.stringify(record)
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field.name, storedValue(record, field)])))
}

/** True for a record that has these fields and no others, in this order. */
function isWhole(record: StoredRecord, fields: readonly Field[]): boolean {
  let index = 0
  for (const name in record) if (fields[index++]?.name !== name) return false
  if (index !== fields.length) return false
  for (const { name, type } of fields) if (type.list && record[name] === null) return false
  return true
}

/** A field that was added to the model after the record was stored has no value yet. */
const storedValue = (record: StoredRecord, { name, type }: Field): Json => record[name] ?? (type.list ? [] : null)
