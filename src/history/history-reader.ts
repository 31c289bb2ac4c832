import { type AccessRules, matchesRecord } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Model } from '../model/model.ts'
import type { FieldFilter, Filter } from '../query/plan.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { HISTORY } from './history-recorder.ts'

/** Maximum number of entries of a record that are examined for a reader who may not view everything. Older ones are not shown. */
const MAX_EXAMINED = 10_000

/** A change of one field, as an entry has it. */
interface FieldChange {
  readonly before: Json
  readonly after: Json
  readonly secret?: true
}

/**
 * The history of a record as a user may know it. The access rule of the model is applied to the record as each entry found and left it: where the
 * rule hides the record before and after a change, there is no entry; where it hides one of both, the values of that side are left out. Related
 * records are taken as they are now. The names of users that the reader may not view are left out.
 */
export class HistoryReader {
  readonly #store: Store
  readonly #actor: Actor
  /** The records of the model, and the users, that the reader may view; undefined for all of them. */
  readonly #records: Filter | undefined
  readonly #users: Filter | undefined

  constructor(access: AccessRules, store: Store, actor: Actor, model: Model) {
    this.#store = store
    this.#actor = actor
    this.#records = access.only(actor, 'view', model)
    this.#users = access.only(actor, 'view', access.registry.expect('user'))
  }

  /** True if nothing is hidden from the reader. */
  get seesAll(): boolean {
    return this.#records === undefined && this.#users === undefined
  }

  /**
   * The entries of a record, in stored form, latest first.
   *
   * @param record as stored now
   * @param own selects the entries of the record
   */
  async entriesOf(record: StoredRecord, own: readonly FieldFilter[]): Promise<readonly StoredRecord[]> {
    const plan = { filters: own, sort: [{ field: 'id', order: 'desc' }], offset: 0, limit: MAX_EXAMINED } as const
    const [{ records: entries } = { records: [] }] = await this.#store.findEach(HISTORY, [plan])
    const names = await this.#visibleUsers(entries)
    const shown: StoredRecord[] = []
    let state: StoredRecord = record
    let isVisible = await this.#shows(state)
    for (const entry of entries) {
      const changes = entry.changes as unknown as Readonly<Record<string, FieldChange>>
      // What was written after the record was read.
      const after = { ...state, ...sideOf(changes, 'after') }
      const showsAfter = entry.action !== 'delete' && (isSame(after, state) ? isVisible : await this.#shows(after))
      state = { ...after, ...sideOf(changes, 'before') }
      isVisible = entry.action !== 'create' && (await this.#shows(state))
      if (!showsAfter && !isVisible) continue
      const isWhole = (showsAfter || entry.action === 'delete') && (isVisible || entry.action === 'create')
      const username = names.has(Number(entry.user_id)) ? (entry.username ?? null) : null
      shown.push({ ...entry, username, ...(isWhole ? {} : { changes: visibleSide(changes, showsAfter ? 'after' : 'before') }) })
    }
    return shown
  }

  async #shows(record: StoredRecord): Promise<boolean> {
    return this.#records === undefined || (await matchesRecord(this.#store, this.#records, record))
  }

  /** The ids of those who made changes, as far as the reader may view them. */
  async #visibleUsers(entries: readonly StoredRecord[]): Promise<ReadonlySet<number>> {
    const ids = [...new Set(entries.flatMap(({ user_id: id }) => (typeof id === 'number' ? [id] : [])))]
    if (this.#users === undefined) return new Set(ids)
    const visible = await this.#store.matching('user', [this.#users], ids)
    return new Set(ids.filter((id) => visible.has(id) || id === this.#actor.userId))
  }
}

/** The values of the changed fields on one side. Those of secrets are not recorded. */
const sideOf = (changes: Readonly<Record<string, FieldChange>>, side: 'before' | 'after'): JsonObject =>
  Object.fromEntries(Object.entries(changes).flatMap(([name, change]) => (change.secret === true ? [] : [[name, change[side]]])))

const isSame = (a: StoredRecord, b: StoredRecord): boolean => Object.keys(a).every((name) => a[name] === b[name])

/** The changes with the values of one side, since the record was hidden on the other. */
const visibleSide = (changes: Readonly<Record<string, FieldChange>>, side: 'before' | 'after'): JsonObject =>
  Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      name,
      { before: null, after: null, ...(change.secret === true ? { secret: true } : { [side]: change[side] }), hidden: true },
    ]),
  )
