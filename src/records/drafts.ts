import type { PasswordHasher } from '../auth/password.ts'
import { type Actor, forbidden, isPrivileged, SYSTEM } from '../auth/permissions.ts'
import type { GeneratedDefault } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { isSameValue, type Operation, type StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { type Random, randomUuid } from '../util/ids.ts'
import type { Json } from '../util/json.ts'
import { mapInSlices } from '../util/slices.ts'
import { checkForm, type Form } from '../validate/form.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import { readRecord } from '../validate/record.ts'
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
export function draftNew(actor: Actor, model: Model, form: Form | undefined, data: RecordData, parts: DraftParts): Draft {
  const refusal = (name: string) => `Field '${name}' is not allowed to be set at creation`
  const issues = checkKeys(actor, model, form?.creationFields, data, refusal)
  const { values, issues: found } = readRecord(model, withGeneratedDefaults(model, actor, data, parts))
  if (form !== undefined) checkForm(form, values, new Set(), found)
  checkRecordSize({ model, values, set: Object.keys(values) }, parts.maxRecordBytes, found)
  issues.addMissing(found)
  return { data: model.secrets.length === 0 ? NO_DATA : data, values, issues }
}

const NO_DATA: RecordData = {}

/** A draft of an update: the fields that get another value, validated within the merged record. */
export function draftChange(
  model: Model,
  form: Form | undefined,
  existing: StoredRecord,
  data: RecordData,
  { maxRecordBytes }: Pick<DraftParts, 'maxRecordBytes'>,
): Draft {
  const { values, issues } = readRecord(model, data, existing)
  if (form !== undefined) {
    const kept = model.secrets.filter((name) => existing[name] != null && !Object.hasOwn(data, name))
    checkForm(form, { ...existing, ...values }, new Set(kept), issues)
  }
  const changed = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => Object.hasOwn(data, name) && isChange(model, existing, name, value)),
  )
  const former = () => readRecord(model, {}, existing).values
  checkRecordSize({ model, values, former, set: Object.keys(changed) }, maxRecordBytes, issues)
  return { data, values: changed, issues }
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
  /** Id of a new record; the next id when absent. */
  readonly id?: number | undefined
  /** `created_at` and `updated_at` of an imported record. */
  readonly stamps?: Readonly<Record<string, string>>
  /** Leaves `updated_at` unchanged. A write of quiet drafts alone has no events and no history. */
  readonly quiet?: boolean
  /** Id of a session that goes on although the password changes. */
  readonly keptSession?: number | undefined
}

/** True for the draft of a row that could not be read. The store would report all of its required fields as missing. */
export const isUnreadable = ({ draft }: DraftedWrite): boolean => draft.issues.has(WHOLE_ROW)

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
  async operations(writes: readonly DraftedWrite[], isRehearsal = false): Promise<readonly Operation[]> {
    const hashes = !isRehearsal && writes.some(({ model }) => model.secrets.length > 0)
    const secretsOf = (write: DraftedWrite) => (write.model.secrets.length > 0 ? this.#secretsOf(write) : undefined)
    const secrets = hashes ? await Promise.all(writes.map(secretsOf)) : []
    return mapInSlices(writes, (write, index) => this.#operation(write, secrets[index]))
  }

  #operation(write: DraftedWrite, secrets: Readonly<Record<string, Json>> | undefined): Operation {
    const { model, draft, existing, id } = write
    const table = model.key
    // A draft without secrets needs no copy; an import has a million of them.
    const target = model.secrets.length === 0 ? draft.values : { ...draft.values }
    const values = Object.assign(target, secrets, this.#stamps(write))
    if (existing !== undefined) return { kind: 'update', table, id: existing.id, values, expect: existing }
    return id === undefined ? { kind: 'insert', table, values } : { kind: 'insert', table, values, id }
  }

  #secretsOf({ model, draft }: DraftedWrite): Promise<Record<string, Json>> {
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
    if (!Object.hasOwn(data, name)) values[name] = GENERATORS[generated](sources, actor)
  }
  return { ...values, ...data }
}

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
    if (isRefused) issues.add(name, refusal(name))
    else if (field === undefined) issues.add(name, `Field '${name}' does not exist`)
    else if (!actor.isSuperuser && isPrivileged(model, name)) throw forbidden(actor)
  }
  return issues
}
