import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, inScope, noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { type AggregateGroup, type AggregateRequest, MAX_GROUPS, parseAggregateRequest } from '../query/aggregate.ts'
import { readRecordId } from '../query/parameters.ts'
import { pageJson } from '../query/plan.ts'
import type { RecordProjection } from '../query/project.ts'
import { type ReadOptions, type Store, type StoredRecord, versionOf } from '../store/store.ts'
import { decimalQuotient } from '../util/decimal.ts'
import { PreparedQueries } from './prepared-queries.ts'
import { arrayJson, isSameNested, RecordJson, type RecordSerializer } from './record-json.ts'

const ID_ALONE: RecordProjection = [{ kind: 'value', name: 'id' }]

/** What is done with records that exist. */
const EDITING = ['change', 'delete'] as const

/** The members that need no reading of other records: related ones by id only, as for an actor who may not view them. */
const withoutReading = (projection: RecordProjection): RecordProjection =>
  projection.flatMap((column): RecordProjection => {
    if ('relation' in column) return []
    return column.kind === 'related' ? [{ kind: 'reference', name: column.name, field: column.field }] : [column]
  })

/** Reads records on behalf of an actor, as JSON. Queries are query strings without the question mark. */
export class Reads {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #writer: RecordSerializer
  readonly #log: Log
  readonly #prepared: PreparedQueries

  constructor(access: AccessRules, store: Store, writer: RecordSerializer, log: Log) {
    this.#access = access
    this.#store = store
    this.#writer = writer
    this.#log = log
    this.#prepared = new PreparedQueries(access)
  }

  /**
   * Returns a page of records in its envelope, as bytes of JSON.
   *
   * @param options a signal that ends the read
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST
   */
  async list(actor: Actor, modelKey: string, query: string, options?: ReadOptions): Promise<Buffer> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const prepared = this.#prepared.prepare(actor, model, query)
    const { plan, projection, page, last, editing } = prepared
    const found = await this.#store.find(model.key, plan, { ...options, last: last?.found })
    const nested = await this.#writer.nestedIn(actor, found.records, projection)
    if (editing) {
      const records = await this.#writer.serialize(model, found.records, projection, nested)
      const beside = await this.#editingJson(actor, model, found.records)
      return Buffer.from(pageJson(arrayJson(records), found.total, page, beside))
    }
    const same = last !== undefined && isSameNested(last.nested, nested) ? last : undefined
    if (same?.found === found) return same.body
    const records = await this.#writer.serialize(model, found.records, projection, nested, same?.records)
    const isSame = same?.found.total === found.total && isSameList(same.records, records)
    const body = isSame ? same.body : Buffer.from(pageJson(arrayJson(records), found.total, page))
    this.#prepared.keep(prepared, { found, nested, records, body })
    return body
  }

  /** The versions of records, and what an actor may do with each, as members of JSON. Other records may decide this, so it is not kept. */
  async #editingJson(actor: Actor, model: Model, records: readonly StoredRecord[]): Promise<string> {
    const ids = records.map(({ id }) => id)
    const allowed = await Promise.all(
      EDITING.map(async (action) => [action, await this.#access.allowed(this.#store, actor, action, model, ids)] as const),
    )
    const can = ids.map((id) => allowed.flatMap(([action, granted]) => (granted.has(id) ? [action] : [])))
    return `${member('etags', JSON.stringify(records.map((record) => `"${versionOf(record)}"`)))},${member('can', JSON.stringify(can))}`
  }

  /**
   * Returns one record as JSON.
   *
   * @param options a signal that ends the read
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST, RECORD_NOT_FOUND
   */
  async get(actor: Actor, modelKey: string, recordId: string, query: string, options?: ReadOptions): Promise<RecordJson> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const id = readRecordId(recordId)
    const projection = this.#prepared.projection(actor, model, query)
    const [record] = await this.#access.read(this.#store, actor, model, [id], options)
    if (record === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(model, id))
    return only(await this.#writer.write(actor, model, [record], projection))
  }

  /**
   * Returns totals of groups of records in their envelope, as JSON.
   *
   * @param options a signal that ends the read
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST
   */
  async aggregate(actor: Actor, modelKey: string, query: string, options?: ReadOptions): Promise<string> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const request = parseAggregateRequest(new URLSearchParams(query), model, this.#access.registry)
    const { filters } = this.#access.restricted(actor, model, { filters: request.plan.filters, sort: [] })
    const groups = await this.#store.aggregate(model.key, { ...request.plan, filters }, options)
    if (groups === undefined) throw tooManyGroups()
    return `{"data":[${groups.map((group) => groupJson(group, request)).join(',')}],"total":${groups.length}}`
  }

  /** The actor's own user record. It needs no permission. A key whose scopes do not name it gets id and name of its owner. */
  async self(actor: Actor): Promise<RecordJson> {
    const { userId = 0 } = actor
    const [user] = await this.#store.get('user', [userId])
    if (user === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(this.#access.registry.expect('user'), userId))
    const { key } = actor
    if (key !== undefined && !inScope(key, 'view', this.#access.registry.expect('user'))) {
      return new RecordJson(JSON.stringify({ id: user.id, username: user.username }), user, false)
    }
    return this.one(actor, 'user', user)
  }

  /** A record with everything that the actor may see, as a dry run returns it. */
  async one(actor: Actor, modelKey: string, record: StoredRecord): Promise<RecordJson> {
    return only(await this.all(actor, modelKey, [record]))
  }

  /** Records with everything that the actor may see, as a dry run returns them. If that is too large, their ids only. */
  async all(actor: Actor, modelKey: string, records: readonly StoredRecord[]): Promise<readonly RecordJson[]> {
    const model = this.#access.registry.expect(modelKey)
    return this.#orIds(model, records, this.#writer.write(actor, model, records, this.#visible(actor, model)))
  }

  /** A record as it is returned after its write was committed: as `written`. */
  async writtenOne(actor: Actor, modelKey: string, record: StoredRecord): Promise<RecordJson> {
    return only(await this.written(actor, modelKey, [record]))
  }

  /**
   * Records as they are returned after their write was committed: as `all`. The response must not be an error, which a client would take
   * for a refusal: if the related records cannot be read, they are returned by id only.
   */
  async written(actor: Actor, modelKey: string, records: readonly StoredRecord[]): Promise<readonly RecordJson[]> {
    try {
      return await this.all(actor, modelKey, records)
    } catch (error) {
      this.#log.warn('A write was committed, and its related records could not be read for the response', {
        model: modelKey,
        error,
      })
      const model = this.#access.registry.expect(modelKey)
      const projection = withoutReading(this.#visible(actor, model))
      return this.#orIds(model, records, this.#writer.write(actor, model, records, projection))
    }
  }

  /** The ids in place of an answer that is too large. */
  async #orIds(
    model: Model,
    records: readonly StoredRecord[],
    written: Promise<readonly RecordJson[]>,
  ): Promise<readonly RecordJson[]> {
    try {
      return await written
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'ANSWER_TOO_LARGE') throw error
      return this.#writer.serialize(model, records, ID_ALONE)
    }
  }

  /** Everything of a model that the actor may see. */
  #visible(actor: Actor, model: Model): RecordProjection {
    return this.#prepared.projection(actor, model, '')
  }
}

const isSameList = (some: readonly RecordJson[], others: readonly RecordJson[]): boolean =>
  some.length === others.length && some.every((record, index) => record === others[index])

function only(written: readonly RecordJson[]): RecordJson {
  const [json] = written
  if (json === undefined) throw new Error('A record was not written')
  return json
}

/** Digits behind the point that the average of decimals has beyond their sum. */
const FURTHER_PLACES = 6

const tooManyGroups = (): AppError =>
  new AppError('INVALID_REQUEST', {
    group_by: [`There are more than ${MAX_GROUPS} groups; filter the records, or group them by another field`],
  })

function groupJson(group: AggregateGroup, { plan, groupBy, countsRecords, measures }: AggregateRequest): string {
  const key = groupBy.map((name, place) => member(name, JSON.stringify(group.key[place] ?? null)))
  const members = [member('group', objectJson(key))]
  if (countsRecords) members.push(member('count', String(group.count)))
  const sumOf = ({ name }: Field) => group.sums[plan.sums.indexOf(name)] ?? { sum: '0', present: 0 }
  const rangeOf = (field: Field) => group.ranges[plan.ranges.findIndex((range) => range.field === field.name)]
  const values = {
    sum: (field: Field) => numeralJson(field, sumOf(field).sum),
    avg: (field: Field) => averageJson(field, sumOf(field)),
    min: (field: Field) => JSON.stringify(rangeOf(field)?.min ?? null),
    max: (field: Field) => JSON.stringify(rangeOf(field)?.max ?? null),
  }
  for (const [measure, jsonOf] of Object.entries(values)) {
    const fields = measures[measure as keyof typeof values]
    if (fields.length === 0) continue
    members.push(member(measure, objectJson(fields.map((field) => member(field.name, jsonOf(field))))))
  }
  return objectJson(members)
}

/** A decimal is text; other numerals are JSON numbers with every digit. A sum beyond all doubles is null. */
function numeralJson({ type }: Field, numeral: string): string {
  if (type.name === 'decimal') return JSON.stringify(numeral)
  return Number.isFinite(Number(numeral)) ? numeral : 'null'
}

function averageJson(field: Field, { sum, present }: AggregateGroup['sums'][number]): string {
  if (present === 0) return 'null'
  if (field.type.name === 'decimal') return JSON.stringify(decimalQuotient(sum, present, FURTHER_PLACES))
  return JSON.stringify(Number(sum) / present)
}

const member = (name: string, json: string): string => `${JSON.stringify(name)}:${json}`

const objectJson = (members: readonly string[]): string => `{${members.join(',')}}`
