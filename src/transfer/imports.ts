import { setImmediate } from 'node:timers/promises'
import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError, type FieldMessages } from '../errors.ts'
import { isSettable } from '../model/field.ts'
import { FIELD_TYPES } from '../model/fields.ts'
import type { Model } from '../model/model.ts'
import type { DelimiterName, Format } from '../query/formats.ts'
import { WHOLE_ROW } from '../records/drafts.ts'
import type { WriteOrigin } from '../records/hooks.ts'
import type { ImportItem, UpsertKey } from '../records/imports.ts'
import type { Records } from '../records/records.ts'
import type { Store } from '../store/store.ts'
import { isObject } from '../util/json.ts'
import { didYouMean, meantOrKnown } from '../util/suggest.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import type { Views } from '../views/views.ts'
import { guessMap } from './map-guess.ts'
import { type FileMap, Mapping } from './mapping.ts'
import {
  firstRows,
  GUESSED_ROWS,
  type MappedPreview,
  messagesByRow,
  PREVIEWED_ROWS,
  RAW,
  rawColumns,
  SAMPLES,
  storedValues,
  textsOf,
} from './previews.ts'
import { RelatedLookup } from './related-values.ts'
import { type FileContent, type FileRow, readRows } from './row-reader.ts'
import { isUsableId, MAX_GIVEN_ID } from './seed.ts'

/** Options of an import. */
export interface FileImportOptions {
  /** Validates the file without changing anything. */
  readonly dryRun?: boolean
  /** A unique field; records with the same value are updated. */
  readonly upsertBy?: string | undefined
  readonly formId?: string | undefined
  /** The request, for the history. */
  readonly origin?: WriteOrigin
  /** Keeps ids and timestamps of the file, which only the server may do. */
  readonly keepIds?: boolean
  /** Calls no code of the project. */
  readonly withoutCode?: boolean
  /** Delimiter of a CSV file; found in its header when absent. */
  readonly delimiter?: DelimiterName | undefined
  /** How columns become fields; without it and `locale`, the file is as an export writes it. */
  readonly map?: unknown
  /** The language of days and numbers, as `locale` of the map. */
  readonly locale?: string | undefined
  /** Maximum number of rows. */
  readonly maxRows?: number
}

/** A file with records. */
export interface ImportFile {
  readonly format: Format
  /** Begins to read the file. A file of many records is read several times. */
  open(): FileContent
}

/** Result of an import. */
export interface ImportResult {
  readonly created: number
  readonly updated: number
  readonly total: number
  /** Columns of the file that are ignored because the server sets them. */
  readonly ignored: readonly string[]
}

/** A rejected file. The details are messages by `<row>.<field>`, rows counted from 1. */
export class RejectedRows extends AppError {
  /** The line where a row begins, for line-based formats. */
  readonly lineOf: (row: number) => number | undefined

  constructor(details: FieldMessages, lineOf: (row: number) => number | undefined) {
    super('VALIDATION_FAILED', details)
    this.lineOf = lineOf
  }
}

/** Rows read before yielding to the event loop. */
const ROWS_PER_TURN = 500

/** Imports records on behalf of an actor, all or none. Rows are validated like creates. */
export class Imports {
  readonly #access: AccessRules
  readonly #records: Records
  readonly #store: Store
  readonly #views: Views

  constructor(access: AccessRules, records: Records, { store, views }: { readonly store: Store; readonly views: Views }) {
    this.#access = access
    this.#records = records
    this.#store = store
    this.#views = views
  }

  /**
   * Creates or updates a record for each row of a file.
   *
   * @throws {RejectedRows} with the errors of all rows, up to a limit
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, FORM_NOT_FOUND, INVALID_REQUEST, MALFORMED_JSON; then nothing is changed
   */
  async run(
    actor: Actor,
    modelKey: string,
    file: ImportFile,
    {
      dryRun = false,
      upsertBy,
      formId,
      delimiter,
      origin,
      keepIds = false,
      withoutCode = false,
      map,
      locale,
      maxRows = Number.POSITIVE_INFINITY,
    }: FileImportOptions = {},
  ): Promise<ImportResult> {
    const model = this.#access.modelFor(actor, 'add', modelKey)
    if (upsertBy !== undefined) this.#access.modelFor(actor, 'change', modelKey)
    const key = upsertBy === undefined ? undefined : upsertKey(model, upsertBy)
    const isCsv = file.format === 'csv'
    const { maxRecordBytes } = this.#records
    const lines: (number | undefined)[] = []
    const ignored = new Set<string>()
    const columns = this.#mapping(model, map, locale)
    const related = new RelatedLookup(this.#access, this.#store, actor)
    const itemsOf = async (rows: readonly FileRow[]) =>
      (columns === undefined ? rows : await withRelated(rows, related, columns.constants)).map((row) =>
        itemOf(model, row, { keepIds, byId: upsertBy === 'id', ignored }),
      )
    async function* batches(): AsyncGenerator<readonly ImportItem[]> {
      let batch: FileRow[] = []
      lines.length = 0
      ignored.clear()
      for await (const row of readRows(file.format, file.open(), model, { maxRecordBytes, delimiter, columns })) {
        if (lines.length === maxRows) throw new AppError('PAYLOAD_TOO_LARGE', tooManyRows(maxRows))
        if (lines.length === 0 && isCsv) checkColumns(model, row)
        batch.push(row)
        lines.push(row.line)
        if (batch.length < ROWS_PER_TURN) continue
        yield await itemsOf(batch)
        batch = []
        await setImmediate()
      }
      yield await itemsOf(batch)
    }
    try {
      const counts = await this.#records.importAll(actor, modelKey, batches, {
        ...{ formId, key, dryRun, quotesCells: isCsv },
        origin: { ...origin, via: 'import' },
        // A copy of records that have been through it.
        withoutCode: withoutCode || keepIds,
      })
      return { ...counts, total: lines.length, ignored: [...ignored] }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED' || typeof error.details === 'string') throw error
      throw new RejectedRows(limitMessages(error.details), (row) => lines[row - 1])
    }
  }

  /**
   * Shows how a file would be imported: the map, guessed where it is not given, and the first rows as they would be stored, with their faults.
   *
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, FORM_NOT_FOUND, INVALID_REQUEST, MALFORMED_JSON
   */
  async preview(actor: Actor, modelKey: string, file: ImportFile, options: FileImportOptions = {}): Promise<MappedPreview> {
    const { map = {}, locale, delimiter } = options
    const model = this.#access.modelFor(actor, 'add', modelKey)
    // Refuses a faulty map.
    this.#mapping(model, map, locale)
    const { maxRecordBytes } = this.#records
    const parts = { model, registry: this.#access.registry, views: this.#views }
    const first = await firstRows(
      readRows(file.format, file.open(), model, { maxRecordBytes, delimiter, columns: RAW }),
      GUESSED_ROWS,
    )
    const raw = rawColumns(first)
    const given = { ...(locale === undefined ? {} : { locale }), ...(isObject(map) ? (map as FileMap) : {}) }
    const guess = guessMap(raw, given, parts)
    const mapping = new Mapping(guess.map, parts)
    const related = new RelatedLookup(this.#access, this.#store, actor)
    const read = await firstRows(
      readRows(file.format, file.open(), model, { maxRecordBytes, delimiter, columns: mapping }),
      PREVIEWED_ROWS,
    )
    const rows = await withRelated(read, related, mapping.constants)
    const faults = await this.#faultsOf(actor, modelKey, rows, options)
    const columns = raw.map(({ header, texts }) => ({
      header,
      field: guess.map.columns?.[header] ?? null,
      samples: texts.slice(0, SAMPLES),
    }))
    const shown = rows.map((row, index) => ({
      row: index + 1,
      line: row.line ?? null,
      texts: textsOf(first[index], mapping),
      values: storedValues(row, model),
      errors: faults.get(index + 1) ?? {},
    }))
    return { map: guess.map, ambiguous: guess.ambiguous, columns, rows: shown }
  }

  /** The messages about some rows, by row and field, as an import of them alone has them. */
  async #faultsOf(
    actor: Actor,
    modelKey: string,
    rows: readonly FileRow[],
    { upsertBy, formId, origin }: FileImportOptions,
  ): Promise<ReadonlyMap<number, FieldMessages>> {
    const model = this.#access.modelFor(actor, 'add', modelKey)
    if (upsertBy !== undefined) this.#access.modelFor(actor, 'change', modelKey)
    const key = upsertBy === undefined ? undefined : upsertKey(model, upsertBy)
    async function* batches() {
      yield rows.map((row) => itemOf(model, row, { keepIds: false, byId: upsertBy === 'id', ignored: new Set() }))
    }
    try {
      await this.#records.importAll(actor, modelKey, batches, {
        ...{ formId, key, dryRun: true, quotesCells: true },
        origin: { ...origin, via: 'import' },
        withoutCode: false,
      })
      return new Map()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED' || typeof error.details === 'string') throw error
      return messagesByRow(error.details)
    }
  }

  /** @throws {AppError} INVALID_REQUEST for a faulty map */
  #mapping(model: Model, map: unknown, locale: string | undefined): Mapping | undefined {
    if (map === undefined && locale === undefined) return undefined
    const given = isObject(map) || map === undefined ? { ...(locale === undefined ? {} : { locale }), ...map } : map
    return new Mapping(given, { model, registry: this.#access.registry, views: this.#views })
  }
}

/** The rows with ids in place of texts that name related records, and with the constants of the map. */
async function withRelated(
  rows: readonly FileRow[],
  related: RelatedLookup,
  constants: Readonly<Record<string, unknown>>,
): Promise<readonly FileRow[]> {
  const cells = rows.flatMap((row, index) => (row.related ?? []).map((texts) => ({ index, texts })))
  const readings = await related.read(cells.map(({ texts }) => texts))
  const mended = rows.map(({ data, problems, ...row }) => ({ ...row, data: { ...constants, ...data }, problems: [...problems] }))
  for (const [at, { index, texts }] of cells.entries()) {
    const reading = readings[at]
    const row = mended[index]
    if (reading === undefined || row === undefined) continue
    const { name, type } = texts.field
    if ('problem' in reading) row.problems.push({ field: name, message: reading.problem })
    else row.data[name] = type.list ? [...reading.ids] : reading.ids[0]
  }
  return mended
}

const tooManyRows = (maxRows: number): string =>
  `The file has more than ${maxRows} rows; import it in parts, or by \`admin import\``

/** @throws {AppError} INVALID_REQUEST for a field that does not identify a single record */
function upsertKey(model: Model, name: string): UpsertKey {
  const known = model.visibleFields.filter(({ unique }) => unique)
  const field = known.find((each) => each.name === name)
  if (field !== undefined) return field
  const names = known.map((each) => each.name)
  const reason = `'upsert_by' must name a unique field of ${model.name}, not '${name}'${meantOrKnown(name, names)}`
  throw new AppError('INVALID_REQUEST', { upsert_by: [reason] })
}

/**
 * Reports an unknown column once, not in every row.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
function checkColumns(model: Model, { data }: FileRow): void {
  const issues = new FieldIssues()
  for (const name of Object.keys(data)) {
    if (issues.size >= MAX_NAMED) break
    const missing = name === '' ? 'A column has no name' : `Field '${name}' does not exist`
    if (!model.fields.has(name)) issues.add(name, `${missing}${didYouMean(name, model.fields.keys())}`)
  }
  issues.throwIfAny()
}

/** Separates the values of a row from those that only the server sets. */
function itemOf(
  model: Model,
  { data: given, problems }: FileRow,
  { keepIds, byId, ignored }: { keepIds: boolean; byId: boolean; ignored: Set<string> },
): ImportItem {
  const issues = new FieldIssues()
  for (const { field = WHOLE_ROW, message } of problems) issues.add(field, message)
  const isSystem = (name: string) => {
    const field = model.fields.get(name)
    return field !== undefined && !isSettable(field)
  }
  const names = Object.keys(given)
  if (!names.some(isSystem)) return { data: given, issues, stamps: NO_STAMPS }
  const data: Record<string, unknown> = {}
  const system: Record<string, unknown> = {}
  for (const name of names) {
    const value = given[name]
    if (!isSystem(name)) Object.defineProperty(data, name, { value, ...PLAIN })
    else if (keepIds || (byId && name === 'id')) system[name] = value ?? undefined
    else ignored.add(name)
  }
  const { id, ...times } = system
  if (id !== undefined && !isUsableId(id)) issues.add('id', `id must be an integer from 1 to ${MAX_GIVEN_ID}`)
  const stamps: Record<string, string> = {}
  for (const [name, value] of Object.entries(times)) {
    if (value === undefined) continue
    const reading = FIELD_TYPES.datetime.read(value)
    if (reading.ok) stamps[name] = String(reading.value)
    else issues.add(name, `${name} ${reading.problem}`)
  }
  return { data, issues, stamps, ...(isUsableId(id) ? { id } : {}) }
}

const NO_STAMPS: ImportItem['stamps'] = {}

/** A name from a file may be `__proto__`. */
const PLAIN = { enumerable: true, configurable: true, writable: true } as const

/** Limits the number of messages; the last one states the total. */
function limitMessages(details: FieldMessages): FieldMessages {
  const all = Object.entries(details)
  if (all.length <= MAX_NAMED) return details
  const more = `${all.length - MAX_NAMED} more errors are not shown`
  return Object.fromEntries([...all.slice(0, MAX_NAMED), ['more', [more]]])
}
