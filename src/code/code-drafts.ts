import { type Actor, forbidden, isPrivileged, SHELL } from '../auth/permissions.ts'
import type { Field } from '../model/field.ts'
import { type DraftedWrite, type DraftParts, OpenDraft } from '../records/drafts.ts'
import type { Setters } from '../records/hooks.ts'
import type { Operation, StoredRecord } from '../store/store.ts'
import { isoTime } from '../util/clock.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { type CodeData, NewRecordId } from './code-values.ts'
import type { HookRun } from './hook-run.ts'
import { type Entry, keyOf } from './hook-tx.ts'

/** What is known of a draft. */
interface DraftState {
  /** True if hooks have yet to run for the draft. */
  isExpected: boolean
  /** True if hooks have run for it. */
  hasRun: boolean
  /** What they have set, if code is to write to the record later. */
  patch?: HookRun['patch']
  /** Stands for the id of the new record. */
  ref?: NewRecordId
  /** On whose behalf code writes to a record that `system` writes, too. */
  limit?: Actor
}

/** A draft of a stored record. */
interface KnownDraft {
  readonly draft: OpenDraft
  readonly entry: Entry
}

/** An entry that is to get its draft. */
type Undrafted = Omit<Entry, 'draft' | 'existing'>

/** The drafts of the records that the request and code write in one run of a transaction. */
export class CodeDrafts {
  readonly #parts: DraftParts
  /** That of the request. */
  readonly #actor: Actor
  /** The records of the request. */
  #request: readonly Entry[] = []
  /** Those whose drafts are not in the next map yet. */
  #own: readonly Entry[] = []
  /** The drafts of records by key. */
  readonly #known = new Map<string, KnownDraft>()
  /** Hooks have yet to run for those without a state. */
  readonly #states = new Map<OpenDraft, DraftState>()
  readonly #targets = new Map<NewRecordId, OpenDraft>()
  #setters: Map<OpenDraft, Setters> | undefined
  /** What code writes, in order. */
  readonly #written: Entry[] = []

  constructor(actor: Actor, parts: DraftParts) {
    this.#actor = actor
    this.#parts = parts
  }

  /** Begins with the records of the request. */
  begin(own: readonly Entry[]): void {
    this.#request = own
    this.#own = own
  }

  stateOf(draft: OpenDraft): DraftState {
    const known = this.#states.get(draft)
    if (known !== undefined) return known
    const state: DraftState = { isExpected: true, hasRun: false }
    this.#states.set(draft, state)
    return state
  }

  /** What is known of the draft of a record. */
  known(key: string): KnownDraft | undefined {
    return this.all().get(key)
  }

  /** The drafts of stored records by key. Those of the request are added when code asks for the first one. */
  all(): ReadonlyMap<string, KnownDraft> {
    for (const entry of this.#own) {
      const { model, draft, existing, id = existing?.id } = entry
      if (id !== undefined && draft !== undefined) this.#known.set(keyOf(model, id), { draft, entry })
    }
    this.#own = []
    return this.#known
  }

  /**
   * The writes so far as operations, to rehearse what deletions do after them: updates. New records are among them if others may refer to one by its id.
   */
  operations(): readonly Operation[] {
    const known = [...this.all().values()]
    const isReferable = known.some(({ entry }) => entry.existing === undefined)
    const created = isReferable ? [...this.#request, ...this.#written].filter(({ existing }) => existing === undefined) : []
    const places = new Map(created.map(({ draft }, index) => [draft, index]))
    const refsOf = ({ refs }: OpenDraft) =>
      refs.flatMap(({ field, target }) => {
        const operation = places.get(target)
        return operation === undefined ? [] : [{ field, operation }]
      })
    const now = isoTime(this.#parts.clock())
    const inserts = created.flatMap(({ model, id, draft }): readonly Operation[] => {
      if (draft === undefined) return []
      const own = id === undefined ? {} : { id }
      const stamps = model.timestamps ? { created_at: now, updated_at: now } : {}
      return [{ kind: 'insert', table: model.key, values: { ...stamps, ...draft.values }, refs: refsOf(draft), ...own }]
    })
    const updates = known.flatMap(({ draft, entry: { model, existing } }): readonly Operation[] =>
      existing === undefined
        ? []
        : [{ kind: 'update', table: model.key, id: existing.id, values: changesOf(draft), refs: refsOf(draft) }],
    )
    return [...inserts, ...updates]
  }

  /** Adds a record that code creates. */
  create(entry: Undrafted, data: CodeData, ref: NewRecordId): Entry & { readonly draft: OpenDraft } {
    const plain = plainData(data)
    const files = entry.model.fileFields.filter(({ name }) => Object.hasOwn(plain, name))
    const others = files.length === 0 ? plain : withoutFields(plain, files)
    const draft = OpenDraft.ofNew(entry.actor, entry.model, undefined, others, this.#parts)
    for (const field of files) draft.set(field, plain[field.name])
    this.#targets.set(ref, draft)
    for (const [name, value] of Object.entries(data)) this.#refer(draft, name, value)
    const created = { ...entry, draft, existing: undefined }
    this.#written.push(created)
    return created
  }

  /**
   * Adds a stored record that code, or a cascade, changes.
   *
   * @param data what a cascade sets
   */
  change(entry: Undrafted, existing: StoredRecord, data: Readonly<Record<string, Json>> = {}): KnownDraft {
    const draft = OpenDraft.ofChange(entry.model, undefined, existing, data, this.#parts)
    const known = { draft, entry: { ...entry, existing, draft } }
    this.#written.push(known.entry)
    this.#known.set(keyOf(entry.model, existing.id), known)
    return known
  }

  /** Sets a value. A field that does not exist is no field to set: its name is among the messages. */
  set(draft: OpenDraft, name: string, value: unknown): void {
    const field = draft.model.fields.get(name)
    if (field === undefined) return
    draft.set(field, value instanceof NewRecordId ? null : plainValue(value))
    if (typeof value === 'object') this.#refer(draft, name, value)
  }

  /** Sets the ids of new records that a value has. */
  #refer(draft: OpenDraft, name: string, value: unknown): void {
    const field = draft.model.fields.get(name)
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!(item instanceof NewRecordId) || field === undefined) continue
      const target = this.#targets.get(item)
      if (target === undefined) throw new Error(`${name} has the id of a record that the transaction does not create`)
      draft.refer(field, target)
    }
  }

  /** Stands for the id of a new record of a transaction. */
  refOf(draft: OpenDraft, transaction: object): NewRecordId {
    const state = this.stateOf(draft)
    const ref = state.ref ?? new NewRecordId(draft.model, transaction)
    state.ref = ref
    this.#targets.set(ref, draft)
    return ref
  }

  /**
   * Notes who sets a field of a stored record, if the rights of the actor of the request have limits.
   *
   * @param isWritten true for what code writes by `tx`, false for what hooks return
   * @throws {AppError} FORBIDDEN for a field that only a superuser may set
   */
  note(draft: OpenDraft, actor: Actor, name: string, isWritten: boolean): void {
    const { existing, model } = draft
    if (existing === undefined || this.#actor.isSuperuser) return
    if (!actor.isSuperuser && isPrivileged(model, name)) throw forbidden(actor)
    this.#setters ??= new Map()
    const setters = this.#setters.get(draft) ?? { byActor: new Set(), bySystem: new Set(), writtenByActor: new Set() }
    this.#setters.set(draft, setters)
    const [setter, other] = actor === SHELL ? [setters.bySystem, setters.byActor] : [setters.byActor, setters.bySystem]
    setter.add(name)
    other.delete(name)
    if (actor === SHELL) setters.writtenByActor.delete(name)
    else if (isWritten) setters.writtenByActor.add(name)
  }

  /** Who has set fields of stored records, beside the request. */
  get setters(): ReadonlyMap<OpenDraft, Setters> | undefined {
    return this.#setters
  }

  /** What code writes, as drafts with their messages. */
  finished(): readonly DraftedWrite[] {
    return this.#written.map(({ model, draft, existing, actor, via, cause }): DraftedWrite => {
      if (draft === undefined) throw new Error('A deletion among the writes of code')
      const rights = this.#states.get(draft)?.limit ?? actor
      const write = { model, draft: draft.finish(), open: draft, actor: rights, via, cause }
      return existing === undefined ? write : { ...write, existing }
    })
  }
}

const changesOf = ({ changed, values }: OpenDraft): JsonObject =>
  Object.fromEntries(changed.map((name) => [name, values[name] ?? null]))

/** True if a record exists for who reads it: as stored, or because the transaction creates it. */
export const isThere = (stored: StoredRecord | undefined, written: Entry | undefined): boolean =>
  stored !== undefined || (written !== undefined && written.existing === undefined)

const plainValue = (value: unknown): unknown =>
  Array.isArray(value) ? value.filter((item) => !(item instanceof NewRecordId)) : value

const withoutFields = (data: Readonly<Record<string, Json>>, fields: readonly Field[]): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(data).filter(([key]) => !fields.some(({ name }) => name === key)))

const plainData = (data: CodeData): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => (value instanceof NewRecordId ? [] : [[name, plainValue(value) as Json]])),
  )
