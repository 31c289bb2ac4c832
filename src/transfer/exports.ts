import { stringify } from 'csv-stringify/sync'
import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { EXPORT_MEDIA_TYPES, type Format } from '../query/formats.ts'
import { type LabelRequest, parseExportRequest } from '../query/parse.ts'
import type { Plan } from '../query/plan.ts'
import type { ReadOptions, Store, StoredRecord } from '../store/store.ts'
import { Views } from '../views/views.ts'
import { guarded, storedValue, writeCell } from './cells.ts'
import { Labels } from './labels.ts'

/** A file that is generated while it is read. */
interface ExportedFile {
  readonly name: string
  readonly mediaType: string
  /** Text, or the bytes of a workbook. Iteration throws if the file cannot be completed; it never ends early. */
  readonly content: AsyncIterable<string | Uint8Array>
  /** Ends an export that is not read to its end, and frees what it holds. An iteration that never began frees nothing by itself. */
  close(): Promise<void>
}

type Batches = AsyncIterable<readonly StoredRecord[]>

/** What a file has of each record. */
interface Contents {
  readonly fields: readonly Field[]
  /** The head of each column. */
  readonly titles: readonly string[]
  /** The values to write, of the stored ones. */
  valuesOf(batches: Batches): Batches
}

/** Exports records on behalf of an actor, without secrets: stored values with relations as ids, or what people read in their place. */
export class Exports {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #views: Views

  /** @param views the views whose titles and labels an export may have */
  constructor(access: AccessRules, store: Store, views: Views = new Views([])) {
    this.#access = access
    this.#store = store
    this.#views = views
  }

  /**
   * Opens an export of all matching records as of this moment, however long reading takes.
   *
   * @param query query string without the question mark
   * @param options the signal cancels what the database reads
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, also for records that a workbook cannot hold
   */
  async open(actor: Actor, modelKey: string, query: string, options: ReadOptions = {}): Promise<ExportedFile> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const { format, bom, labels, fields, filters, sort } = parseExportRequest(
      new URLSearchParams(query),
      model,
      this.#access.registry,
    )
    const plan = this.#access.restricted(actor, model, { filters, sort })
    const contents = labels === undefined ? storedContents(fields) : this.#labelled(actor, model, fields, labels)
    const workbook = format === 'xlsx' ? await import('./workbook.ts') : undefined
    if (workbook !== undefined) await this.#checkSize(workbook, model, plan, contents, options)
    // The first batch fixes the set of records, and most errors occur before it.
    const batches = this.#store.stream(model.key, plan, options)[Symbol.asyncIterator]()
    const records = contents.valuesOf(resumed(await batches.next(), batches))
    return {
      name: `${model.key}.${format}`,
      mediaType: EXPORT_MEDIA_TYPES[format],
      content:
        workbook === undefined
          ? writeRows(format as Format, contents.fields, records, { bom, titles: contents.titles })
          : workbook.writeWorkbook({ name: model.label, fields: contents.fields, titles: contents.titles }, records),
      close: async () => void (await batches.return?.()),
    }
  }

  #labelled(actor: Actor, model: Model, fields: readonly Field[], request: LabelRequest): Contents {
    return new Labels({ access: this.#access, store: this.#store, views: this.#views }, actor, model, fields, request)
  }

  /** @throws {AppError} INVALID_REQUEST for more rows or longer texts than a workbook can hold */
  async #checkSize(
    { checkLengths, checkRows, mayBeLong }: typeof import('./workbook.ts'),
    model: Model,
    plan: Pick<Plan, 'filters' | 'sort'>,
    contents: Contents,
    options: ReadOptions,
  ): Promise<void> {
    checkRows((await this.#store.find(model.key, { ...plan, offset: 0, limit: 0 }, options)).total)
    if (!contents.fields.some(mayBeLong)) return
    await checkLengths(contents.fields, contents.valuesOf(this.#store.stream(model.key, { ...plan, sort: [] }, options)))
  }
}

const storedContents = (fields: readonly Field[]): Contents => ({
  fields,
  titles: fields.map(({ name }) => name),
  valuesOf: (batches) => batches,
})

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
 * @param options `bom` starts with a byte order mark, by which spreadsheets recognise UTF-8; `titles` are the head of CSV
 */
export async function* writeRows(
  format: Format,
  fields: readonly Field[],
  batches: Batches,
  { bom = false, titles = fields.map(({ name }) => name) }: { readonly bom?: boolean; readonly titles?: readonly string[] } = {},
): AsyncGenerator<string> {
  const { head, between, tail, rows } = LAYOUTS[format](fields, titles)
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

const LAYOUTS: Readonly<Record<Format, (fields: readonly Field[], titles: readonly string[]) => Layout>> = {
  csv: (fields, titles) => ({
    head: toCsv([titles.map(guarded)]),
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
