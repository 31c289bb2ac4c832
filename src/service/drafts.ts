import type { PasswordHasher } from '../auth/password.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Model } from '../model/model.ts'
import type { Operation, StoredRecord } from '../store/store.ts'
import { versionOf } from '../store/version.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import type { Json } from '../util/json.ts'
import { checkForm, type Form } from '../validate/form.ts'
import type { FieldIssues } from '../validate/issues.ts'
import { readRecord } from '../validate/record.ts'
import type { RecordData } from './requests.ts'
import { checkCreationKeys } from './settable.ts'

/** What a request makes of a record, before it is committed: the values in stored form (secrets still plain), or why not. */
export interface Draft {
  readonly values: Readonly<Record<string, Json>>
  readonly issues: FieldIssues
}

/** A draft of an insert. */
export function draftNew(actor: Actor, model: Model, form: Form | undefined, data: RecordData): Draft {
  const issues = checkCreationKeys(actor, model, form, data)
  const { values, issues: found } = readRecord(model, data)
  if (form !== undefined) checkForm(form, values, new Set(), found)
  issues.addMissing(found)
  return { values, issues }
}

/** A draft of an update: the fields that it changes, judged as part of the whole merged record. */
export function draftChange(model: Model, form: Form | undefined, existing: StoredRecord, data: RecordData): Draft {
  const { values, issues } = readRecord(model, data, existing)
  if (form !== undefined) {
    const kept = secretsOf(model).filter((name) => existing[name] != null && !Object.hasOwn(data, name))
    checkForm(form, { ...existing, ...values }, new Set(kept), issues)
  }
  return { values: Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(data, name))), issues }
}

/** Makes store operations of sound drafts: secrets hashed, timestamps set. */
export class Finisher {
  readonly #hasher: PasswordHasher
  readonly #clock: Clock

  constructor(hasher: PasswordHasher, clock: Clock) {
    this.#hasher = hasher
    this.#clock = clock
  }

  async insert(model: Model, { values }: Draft, id?: number): Promise<Operation> {
    const now = isoTime(this.#clock())
    const stamps = model.timestamps ? { created_at: now, updated_at: now } : {}
    const stored = { ...values, ...(await this.hashSecrets(model, values)), ...stamps }
    return { kind: 'insert', table: model.key, values: stored, ...(id === undefined ? {} : { id }) }
  }

  /** @param secrets the changed secrets, hashed */
  update(model: Model, existing: StoredRecord, { values }: Draft, secrets: Readonly<Record<string, Json>>): Operation {
    const stored = { ...values, ...secrets, ...this.#touch(model, existing) }
    return { kind: 'update', table: model.key, id: existing.id, values: stored, expect: versionOf(existing) }
  }

  /** The hashes of those secrets that `values` holds in plain. */
  async hashSecrets(model: Model, values: Readonly<Record<string, unknown>>): Promise<Record<string, Json>> {
    const hashed: Record<string, Json> = {}
    for (const name of secretsOf(model)) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      if (typeof value === 'string') hashed[name] = await this.#hasher.hash(value)
    }
    return hashed
  }

  /** `updated_at` moves forward with every update, even within one millisecond. */
  #touch(model: Model, existing: StoredRecord): Record<string, Json> {
    if (!model.timestamps) return {}
    const before = Date.parse(String(existing['updated_at']))
    return { updated_at: isoTime(Number.isNaN(before) ? this.#clock() : Math.max(this.#clock(), before + 1)) }
  }
}

const secretsOf = (model: Model): string[] => [...model.fields.values()].filter(({ type }) => type.secret).map(({ name }) => name)
