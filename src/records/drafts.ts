import type { PasswordHasher } from '../auth/password.ts'
import { type Actor, forbidden, isPrivileged, SYSTEM } from '../auth/permissions.ts'
import type { Field, GeneratedDefault } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { isSameValue, type Operation, type StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { type Random, randomUuid } from '../util/ids.ts'
import type { Json } from '../util/json.ts'
import { mapInSlices } from '../util/slices.ts'
import { checkForm, type Form } from '../validate/form.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import { aboutField, readRecord, readValue } from '../validate/record.ts'
import { checkRecordSize } from '../validate/record-size.ts'
import type { RecordData } from './write-requests.ts'

/** Used in place of a field name for errors of a whole row. */
export const WHOLE_ROW = 'row'

/** The values that a request would store (secrets still in plain text), or its errors. */
interface Draft {
  /** Values of the request, as sent. Empty for new records without secrets, so that imports need not keep their rows. */
  readonly data: RecordData
  /** The server's own values, such as timestamps, are added on commit. */
  readonly values: Record<string, Json>
  readonly issues: FieldIssues
}

/** What drafts depend on beside the request: the sources of generated values, and the setting `max_record_bytes`. */
export interface DraftParts extends DefaultSources {
  readonly maxRecordBytes: number
}

/**
 * A draft of an insert.
 *
 * @throws {AppError} FORBIDDEN for a field that only a superuser may set
 */
export const draftNew = (actor: Actor, model: Model, form: Form | undefined, data: RecordData, parts: DraftParts): Draft =>
  OpenDraft.ofNew(actor, model, form, data, parts).finish()

const NO_DATA: RecordData = {}

/** A draft of an update: the fields that get another value, validated within the merged record. */
export const draftChange = (
  model: Model,
  form: Form | undefined,
  existing: StoredRecord,
  data: RecordData,
  parts: Pick<DraftParts, 'maxRecordBytes'>,
): Draft => OpenDraft.ofChange(model, form, existing, data, parts).finish()

/** What an open draft is made of. */
interface OpenParts {
  readonly model: Model
  readonly form: Form | undefined
  readonly existing: StoredRecord | undefined
  readonly data: RecordData
  /** Faults of the keys. */
  readonly keys: FieldIssues
  readonly maxRecordBytes: number
}

/** A draft whose values have been read, and not yet validated within the record. Code of the project may set further values. */
export class OpenDraft {
  readonly model: Model
  readonly form: Form | undefined
  /** As stored; undefined for a new record. */
  readonly existing: StoredRecord | undefined
  /** Values of the request, as sent. */
  readonly data: RecordData
  /** The record as it would be stored, with defaults; secrets that are set are in plain text. */
  values: Record<string, Json>
  readonly #parts: OpenParts
  /** Values of the request with generated defaults. */
  readonly #given: RecordData
  #found: FieldIssues
  /** Names that code has set. */
  readonly #set = new Set<string>()
  /** Fields that get the ids of other new records. */
  refs: readonly DraftRef[] = []
  /** Files that code has set by their ids, by field. */
  readonly #files = new Map<string, Json>()

  private constructor(parts: OpenParts, given: RecordData) {
    this.model = parts.model
    this.form = parts.form
    this.existing = parts.existing
    this.data = parts.data
    this.#parts = parts
    this.#given = given
    const { values, issues } = readRecord(parts.model, given, parts.existing)
    this.values = values
    this.#found = issues
  }

  /** @throws {AppError} FORBIDDEN for a field that only a superuser may set */
  static ofNew(actor: Actor, model: Model, form: Form | undefined, data: RecordData, parts: DraftParts): OpenDraft {
    const refusal = (name: string) => `Field '${name}' is not allowed to be set at creation`
    const keys = checkKeys(actor, model, form?.creationFields, data, refusal)
    const { maxRecordBytes } = parts
    const given = withGeneratedDefaults(model, actor, data, parts)
    return new OpenDraft({ model, form, existing: undefined, data, keys, maxRecordBytes }, given)
  }

  static ofChange(
    model: Model,
    form: Form | undefined,
    existing: StoredRecord,
    data: RecordData,
    { maxRecordBytes }: Pick<DraftParts, 'maxRecordBytes'>,
  ): OpenDraft {
    return new OpenDraft({ model, form, existing, data, keys: new FieldIssues(), maxRecordBytes }, data)
  }

  /** True if what the request sends is faulty: a key, a type or a limit. */
  get isRefused(): boolean {
    return this.#parts.keys.any || (this.#found.any && Object.keys(this.data).some((name) => this.#found.has(name)))
  }

  /** True if the record, as it is so far, would be refused. */
  get isFaulty(): boolean {
    return this.#parts.keys.any || this.#found.any
  }

  /** True if a field gets another value. */
  get isChanged(): boolean {
    const { existing, model, values } = this
    if (existing === undefined || this.refs.length > 0) return true
    for (const name of [...Object.keys(this.data), ...this.#set]) {
      if (Object.hasOwn(values, name) && isChange(model, existing, name, values[name] ?? null)) return true
    }
    return false
  }

  /** Names of the fields that get another value. */
  get changed(): readonly string[] {
    const { existing, model } = this
    if (existing === undefined) return Object.keys(this.values)
    const referring = new Set(this.refs.map(({ field }) => field))
    return Object.keys(this.values).filter(
      (name) =>
        referring.has(name) ||
        ((Object.hasOwn(this.data, name) || this.#set.has(name)) && isChange(model, existing, name, this.values[name] ?? null)),
    )
  }

  /** Sets a value, with the checks of its type and limits. Ids of new records that the field had are gone. */
  set(field: Field, raw: unknown): void {
    this.#files.delete(field.name)
    const isOpen = field.file !== undefined && raw !== undefined && raw !== null
    if (isOpen) this.#files.set(field.name, raw as Json)
    this.#put(field, isOpen ? { value: raw as Json, problems: [] } : readValue(field, raw))
  }

  /** The files that code has set by their ids, which are not looked up yet. */
  get openFiles(): RecordData {
    return Object.fromEntries(this.#files)
  }

  /** Sets the files that code has set, once they are looked up. */
  setFiles(files: RecordData): void {
    for (const { name } of this.model.fileFields) {
      const field = this.model.fields.get(name)
      if (field !== undefined && this.#files.delete(name)) this.#put(field, readValue(field, files[name]))
    }
  }

  #put(field: Field, { value, problems }: ReturnType<typeof readValue>): void {
    if (this.refs.length > 0) this.refs = this.refs.filter((ref) => ref.field !== field.name)
    this.values[field.name] = value
    this.#set.add(field.name)
    this.#found.delete(field.name)
    this.#found.add(field.name, ...problems.map((problem) => aboutField(field.name, problem)))
  }

  /** Sets the id of a new record, or adds it to a list of ids. */
  refer(field: Field, target: OpenDraft): void {
    this.refs = [...this.refs, { field: field.name, target }]
    this.#set.add(field.name)
    this.#found.delete(field.name)
  }

  /** Forgets what code has set. */
  reset(): void {
    const { values, issues } = readRecord(this.model, this.#given, this.existing)
    this.values = values
    this.#found = issues
    this.#set.clear()
    this.#files.clear()
    this.refs = []
  }

  /** Adds messages of a validation. */
  complain(field: string, ...messages: readonly string[]): void {
    this.#found.add(field, ...messages)
  }

  /** The draft as it is so far, without messages. */
  unfinished(): Draft {
    return { data: this.data, values: this.values, issues: new FieldIssues() }
  }

  /** Validates the record by its form and its size. */
  finish(): Draft {
    const { model, form, existing, data, values } = this
    const { keys, maxRecordBytes } = this.#parts
    const found = this.#found
    if (existing === undefined) {
      if (form !== undefined) checkForm(form, values, new Set(), found)
      checkRecordSize({ model, values, set: Object.keys(values) }, maxRecordBytes, found)
      keys.addMissing(found)
      return { data: model.secrets.length === 0 ? NO_DATA : data, values, issues: keys }
    }
    if (form !== undefined) {
      const kept = model.secrets.filter((name) => existing[name] != null && !Object.hasOwn(data, name))
      checkForm(form, { ...existing, ...values }, new Set(kept), found)
    }
    const changed: Record<string, Json> = {}
    for (const name of this.changed) changed[name] = values[name] ?? null
    const former = () => readRecord(model, {}, existing).values
    checkRecordSize({ model, values, former, set: Object.keys(changed) }, maxRecordBytes, found)
    return { data, values: changed, issues: found }
  }
}

/** A stored record without a value of a list, such as one that is older than the field, has an empty list. A secret is stored as its hash. */
function isChange(model: Model, existing: StoredRecord, name: string, value: Json): boolean {
  const stored = existing[name] ?? (model.fields.get(name)?.type.list === true ? [] : null)
  return !isSameValue(stored, value)
}

/** A draft with its target: a new record, or an existing one. */
export interface DraftedWrite {
  readonly model: Model
  readonly draft: Draft
  /** The form that the request names. */
  readonly form?: Form | undefined
  readonly existing?: StoredRecord
  /** True for a deletion of the existing record; its draft is empty. */
  readonly isRemoval?: boolean
  /** Id of a new record; the next id when absent. */
  readonly id?: number | undefined
  /** `created_at` and `updated_at` of an imported record. */
  readonly stamps?: Readonly<Record<string, string>>
  /** Leaves `updated_at` unchanged. A write of quiet drafts alone has no events and no history. */
  readonly quiet?: boolean
  /** Id of a session that goes on although the password changes. */
  readonly keptSession?: number | undefined
  /** Where the draft comes from, if code of the project has seen it. */
  readonly open?: OpenDraft
  /** How the record is written, and with whose rights, if that differs from the write. */
  readonly via?: string | undefined
  readonly actor?: Actor | undefined
  /** Index of the draft of the request that code has written this one for. */
  readonly cause?: number
}

/** A field of a draft that gets the id of another new record. */
export interface DraftRef {
  readonly field: string
  readonly target: OpenDraft
}

/** True for the draft of a row that could not be read. The store would report all of its required fields as missing. */
export const isUnreadable = ({ draft }: DraftedWrite): boolean => draft.issues.has(WHOLE_ROW)

/** A deletion of a stored record, among other writes. */
export const draftRemoval = (model: Model, existing: StoredRecord): DraftedWrite => ({
  model,
  existing,
  isRemoval: true,
  draft: { data: NO_DATA, values: {}, issues: new FieldIssues() },
})

type WriteOperation = Exclude<Operation, { kind: 'assert' }>

/** Turns drafts into store operations: hashes secrets and sets timestamps. */
export class OperationBuilder {
  readonly #hasher: PasswordHasher
  readonly #clock: Clock
  /** Hashes by request data, so that a repeated write does not hash again. */
  readonly #hashes = new WeakMap<RecordData, Promise<Record<string, Json>>>()

  constructor(hasher: PasswordHasher, clock: Clock) {
    this.#hasher = hasher
    this.#clock = clock
  }

  /**
   * The operations of writes, in their order.
   *
   * @param isRehearsal leaves secrets in plain text, for dry runs only
   */
  async operations(writes: readonly DraftedWrite[], isRehearsal = false): Promise<readonly WriteOperation[]> {
    const hashes = !isRehearsal && writes.some(({ model }) => model.secrets.length > 0)
    const secretsOf = (write: DraftedWrite) => (write.model.secrets.length > 0 ? this.#secretsOf(write) : undefined)
    const secrets = hashes ? await Promise.all(writes.map(secretsOf)) : []
    const places = new Map(
      writes.some(({ open }) => open !== undefined) ? writes.map(({ open }, index) => [open, index] as const) : [],
    )
    return mapInSlices(writes, (write, index) => {
      const operation = this.#operation(write, secrets[index])
      const refs = write.open?.refs.map(({ field, target }) => ({ field, operation: places.get(target) ?? -1 })) ?? []
      if (refs.length === 0 && write.via === undefined) return operation
      return { ...operation, ...(refs.length === 0 ? {} : { refs }), ...(write.via === undefined ? {} : { via: write.via }) }
    })
  }

  #operation(write: DraftedWrite, secrets: Readonly<Record<string, Json>> | undefined): WriteOperation {
    const { model, draft, existing, id, isRemoval = false } = write
    const table = model.key
    if (isRemoval && existing !== undefined) return { kind: 'remove', table, id: existing.id, expect: existing }
    // A draft without secrets needs no copy; an import has a million of them.
    const target = model.secrets.length === 0 ? draft.values : { ...draft.values }
    const values = Object.assign(target, secrets, this.#stamps(write))
    if (existing !== undefined) return { kind: 'update', table, id: existing.id, values, expect: existing }
    return id === undefined ? { kind: 'insert', table, values } : { kind: 'insert', table, values, id }
  }

  #secretsOf({ model, draft }: DraftedWrite): Promise<Record<string, Json>> {
    // Code may set another secret for each record, and in each attempt.
    if (model.secrets.some((name) => (draft.values[name] ?? null) !== (draft.data[name] ?? null))) {
      return this.#hashSecrets(model, draft.values)
    }
    const hashing = this.#hashes.get(draft.data) ?? this.#hashSecrets(model, draft.values)
    this.#hashes.set(draft.data, hashing)
    return hashing
  }

  async #hashSecrets(model: Model, values: Draft['values']): Promise<Record<string, Json>> {
    const hashed: Record<string, Json> = {}
    for (const name of model.secrets) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      if (typeof value === 'string') hashed[name] = await this.#hasher.hash(value)
    }
    return hashed
  }

  /** `updated_at` increases with every update that changes something, even within one millisecond. */
  #stamps({ model, draft, existing, stamps, quiet = false }: DraftedWrite): Readonly<Record<string, Json>> {
    if (!model.timestamps || quiet) return {}
    const now = this.#clock()
    if (existing === undefined) {
      const at = isoTime(now)
      return Object.assign({ created_at: at, updated_at: at }, stamps)
    }
    if (Object.keys(draft.values).length === 0) return {}
    const before = Date.parse(String(existing.updated_at))
    return { updated_at: isoTime(Number.isNaN(before) ? now : Math.max(now, before + 1)) }
  }
}

/** The sources of generated values. */
interface DefaultSources {
  readonly clock: Clock
  readonly random: Random
}

/** The values of a new record with those that are generated when a request omits them. */
function withGeneratedDefaults(model: Model, actor: Actor, data: RecordData, sources: DefaultSources): RecordData {
  if (model.generated.length === 0) return data
  const values: Record<string, Json> = {}
  for (const { name, generated } of model.generated) {
    if (!Object.hasOwn(data, name)) values[name] = generatedValue(generated, actor, sources)
  }
  return { ...values, ...data }
}

/** The value that a generator gives now. */
export const generatedValue = (generated: GeneratedDefault, actor: Actor, sources: DefaultSources): Json =>
  GENERATORS[generated](sources, actor)

const GENERATORS: Readonly<Record<GeneratedDefault, (sources: DefaultSources, actor: Actor) => Json>> = {
  now: ({ clock }) => isoTime(clock()),
  today: ({ clock }) => isoTime(clock()).slice(0, 10),
  uuid: ({ random }) => randomUuid(random),
  // The server and the command line are no user.
  user: (_, { userId }) => userId ?? null,
}

/**
 * Checks the fields of an update against the model and the form's `allowed_update_fields`.
 *
 * @throws {AppError} FORBIDDEN for a field that only a superuser may set
 */
export function checkUpdateKeys(actor: Actor, model: Model, form: Form | undefined, data: RecordData): FieldIssues {
  const refusal = (name: string) => `Field '${name}' is not allowed to be updated`
  return checkKeys(actor, model, form?.updateFields, data, refusal)
}

function checkKeys(
  actor: Actor,
  model: Model,
  allowed: ReadonlySet<string> | undefined,
  data: RecordData,
  refusal: (name: string) => string,
): FieldIssues {
  const issues = new FieldIssues()
  for (const name of Object.keys(data)) {
    if (issues.size >= MAX_NAMED) break
    const field = model.fields.get(name)
    const isRefused = allowed?.has(name) === false || field?.system === true || (field?.serverSet === true && actor !== SYSTEM)
    if (field?.computed === true) issues.add(name, `${name} is computed`)
    else if (isRefused) issues.add(name, refusal(name))
    else if (field === undefined) issues.add(name, `Field '${name}' does not exist`)
    else if (!actor.isSuperuser && isPrivileged(model, name)) throw forbidden(actor)
  }
  return issues
}
