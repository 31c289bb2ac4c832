import type { AccessRule, AccessRules } from '../access/access-rules.ts'
import type { Condition } from '../access/condition.ts'
import { type Actor, forbidden } from '../auth/permissions.ts'
import type { Source } from '../config/source.ts'
import { AppError } from '../errors.ts'
import type { GeneratedDefault } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { RecordReader, StoredRecord } from '../store/store.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { FieldIssues } from '../validate/issues.ts'
import { type DraftParts, draftNew, generatedValue } from './drafts.ts'
import { JudgedRecords, type RelatedRecord } from './judged-records.ts'
import { MAX_BULK_RECORDS, type RecordData } from './write-requests.ts'

/** What an action is performed on: one record, one or several, or none. */
export const ACTION_TARGETS = ['record', 'selection', 'model'] as const

/** Where a value comes from that an action sets. */
export type SetSource =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'generated'; readonly generated: GeneratedDefault }
  | { readonly kind: 'input'; readonly input: string }

/** What the code of an action gets. */
export interface ActionWork {
  /** Without secret fields. */
  readonly records: readonly StoredRecord[]
  readonly input: JsonObject
  /** Sets fields of one of the records, or of all. */
  readonly set: (values: RecordData, record?: { readonly id: number }) => void
}

/** The code of an action, with its place for messages. It is called with its `ActionWork` and the transaction. */
export interface ActionCode {
  readonly file: string
  readonly line: number
  readonly name: string
  readonly call: (work: never, tx: never) => unknown
}

/** An action of a model: what a button does with records. */
export interface ModelAction {
  readonly model: Model
  readonly name: string
  readonly title: string
  readonly icon: string | undefined
  readonly tone: 'default' | 'danger'
  /** The question before it; `{count}` stands for the number of records. */
  readonly confirm: string | undefined
  readonly on: (typeof ACTION_TARGETS)[number]
  /** The records that it is possible for; undefined for all. */
  readonly when: { readonly text: string; readonly condition: Condition } | undefined
  /** Who may perform it; undefined for the permission `<name>_<model>`, or the access of the model. */
  readonly access: AccessRule | undefined
  /** The fields of its input, as a model. */
  readonly input: Model
  /** By field. */
  readonly set: ReadonlyMap<string, SetSource>
  /** What it does besides; undefined if it only sets fields. */
  readonly run: ActionCode | undefined
  readonly source: Source
}

/** The actions of a project. */
export class ModelActions {
  /** In the order of files. */
  readonly all: readonly ModelAction[]
  readonly #byModel = new Map<string, Map<string, ModelAction>>()

  constructor(actions: readonly ModelAction[]) {
    this.all = actions
    for (const action of actions) {
      const { key } = action.model
      this.#byModel.set(key, (this.#byModel.get(key) ?? new Map<string, ModelAction>()).set(action.name, action))
    }
  }

  /** True if one of them has code. */
  get areCoded(): boolean {
    return this.all.some(({ run }) => run !== undefined)
  }

  /** The actions of a model, in the order of files. */
  of({ key }: Model): readonly ModelAction[] {
    return [...(this.#byModel.get(key)?.values() ?? [])]
  }

  /** @throws {AppError} ACTION_NOT_FOUND */
  named(model: Model, name: string): ModelAction {
    const own = this.#byModel.get(model.key)
    const action = own?.get(name)
    if (action !== undefined) return action
    const known = own === undefined ? '' : meantOrKnown(name, [...own.keys()])
    throw new AppError('ACTION_NOT_FOUND', `${model.name} has no action '${name}'${known}`)
  }
}

/** What an action has done. */
export interface ActionResult {
  /** A sentence for the user. */
  readonly message: string
  /** The records as they are, or in a dry run would be. */
  readonly records: readonly StoredRecord[]
}

/** What the code of an action returns, or `Publish: 3 records`. */
export const actionMessage = ({ title, on }: ModelAction, count: number, returned: unknown): string => {
  if (typeof returned === 'string' && returned !== '') return returned
  return on === 'model' ? title : `${title}: ${count} ${count === 1 ? 'record' : 'records'}`
}

/**
 * Reads the input of an action.
 *
 * @returns a value for each field of the input
 * @throws {AppError} VALIDATION_FAILED by `input.<field>`
 */
export async function readInput(
  reader: RecordReader,
  access: AccessRules,
  actor: Actor,
  { input: model }: ModelAction,
  sent: RecordData,
  parts: DraftParts,
): Promise<JsonObject> {
  const { values, issues: found } = draftNew(actor, model, undefined, sent, parts)
  for (const { name, relation } of model.relations.values()) {
    const ids = [values[name] ?? []].flat().map(Number)
    const related = await access.read(reader, actor, access.registry.expect(relation.target), ids)
    if (related.includes(undefined) && !found.has(name)) found.add(name, `${name} references a non-existent record`)
  }
  const issues = new FieldIssues()
  issues.addAll(found, 'input.')
  issues.throwIfAny()
  return values
}

/** The values that an action sets. */
export function setValues(action: ModelAction, input: JsonObject, actor: Actor, parts: DraftParts): RecordData {
  const given = (source: SetSource): Json => {
    if (source.kind === 'value') return source.value
    return source.kind === 'input' ? (input[source.input] ?? null) : generatedValue(source.generated, actor, parts)
  }
  return Object.fromEntries([...action.set].map(([field, source]) => [field, given(source)]))
}

/** @throws {AppError} INVALID_REQUEST for more records than code takes */
export function checkCount({ name }: ModelAction, count: number): void {
  if (count <= MAX_BULK_RECORDS) return
  throw new AppError('INVALID_REQUEST', `The action '${name}' takes at most ${MAX_BULK_RECORDS} records, not ${count}`)
}

/** Number of records that a message names. */
const MAX_NAMED_RECORDS = 10

/**
 * Checks that an action is possible for records, as they were read.
 *
 * @returns the related records that this depends on, which must be so when the action commits
 * @throws {AppError} FORBIDDEN for a record that the actor may not perform it on, ACTION_REFUSED for one whose condition is false
 */
export async function checkAction(
  reader: RecordReader,
  access: AccessRules,
  actor: Actor,
  { model, name, when }: ModelAction,
  records: readonly StoredRecord[],
): Promise<readonly RelatedRecord[]> {
  const judged = new JudgedRecords(reader, records)
  const denied = await judged.unmatched(access.only(actor, name, model))
  if (denied.length > 0) throw forbidden(actor)
  const refused = when === undefined ? [] : await judged.unmatched(access.matching(actor, when.condition))
  if (refused.length === 0) return judged.related
  const ids = refused.slice(0, MAX_NAMED_RECORDS).map(({ id }) => id)
  const more = refused.length > ids.length ? ` and ${refused.length - ids.length} more` : ''
  const which = refused.length === 1 ? `ID ${ids[0]}` : `the IDs ${ids.join(', ')}${more}`
  throw new AppError(
    'ACTION_REFUSED',
    `The action '${name}' is not possible for ${model.name} with ${which}; nothing was changed`,
  )
}
