import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { RelationField } from '../model/field.ts'
import type { FileUrls } from '../model/file-urls.ts'
import type { Model } from '../model/model.ts'
import type { ReverseRelation } from '../model/reverse-relations.ts'
import type { Plan } from '../query/plan.ts'
import type { ProjectedColumn, RecordProjection } from '../query/project.ts'
import { type FoundPage, referencesOf, type Store, type StoredRecord, versionOf, versionOfJson } from '../store/store.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { Slices } from '../util/slices.ts'

/** Maximum size of the records in one response, in characters. Nested records count each time they occur. */
export const MAX_ANSWER = 16 * 1024 * 1024
/** Size of records that are serialised between two looks at the clock, in characters. */
const CHECKED_SIZE = 64 * 1024

/** A record serialised for a response, with its version. */
export class RecordJson {
  /** The JSON object. */
  readonly text: string
  readonly record: StoredRecord
  readonly #asStored: boolean
  #version: string | undefined

  /** @param asStored true if `text` is also the JSON of the stored record */
  constructor(text: string, record: StoredRecord, asStored: boolean) {
    this.text = text
    this.record = record
    this.#asStored = asStored
  }

  /** Version of the stored record. */
  get version(): string {
    this.#version ??= this.#asStored ? versionOfJson(this.text) : versionOf(this.record)
    return this.#version
  }

  /** Digest of the text, which also changes with nested records. */
  get digest(): string {
    // In this case the version already is the hash of the text.
    return (this.#asStored ? this.version : versionOfJson(this.text)).slice(0, 8)
  }
}

/** Joins records into a JSON array. */
export const arrayJson = (records: readonly RecordJson[]): string => `[${records.map(({ text }) => text).join(',')}]`

/** Reads what records nest, as an actor may see it, and serialises them. */
export class RecordSerializer {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #urls: FileUrls

  constructor(access: AccessRules, store: Store, urls: FileUrls) {
    this.#access = access
    this.#store = store
    this.#urls = urls
  }

  /**
   * Serialises records of one model, in order.
   *
   * @param projection the part of the requested projection that the actor may see
   * @throws {AppError} ANSWER_TOO_LARGE if several records, or nested ones, exceed the maximum together
   */
  async write(
    actor: Actor,
    model: Model,
    records: readonly StoredRecord[],
    projection: RecordProjection,
  ): Promise<readonly RecordJson[]> {
    return this.serialize(model, records, projection, await this.nestedIn(actor, records, projection))
  }

  /** Reads what records nest under a projection. */
  async nestedIn(actor: Actor, records: readonly StoredRecord[], projection: RecordProjection): Promise<Nested> {
    if (projection.every(({ kind }) => kind === 'value')) return NOTHING_NESTED
    const related = await loadRelated(records, projection, (target, ids) => this.#access.shown(this.#store, actor, target, ids))
    const referrers = await loadReferrers(records, projection, (referrer, plans) =>
      this.#store.findEach(
        referrer.key,
        plans.map((plan) => this.#access.restricted(actor, referrer, plan)),
      ),
    )
    return { related, referrers }
  }

  /**
   * Serialises records of one model, in order, with what they nest.
   *
   * @param earlier records that were serialised under the same projection, with the same nested ones
   * @throws {AppError} ANSWER_TOO_LARGE if several records, or nested ones, exceed the maximum together
   */
  async serialize(
    model: Model,
    records: readonly StoredRecord[],
    projection: RecordProjection,
    nested: Nested = NOTHING_NESTED,
    earlier: readonly RecordJson[] = [],
  ): Promise<readonly RecordJson[]> {
    const written: RecordJson[] = []
    const slices = new Slices()
    let size = 0
    let sliceEnd = CHECKED_SIZE
    for (const record of records) {
      const json = earlier.find((each) => each.record === record) ?? this.#jsonOf(model, record, projection, nested)
      size += json.text.length
      // A single record is returned whatever its size.
      if (size > MAX_ANSWER && (records.length > 1 || nested.related.size + nested.referrers.size > 0)) throw tooLarge()
      written.push(json)
      if (size < sliceEnd) continue
      sliceEnd = size + CHECKED_SIZE
      if (slices.isOver) await slices.next()
    }
    return written
  }

  #jsonOf(model: Model, record: StoredRecord, projection: RecordProjection, nested: Nested): RecordJson {
    const asStored = isSentAsStored(model, record, projection)
    const body = asStored ? record : present(model, record, projection, nested, this.#urls)
    return new RecordJson(JSON.stringify(body), record, asStored)
  }
}

export const tooLarge = (): AppError =>
  new AppError('ANSWER_TOO_LARGE', `The response would exceed ${MAX_ANSWER >> 20} MiB; request fewer records or fields`)

type RelatedColumn = Extract<ProjectedColumn, { kind: 'related' }>

/** Related records by id, for each column that nests records; null for a record that the reader may not view. */
export type RelatedRecords = ReadonlyMap<RelatedColumn, ReadonlyMap<number, StoredRecord | null>>

/** Reads records of a model: undefined where none exists, null where the reader may not view it. */
export type ReadRelated = (target: Model, ids: readonly number[]) => Promise<readonly (StoredRecord | null | undefined)[]>

/** Loads the related records of all given records, with one call of `read` for each nesting column. */
export async function loadRelated(
  records: readonly StoredRecord[],
  projection: RecordProjection,
  read: ReadRelated,
): Promise<RelatedRecords> {
  const related = new Map<RelatedColumn, ReadonlyMap<number, StoredRecord | null>>()
  for (const column of projection) {
    if (column.kind !== 'related') continue
    const ids = [...new Set(records.flatMap((record) => referencesOf(record, column.field.name)))]
    const found = ids.length === 0 ? [] : await read(column.target, ids)
    related.set(column, new Map(found.flatMap((record, index) => (record === undefined ? [] : [[ids[index] ?? 0, record]]))))
  }
  return related
}

type ReverseColumn = Extract<ProjectedColumn, { relation: ReverseRelation }>

/** Records that refer to another, for each column of a reverse relation, by the id of that record. */
export type Referrers = ReadonlyMap<ReverseColumn, ReadonlyMap<number, FoundPage>>

/** Maximum number of records of a reverse relation within a record. */
export const MAX_REFERRERS = 20

/** Loads the referrers of all given records, with one call of `find` for each column. */
export async function loadReferrers(
  records: readonly StoredRecord[],
  projection: RecordProjection,
  find: (referrer: Model, plans: readonly Plan[]) => Promise<readonly FoundPage[]>,
): Promise<Referrers> {
  const referrers = new Map<ReverseColumn, ReadonlyMap<number, FoundPage>>()
  for (const column of projection) {
    if (column.kind !== 'count' && column.kind !== 'referrers') continue
    const { field, model } = column.relation
    const limit = column.kind === 'count' ? 0 : MAX_REFERRERS
    const plans = records.map(({ id }) => ({
      filters: [{ field: field.name, operator: 'eq', value: id } as const],
      sort: [],
      offset: 0,
      limit,
    }))
    const pages = await find(model, plans)
    referrers.set(column, new Map(records.flatMap(({ id }, index) => (pages[index] === undefined ? [] : [[id, pages[index]]]))))
  }
  return referrers
}

/** What records nest: related records, and the records that refer to them. */
export interface Nested {
  readonly related: RelatedRecords
  readonly referrers: Referrers
}

export const NOTHING_NESTED: Nested = { related: new Map(), referrers: new Map() }

/** True if the same related records are nested. Referrers are always read anew, so lists with them are never the same. */
export function isSameNested(some: Nested, other: Nested): boolean {
  if (some.referrers.size + other.referrers.size > 0 || some.related.size !== other.related.size) return false
  for (const [column, records] of some.related) {
    const others = other.related.get(column)
    if (others === undefined || others.size !== records.size) return false
    for (const [id, record] of records) if (others.get(id) !== record) return false
  }
  return true
}

/**
 * A record as it is returned: the columns of the projection in order, related records nested, no secrets.
 *
 * @param urls addresses of files; undefined for records that are not stored, whose files have none
 */
export function present(
  model: Model,
  record: StoredRecord,
  projection: RecordProjection,
  { related, referrers }: Nested,
  urls?: FileUrls,
): JsonObject {
  const body: Record<string, Json> = {}
  for (const column of projection) {
    const isReverse = column.kind === 'count' || column.kind === 'referrers'
    body[column.name] = isReverse
      ? referring(column, referrers.get(column)?.get(record.id), urls)
      : memberOf(model, record, column, related, urls)
  }
  return body
}

function referring(column: ReverseColumn, found: FoundPage | undefined, urls: FileUrls | undefined): Json {
  const { records, total } = found ?? { records: [], total: 0 }
  if (column.kind === 'count') return total
  const { fields, relation } = column
  return { data: records.map((record) => membersOf(relation.model, record, fields, urls)), total }
}

/** The named fields of a nested record. */
const membersOf = (model: Model, record: StoredRecord, fields: readonly string[], urls: FileUrls | undefined): JsonObject =>
  Object.fromEntries(fields.map((name) => [name, answeredValue(model, record, name, urls)]))

/** True if the response equals the stored record, member by member. */
function isSentAsStored(model: Model, record: StoredRecord, projection: RecordProjection): boolean {
  let index = 0
  for (const name in record) {
    const column = projection[index++]
    if (column?.name !== name || column.kind !== 'value') return false
    if (record[name] === null && storedValue(model, record, name) !== null) return false
  }
  return index === projection.length && !model.fileFields.some(({ name }) => hasFiles(record[name]))
}

const hasFiles = (value: Json | undefined): boolean => (Array.isArray(value) ? value.length > 0 : (value ?? null) !== null)

function memberOf(
  model: Model,
  record: StoredRecord,
  column: Exclude<ProjectedColumn, ReverseColumn>,
  related: RelatedRecords,
  urls: FileUrls | undefined,
): Json {
  if (column.kind === 'value') return answeredValue(model, record, column.name, urls)
  return column.kind === 'reference' ? references(record, column.field) : nested(record, column, related.get(column), urls)
}

function references(record: StoredRecord, { name, relation }: RelationField): Json {
  const bodies = referencesOf(record, name).map((id) => ({ id }))
  return relation.kind === 'many' ? bodies : (bodies[0] ?? null)
}

function nested(
  record: StoredRecord,
  column: RelatedColumn,
  found: ReadonlyMap<number, StoredRecord | null> | undefined,
  urls: FileUrls | undefined,
): Json {
  const { field, target, fields } = column
  const bodies = referencesOf(record, field.name).flatMap((id): JsonObject[] => {
    const each = found?.get(id)
    if (each === null) return [{ id }]
    return each === undefined ? [] : [membersOf(target, each, fields, urls)]
  })
  return field.relation.kind === 'many' ? bodies : (bodies[0] ?? null)
}

/** A stored value with the addresses of its files. */
function answeredValue(model: Model, record: StoredRecord, name: string, urls: FileUrls | undefined): Json {
  const value = storedValue(model, record, name)
  return model.fileFields.length === 0 || urls === undefined ? value : urls.within(model, record.id, name, value)
}

/** A field that was added to the model after the record was stored has no value yet. */
function storedValue(model: Model, record: StoredRecord, name: string): Json {
  return record[name] ?? (model.fields.get(name)?.type.list === true ? [] : null)
}
