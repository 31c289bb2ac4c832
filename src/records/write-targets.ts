import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { readRecordId } from '../query/parameters.ts'
import { type Store, type StoredRecord, versionOf } from '../store/store.ts'
import { guardAccount, isGuarded } from './account-guards.ts'
import { missingIssues } from './constraint-errors.ts'
import { type MatchSelection, namesSelection, readSelectionDelete, type Selections } from './selection.ts'
import { type RecordData, readBulkDelete } from './write-requests.ts'

/** Returns whether the client has seen the given version of the record (`If-Match`). */
export type Precondition = (version: string) => boolean

/** The records of a deletion. */
export interface Removal {
  readonly model: Model
  /** Reads the records; called again if they change before the commit. */
  readonly read: () => Promise<readonly StoredRecord[]>
}

/** Finds the stored records that a write changes or deletes. An actor finds those that it may see. */
export class WriteTargets {
  readonly #access: AccessRules
  readonly #store: Store
  readonly #selections: Selections | undefined

  /** @param selections finds the records of writes by filters */
  constructor(access: AccessRules, store: Store, selections: Selections | undefined) {
    this.#access = access
    this.#store = store
    this.#selections = selections
  }

  /** @throws {AppError} PRECONDITION_FAILED, or `missing` if there is no such record */
  async one(
    actor: Actor,
    model: Model,
    id: number,
    missing: 'UPDATE_TARGET_MISSING' | 'RECORD_NOT_FOUND',
    precondition: Precondition | undefined,
  ): Promise<StoredRecord> {
    const [existing] = await this.#access.read(this.#store, actor, model, [id])
    if (existing === undefined) throw new AppError(missing, noSuchRecord(model, id))
    if (precondition?.(versionOf(existing)) !== false) return existing
    const changed = `${model.name} with ID ${id} has changed since it was read; read it again and retry`
    throw new AppError('PRECONDITION_FAILED', changed)
  }

  /** @throws {AppError} VALIDATION_FAILED that names each id without a record */
  async all(actor: Actor, model: Model, ids: readonly number[]): Promise<StoredRecord[]> {
    const found = await this.#access.read(this.#store, actor, model, ids)
    missingIssues(ids.map((id, index) => ({ id, index })).filter(({ index }) => found[index] === undefined)).throwIfAny()
    return found.filter((record) => record !== undefined)
  }

  /** @throws {AppError} WRITE_CONFLICT if the number of matching records is not the expected one */
  async selected(actor: Actor, model: Model, selection: MatchSelection): Promise<readonly StoredRecord[]> {
    if (this.#selections === undefined) throw new Error('Records cannot be selected by filters here')
    const { records, total } = await this.#selections.find(actor, model.key, selection)
    if (total === selection.expectedTotal) return records
    const counted = `${selection.expectedTotal} records of ${model.name} were expected to match, and ${total} do`
    throw new AppError('WRITE_CONFLICT', `${counted}; nothing was changed. Read the list again and retry`)
  }

  /**
   * Checks that the actor may write an account; any record of another model passes.
   *
   * @param data what an update sets; undefined for a deletion
   * @throws {AppError} FORBIDDEN
   */
  guard(actor: Actor, model: Model, existing: StoredRecord, data?: RecordData): Promise<void> {
    return guardAccount({ store: this.#store, access: this.#access }, actor, model, existing, data)
  }

  /** Checks each of several records as `guard` does. */
  async guardAll(
    actor: Actor,
    model: Model,
    records: readonly StoredRecord[],
    dataOf: (index: number) => RecordData | undefined,
  ): Promise<void> {
    if (!isGuarded(model)) return
    for (const [index, user] of records.entries()) await this.guard(actor, model, user, dataOf(index))
  }

  removal(actor: Actor, modelKey: string, recordId: string | number, precondition: Precondition | undefined): Removal {
    const model = this.#access.modelFor(actor, 'delete', modelKey)
    const id = readRecordId(recordId)
    const read = async () => {
      const existing = await this.one(actor, model, id, 'RECORD_NOT_FOUND', precondition)
      await this.guard(actor, model, existing)
      return [existing]
    }
    return { model, read }
  }

  /** @param body `{ids: [integer…]}`, or `{filters, expected_total, …}` for all records that match */
  removalOfMany(actor: Actor, modelKey: string, body: unknown): Removal {
    const model = this.#access.modelFor(actor, 'delete', modelKey)
    const selection = namesSelection(body) ? readSelectionDelete(body) : undefined
    const ids = selection === undefined ? readBulkDelete(body) : []
    const read = async () => {
      const found = await (selection === undefined ? this.all(actor, model, ids) : this.selected(actor, model, selection))
      await this.guardAll(actor, model, found, () => undefined)
      return found
    }
    return { model, read }
  }
}
