import { stringify } from 'csv-stringify/sync'
import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Field } from '../model/field.ts'
import { type Format, MEDIA_TYPES } from '../query/formats.ts'
import { parseExportRequest } from '../query/parse.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'
import { writeCell } from './cells.ts'

/** A file that is generated while it is read. */
interface ExportedFile {
  readonly name: string
  readonly mediaType: string
  /** The text. Iteration throws if the file cannot be completed; it never ends early. */
  readonly text: AsyncIterable<string>
  /** Ends an export that is not read to its end, and frees what it holds. An iteration that never began frees nothing by itself. */
  close(): Promise<void>
}

/** Exports records on behalf of an actor: stored values without secrets, relations as ids. */
export class Exports {
  readonly #access: AccessRules
  readonly #store: Store

  constructor(access: AccessRules, store: Store) {
    this.#access = access
    this.#store = store
  }

  /**
   * Opens an export of all matching records as of this moment, however long reading takes.
   *
   * @param query query string without the question mark
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST
   */
  async open(actor: Actor, modelKey: string, query: string): Promise<ExportedFile> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const { format, bom, fields, filters, sort } = parseExportRequest(new URLSearchParams(query), model, this.#access.registry)
    const plan = this.#access.restricted(actor, model, { filters, sort })
    // The first batch fixes the set of records, and most errors occur before it.
    const batches = this.#store.stream(model.key, plan)[Symbol.asyncIterator]()
    const records = resumed(await batches.next(), batches)
    return {
      name: `${model.key}.${format}`,
      mediaType: MEDIA_TYPES[format],
      text: writeRows(format, fields, records, bom),
      close: async () => void (await batches.return?.()),
    }
  }
}

/** Continues an iteration whose first batch was already taken. */
async function* resumed(
  first: IteratorResult<readonly StoredRecord[]>,
  rest: AsyncIterator<readonly StoredRecord[]>,
): AsyncGenerator<readonly StoredRecord[]> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value
  } finally {
    // Also runs if the reader stops early.
    await rest.return?.()
  }
}

/** The fixed parts of a file. */
interface Layout {
  readonly head: string
  /** Text between two records. */
  readonly between: string
  readonly tail: string
  rows(records: readonly StoredRecord[]): string
}

/**
 * The text of a file, in pieces of some hundred records.
 *
 * @param fields the fields to write, in order
 * @param bom starts with a byte order mark, by which spreadsheets recognise UTF-8
 */
export async function* writeRows(
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

/** RFC 4180. Null is an empty cell, an empty text a pair of quotes; lone line breaks are quoted too. */
const toCsv = (rows: readonly (readonly (string | null)[])[]): string =>
  stringify(rows as (string | null)[][], { record_delimiter: 'windows', quoted_match: QUOTED })

/** Cells that need quotes beyond RFC 4180: empty texts, and line breaks other than the row separator. */
const QUOTED = /^$|[\r\n]/

/** The end of one record and the start of the next in a JSON array. */
const BOUNDARY = '},{"id":'

/**
 * JSON of records joined by a separator. Whole records are serialised by one call, which is twice as fast as one call each. If
 * the boundary text occurs within a record, the number of parts differs and records are serialised one by one.
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

/** True for a record that has exactly these fields, in this order. */
function isWhole(record: StoredRecord, fields: readonly Field[]): boolean {
  let index = 0
  for (const name in record) if (fields[index++]?.name !== name) return false
  if (index !== fields.length) return false
  for (const { name, type } of fields) if (type.list && record[name] === null) return false
  return true
}

/** A field that was added to the model after the record was stored has no value yet. */
const storedValue = (record: StoredRecord, { name, type }: Field): Json => record[name] ?? (type.list ? [] : null)
