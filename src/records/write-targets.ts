import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { readRecordId } from '../query/parameters.ts'
import { parsePlainList, parseSearchRequest } from '../query/parse.ts'
import type { Searches } from '../reads/searches.ts'
import { type FoundPage, type RecordReader, type Store, type StoredRecord, versionOf } from '../store/store.ts'
import { missingIssues } from './outcomes.ts'
import {
  ENTITY_TAGS,
  MAX_SELECTED,
  type MatchSelection,
  namesSelection,
  readBulkDelete,
  readSelectionDelete,
} from './write-requests.ts'

/** Returns whether a record may be written as it is stored; `If-Match` compares its version. */
export type Precondition = (version: string, existing: StoredRecord) => boolean

/**
 * The precondition that a record has one of the versions of entity tags, as `If-Match` lists them (RFC 9110, section 13.1.1). A proxy that
 * compresses an answer makes its tag weak (`W/"…"`) or adds a suffix to it (`"…-gzip"`), so the version is compared without either. The
 * version is a hash of the stored record, so the comparison is as strict as the RFC asks for.
 */
export function preconditionOf(tags: string): Precondition {
  if (tags.trim() === '*') return () => true
  const versions = new Set([...tags.matchAll(ENTITY_TAGS)].map(([, version]) => version))
  return (version) => versions.has(version)
}

/** The message about a record with another version than its precondition names. */
export const changedSinceRead = ({ name }: Model, id: number): string =>
  `${name} with ID ${id} has changed since it was read; read it again and retry`

/** The records of a deletion. */
export interface Removal {
  readonly model: Model
  /** The ids that the request names. */
  readonly ids: readonly number[]
  /** Reads the records; called again if they change before the commit. */
  readonly read: (records: RecordReader) => Promise<readonly StoredRecord[]>
}

/** Finds the stored records that a write changes or deletes. An actor finds those that it may see. */
export class WriteTargets {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #searches: Searches | undefined

  /** @param searches finds the records of writes by words */
  constructor(access: AccessRules, store: Store, searches: Searches | undefined) {
    this.#access = access
    this.#store = store
    this.#searches = searches
  }

  /** @throws {AppError} PRECONDITION_FAILED, or `missing` if there is no such record */
  async one(
    records: RecordReader,
    actor: Actor,
    model: Model,
    id: number,
    missing: 'UPDATE_TARGET_MISSING' | 'RECORD_NOT_FOUND',
    precondition: Precondition | undefined,
  ): Promise<StoredRecord> {
    const [existing] = await this.#access.read(records, actor, model, [id])
    if (existing === undefined) throw new AppError(missing, noSuchRecord(model, id))
    if (precondition?.(versionOf(existing), existing) !== false) return existing
    throw new AppError('PRECONDITION_FAILED', changedSinceRead(model, id))
  }

  /** @throws {AppError} VALIDATION_FAILED that names each id without a record */
  async all(records: RecordReader, actor: Actor, model: Model, ids: readonly number[]): Promise<StoredRecord[]> {
    const found = await this.#access.read(records, actor, model, ids)
    missingIssues(ids.map((id, index) => ({ id, index })).filter(({ index }) => found[index] === undefined)).throwIfAny()
    return found.filter((record) => record !== undefined)
  }

  /** @throws {AppError} RECORD_NOT_FOUND that names the first id without a record */
  async named(records: RecordReader, actor: Actor, model: Model, ids: readonly number[]): Promise<StoredRecord[]> {
    const found = await this.#access.read(records, actor, model, ids)
    const missing = found.indexOf(undefined)
    if (missing !== -1) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(model, ids[missing] ?? 0))
    return found.filter((record) => record !== undefined)
  }

  /** @throws {AppError} WRITE_CONFLICT if the number of matching records is not the expected one */
  async selected(actor: Actor, model: Model, selection: MatchSelection): Promise<readonly StoredRecord[]> {
    const { records, total } = await this.#find(actor, model.key, selection)
    if (total === selection.expectedTotal) return records
    const counted = `${selection.expectedTotal} records of ${model.name} were expected to match, and ${total} do`
    throw new AppError('WRITE_CONFLICT', `${counted}; nothing was changed. Read the list again and retry`)
  }

  /**
   * Finds all records that match and that the actor may view, up to the maximum of a write.
   *
   * @throws {AppError} FORBIDDEN, INVALID_REQUEST, SEARCH_NOT_READY
   */
  async #find(actor: Actor, modelKey: string, { filters, any, search }: MatchSelection): Promise<FoundPage> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const sent = new URLSearchParams()
    for (const text of filters) sent.append('filters', text)
    for (const text of any) sent.append('any', text)
    if (search !== undefined) {
      sent.set('q', search)
      sent.set('complete', 'true')
      const request = { ...parseSearchRequest(sent, model, this.#access.registry), page: { page: 1, pageSize: MAX_SELECTED } }
      if (this.#searches === undefined) throw new Error('Records cannot be searched here')
      const { hits, total } = await this.#searches.find(actor, model.key, request)
      return { records: hits.map(({ record }) => record), total }
    }
    const { plan } = parsePlainList(sent, model, this.#access.registry)
    const { filters: visible } = this.#access.restricted(actor, model, plan)
    const [found = { records: [], total: 0 }] = await this.#store.findEach(model.key, [
      { filters: visible, sort: [], offset: 0, limit: MAX_SELECTED },
    ])
    return found
  }

  /** The records with the next ids after one, in their order. */
  async following(model: Model, after: number, limit: number): Promise<readonly StoredRecord[]> {
    const sent = new URLSearchParams({ filters: `id__gt=${after}`, sort_by: 'id' })
    const { plan } = parsePlainList(sent, model, this.#access.registry)
    const [found] = await this.#store.findEach(model.key, [{ ...plan, offset: 0, limit }])
    return found?.records ?? []
  }

  removal(actor: Actor, modelKey: string, recordId: string | number, precondition: Precondition | undefined): Removal {
    const model = this.#access.modelFor(actor, 'delete', modelKey)
    const id = readRecordId(recordId)
    return {
      model,
      ids: [id],
      read: async (records) => [await this.one(records, actor, model, id, 'RECORD_NOT_FOUND', precondition)],
    }
  }

  /** @param body `{ids: [integer…]}`, or `{filters, expected_total, …}` for all records that match */
  removalOfMany(actor: Actor, modelKey: string, body: unknown): Removal {
    const model = this.#access.modelFor(actor, 'delete', modelKey)
    const selection = namesSelection(body) ? readSelectionDelete(body) : undefined
    const ids = selection === undefined ? readBulkDelete(body) : []
    const read = (records: RecordReader) =>
      selection === undefined ? this.all(records, actor, model, ids) : this.selected(actor, model, selection)
    return { model, ids, read }
  }
}
