import { matchesRecord } from '../access/access-rules.ts'
import { type Actor, forbidden, isPrivileged, noSuchRecord } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Field } from '../model/field.ts'
import { FILE_TABLE, fileIdOf, filesIn, rowOfFileId, rowsOfFiles, type StoredFile } from '../model/files.ts'
import type { Model } from '../model/model.ts'
import { isSameValue, referencesOf, type StoredRecord } from '../store/store.ts'
import { randomUuid } from '../util/ids.ts'
import { groupBy, type Json } from '../util/json.ts'
import { FieldIssues } from '../validate/issues.ts'
import { aboutField } from '../validate/record.ts'
import type { Committer } from './committer.ts'
import type { DraftedWrite } from './drafts.ts'
import type { WriteTarget } from './hooks.ts'
import type { ImportContext } from './imports.ts'
import { byIndex, type Consequence } from './outcomes.ts'

/** A change of a record, as the history has it. */
export interface RecordedChange {
  readonly model: string
  readonly recordId: number
  readonly action: string
  /** True for a change that a deletion caused. */
  readonly isCascade: boolean
  readonly changes: Readonly<Record<string, { readonly before: Json; readonly after: Json; readonly secret?: true }>>
}

/** The history, as far as a restoration asks it. */
export interface DeletionHistory {
  /** Reads the deletion of a record and the other changes of its request; the deletion is the first. */
  readonly deletionOf: (model: Model, id: number) => Promise<readonly RecordedChange[]>
  /** True if changes of a model are recorded. */
  readonly covers: (model: Model) => boolean
}

/** A record that was deleted and is stored again. */
export interface RestoredRecord {
  readonly record: StoredRecord
  /** Records that are restored with it (`cascade`), and those that refer to it again (`set_null`). */
  readonly consequences: readonly Consequence[]
  /** What the history does not have: secrets, and records of models without a history that the deletion may have deleted. */
  readonly notices: readonly string[]
}

type RestoreContext = Pick<ImportContext, 'store' | 'access' | 'hooks' | 'parts' | 'actor' | 'model' | 'options'>

/**
 * Restores a deleted record with its id and times, what its deletion deleted with it, and the references to it that the deletion emptied, in one
 * transaction. Records that have another reference by now, or are gone, stay as they are.
 *
 * @throws {AppError} RECORD_NOT_FOUND, FORBIDDEN, RESTORE_REFUSED with the reasons
 */
export async function restoreRecord(
  committer: Committer,
  context: RestoreContext,
  id: number,
  history: DeletionHistory,
): Promise<RestoredRecord> {
  const { model } = context
  let restoration = new Restoration(context, history)
  const draft = async () => {
    restoration = new Restoration(context, history)
    return restoration.drafts(id, await history.deletionOf(model, id))
  }
  try {
    const [record] = await committer.write({ ...context, prefix: byIndex }, draft)
    if (record === undefined) throw new Error('The store returned no record for an operation')
    return { record, consequences: restoration.consequences, notices: restoration.notices }
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'VALIDATION_FAILED' && typeof error.details !== 'string'
    throw isRefused ? refused(restoration.reasons(error.details as Readonly<Record<string, readonly string[]>>)) : error
  }
}

const refused = (reasons: readonly string[]): AppError => new AppError('RESTORE_REFUSED', reasons.join('; '))

/** The drafts of one restoration. The record itself is the first. */
class Restoration {
  readonly #context: RestoreContext
  readonly #history: DeletionHistory
  readonly #writes: DraftedWrite[] = []
  readonly notices: string[] = []

  constructor(context: RestoreContext, history: DeletionHistory) {
    this.#context = context
    this.#history = history
  }

  get consequences(): readonly Consequence[] {
    const others = groupBy(
      this.#writes.slice(1),
      ({ model, existing }) => `${model.key} ${existing === undefined ? 'cascade' : 'set_null'}`,
    )
    return [...others].map(([key, writes]) => {
      const [model = '', action] = key.split(' ')
      return { model, action: action as Consequence['action'], count: writes.length }
    })
  }

  /** The messages of refused drafts, which are by `<index>.<field>`, as sentences. */
  reasons(messages: Readonly<Record<string, readonly string[]>>): readonly string[] {
    return Object.entries(messages).flatMap(([key, texts]) => {
      const write = this.#writes[Number.parseInt(key, 10)]
      const subject = write === undefined ? '' : `${nameOf(write.model, write.id ?? write.existing?.id ?? 0)}: `
      return texts.map((text) => `${subject}${text}`)
    })
  }

  async drafts(id: number, changes: readonly RecordedChange[]): Promise<readonly DraftedWrite[]> {
    const { model, store, access, actor } = this.#context
    const [deletion] = changes
    if ((await access.read(store, actor, model, [id]))[0] !== undefined) throw refused([`${nameOf(model, id)} exists`])
    // A deleted record that the actor could not view is answered like one that never was.
    const missing = new AppError('RECORD_NOT_FOUND', `${noSuchRecord(model, id)}, and the history has no deletion of it`)
    if (deletion === undefined) throw missing
    const root = this.#draftOf(model, deletion)
    if (!(await this.#couldView(root))) throw missing
    this.#writes.push(root)
    const restored = await this.#absent(deletedWith(deletion, changes, (key) => access.registry.get(key)))
    for (const change of restored) this.#writes.push(this.#draftOf(access.registry.expect(change.model), change))
    await this.#relink(changes, new Set([keyOf(deletion), ...restored.map(keyOf)]))
    // A record that the actor may not view is not named.
    for (const write of this.#writes.slice(1)) if (!(await this.#couldView(write))) throw forbidden(actor)
    for (const write of this.#writes)
      checkRights(actor, write, access.may(actor, write.existing === undefined ? 'add' : 'change', write.model))
    await this.#leaveOutLostFiles()
    this.#noticeUnrecorded()
    for (const [target, writes] of groupBy(this.#writes, (write) => write.model)) {
      await this.#context.hooks.beforeWrite({ ...this.#context, model: target }, writes.map(targetOf))
    }
    return this.#writes
  }

  /** True if the actor may view the record of a write, as it was. The answer and the history tell what was in it. */
  async #couldView({ model, id, stamps, draft, existing }: DraftedWrite): Promise<boolean> {
    const { store, access, actor } = this.#context
    if (!access.may(actor, 'view', model)) return false
    const visible = access.visible(actor, model)
    if (visible === undefined) return true
    return matchesRecord(store, visible, existing ?? { ...draft.values, ...stamps, id: id ?? 0 })
  }

  /** Leaves out the files whose bytes are not kept any more, and names them. */
  async #leaveOutLostFiles(): Promise<void> {
    const written = this.#writes.filter(({ model, existing }) => existing === undefined && model.fileFields.length > 0)
    const wanted = [...new Set(written.flatMap(({ model, draft }) => rowsOfFiles(model.fileFields, draft.values)))]
    const found = wanted.length === 0 ? [] : await this.#context.store.get(FILE_TABLE, wanted)
    const rows = new Map(found.flatMap((row) => (row === undefined ? [] : [[row.id, row] as const])))
    for (const { model, id = 0, draft } of written) {
      for (const { name, type, required } of model.fileFields) {
        const files = filesIn(draft.values[name])
        const kept = files.filter((file) => isPlaceOf(rows.get(rowOfFileId(file.id)?.row ?? 0), file, [model.key, name, id]))
        if (kept.length === files.length) continue
        draft.values[name] = type.list ? kept : null
        const lost = files.filter((each) => !kept.includes(each))
        if (required && kept.length === 0) {
          const names = lost.map((file) => `'${file.name}'`).join(', ')
          throw refused([`${nameOf(model, id)}: ${name} is mandatory, and what it had is not kept any more: ${names}`])
        }
        for (const file of lost)
          this.notices.push(`The file '${file.name}' of ${name} of ${nameOf(model, id)} is not kept any more`)
      }
    }
  }

  /** Names the models without a history whose records the deletion has deleted too, if there were any. */
  #noticeUnrecorded(): void {
    const { access, actor } = this.#context
    const restored = new Set(this.#writes.filter(({ existing }) => existing === undefined).map(({ model }) => model.key))
    for (const model of access.registry.public) {
      if (this.#history.covers(model) || !access.may(actor, 'view', model)) continue
      for (const { relation } of model.relations.values()) {
        if (relation.kind !== 'one' || relation.onDelete !== 'cascade' || !restored.has(relation.target)) continue
        const target = access.registry.expect(relation.target)
        this.notices.push(
          `The history of ${model.name} is not recorded; what was deleted of it with ${target.name} stays deleted`,
        )
      }
    }
  }

  /** The deletions whose records are still gone. */
  async #absent(deletions: readonly RecordedChange[]): Promise<readonly RecordedChange[]> {
    const absent: RecordedChange[] = []
    for (const [key, ofModel] of groupBy(deletions, ({ model }) => model)) {
      const stored = await this.#context.store.get(
        key,
        ofModel.map(({ recordId }) => recordId),
      )
      absent.push(...ofModel.filter((_, index) => stored[index] === undefined))
    }
    return absent
  }

  #draftOf(model: Model, { recordId: id, changes }: RecordedChange): DraftedWrite {
    const issues = new FieldIssues()
    const values: Record<string, Json> = {}
    const stamps: Record<string, string> = {}
    for (const field of model.fields.values()) {
      const { name } = field
      const change = changes[name]
      if (name === 'id') continue
      if (field.system) {
        if (typeof change?.before === 'string') stamps[name] = change.before
      } else if (field.type.secret) {
        if (change?.secret !== true) continue
        // A random secret that is not stored elsewhere, so that no login matches it.
        values[name] = field.required
          ? `${randomUuid(this.#context.parts.random)}${randomUuid(this.#context.parts.random)}`
          : null
        this.notices.push(`The history has no ${name} of ${nameOf(model, id)}; set a new one`)
      } else values[name] = readStored(field, change?.before ?? addedDefault(field), issues)
    }
    return { model, id, stamps, draft: { data: values, values, issues } }
  }

  /** Refers to the restored records again, where the deletion emptied the reference and no other one was set since. */
  async #relink(changes: readonly RecordedChange[], restored: ReadonlySet<string>): Promise<void> {
    const { registry } = this.#context.access
    const emptied = changes.filter(
      ({ action, isCascade, model }) => action === 'update' && isCascade && registry.get(model) !== undefined,
    )
    for (const [key, ofModel] of groupBy(emptied, ({ model }) => model)) {
      const model = registry.expect(key)
      const stored = await this.#context.store.get(
        key,
        ofModel.map(({ recordId }) => recordId),
      )
      for (const [index, { changes: fields }] of ofModel.entries()) {
        const existing = stored[index]
        if (existing === undefined) continue
        const values: Record<string, Json> = {}
        for (const { name, relation } of model.relations.values()) {
          const change = fields[name]
          if (change === undefined) continue
          const lost = idsOf(change.before).filter((id) => restored.has(`${relation.target} ${id}`))
          const value = lost.length === 0 ? undefined : linkedAgain(existing[name] ?? null, change, lost)
          if (value !== undefined) values[name] = value
        }
        if (Object.keys(values).length === 0) continue
        this.#writes.push({ model, existing, quiet: true, draft: { data: values, values, issues: new FieldIssues() } })
      }
    }
  }
}

/** True if a row of the registry is that of a file of this place, which has the same bytes. */
const isPlaceOf = (
  row: StoredRecord | undefined,
  { id, sha256 }: StoredFile,
  [model, field, record]: readonly [model: string, field: string, record: number],
): boolean =>
  row !== undefined &&
  fileIdOf(String(row.token), row.id) === id &&
  row.model === model &&
  row.field === field &&
  row.record_id === record &&
  row.sha256 === sha256

const nameOf = ({ name }: Model, id: number): string => `${name} with ID ${id}`

const keyOf = ({ model, recordId }: RecordedChange): string => `${model} ${recordId}`

const targetOf = ({ existing, draft }: DraftedWrite): WriteTarget => ({ existing, data: draft.values })

const idsOf = (value: Json): readonly number[] => [value].flat().filter((id) => typeof id === 'number')

/** The value of a field that the deleted record did not have: the default, if the field has become mandatory since. */
const addedDefault = ({ required, default: value }: Field): Json => (required ? (value ?? null) : null)

/** A value that was stored, if its field still takes it. Limits are checked by the store. */
function readStored({ name, type }: Field, value: Json, issues: FieldIssues): Json {
  if (value === null) return type.list ? [] : null
  const reading = type.read(value)
  if (reading.ok) return reading.value
  issues.add(name, aboutField(name, reading.problem))
  return null
}

/** The links as they were; if they have changed since, those of now and the lost ones. Undefined if the reference is another one by now. */
function linkedAgain(
  present: Json,
  { before, after }: RecordedChange['changes'][string],
  lost: readonly number[],
): Json | undefined {
  if (!Array.isArray(before)) return present === null ? before : undefined
  const ids = idsOf(present)
  const missing = lost.filter((id) => !ids.includes(id))
  if (missing.length === 0) return undefined
  const isWhole = isSameValue(present, after) && missing.length === before.length - idsOf(after).length
  return isWhole ? before : [...ids, ...missing]
}

/** @throws {AppError} FORBIDDEN for a record that the actor may not write, or whose values only a superuser may set */
function checkRights(actor: Actor, { model, id, existing, draft }: DraftedWrite, isAllowed: boolean): void {
  const grants = ([name, value]: [string, Json]) =>
    isPrivileged(model, name) && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
  if (isAllowed && (actor.isSuperuser || !Object.entries(draft.values).some(grants))) return
  const refusal = forbidden(actor)
  if (refusal.code !== 'FORBIDDEN') throw refusal
  throw new AppError('FORBIDDEN', `${refusal.message}: ${nameOf(model, id ?? existing?.id ?? 0)}`)
}

/**
 * The deletions of a request that belong to one of them: what was deleted since it referred to a restored record, and what a restored record
 * refers to.
 */
function deletedWith(
  first: RecordedChange,
  changes: readonly RecordedChange[],
  modelOf: (key: string) => Model | undefined,
): readonly RecordedChange[] {
  const deletions = changes.filter(({ action, model }) => action === 'delete' && modelOf(model) !== undefined)
  const byKey = new Map(deletions.map((change) => [keyOf(change), change]))
  const referrers = new Map<string, RecordedChange[]>()
  const targetsOf = (change: RecordedChange, cascades: boolean): string[] => {
    const before = Object.fromEntries(Object.entries(change.changes).map(([name, { before: value }]) => [name, value]))
    const fields = [...(modelOf(change.model)?.relations.values() ?? [])]
    const counted = cascades
      ? fields.filter(({ relation }) => relation.kind === 'one' && relation.onDelete === 'cascade')
      : fields
    return counted.flatMap(({ name, relation }) => referencesOf(before, name).map((id) => `${relation.target} ${id}`))
  }
  for (const change of deletions) {
    if (!change.isCascade) continue
    for (const target of targetsOf(change, true)) referrers.set(target, [...(referrers.get(target) ?? []), change])
  }
  const found = new Set([keyOf(first)])
  const pending = [first]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const related = [...(referrers.get(keyOf(next)) ?? []), ...targetsOf(next, false).flatMap((key) => byKey.get(key) ?? [])]
    for (const change of related) {
      if (found.has(keyOf(change))) continue
      found.add(keyOf(change))
      pending.push(change)
    }
  }
  return deletions.filter((change) => change !== first && found.has(keyOf(change)))
}
