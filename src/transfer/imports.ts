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
import { didYouMean, meantOrKnown } from '../util/suggest.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
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

  constructor(access: AccessRules, records: Records) {
    this.#access = access
    this.#records = records
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
    async function* batches(): AsyncGenerator<readonly ImportItem[]> {
      let batch: ImportItem[] = []
      lines.length = 0
      ignored.clear()
      for await (const row of readRows(file.format, file.open(), model, { maxRecordBytes, delimiter })) {
        if (lines.length === maxRows) throw new AppError('PAYLOAD_TOO_LARGE', tooManyRows(maxRows))
        if (lines.length === 0 && isCsv) checkColumns(model, row)
        batch.push(itemOf(model, row, { keepIds, byId: upsertBy === 'id', ignored }))
        lines.push(row.line)
        if (batch.length < ROWS_PER_TURN) continue
        yield batch
        batch = []
        await setImmediate()
      }
      yield batch
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
