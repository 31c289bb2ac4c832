import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { type Field, isRelation, type RelationField } from '../model/field.ts'
import { FIELD_TYPES } from '../model/fields.ts'
import type { Model } from '../model/model.ts'
import type { LabelRequest } from '../query/parse.ts'
import { referencesOf, type Store, type StoredRecord } from '../store/store.ts'
import { isObject, type Json } from '../util/json.ts'
import { meantOrKnown } from '../util/suggest.ts'
import type { FieldViewDefinition, ViewDefinition } from '../views/definition.ts'
import { generatedTitle } from '../views/generate.ts'
import type { Views } from '../views/views.ts'
import { clockOf } from './local-values.ts'

interface LabelParts {
  readonly access: AccessRules
  readonly store: Store
  readonly views: Views
}

/** Stands between the labels of several choices, and the names of several related records. */
const BETWEEN = '; '

/** The value of a column, of the stored one and the names of related records. */
type Shown = (value: Json, names: ReadonlyMap<number, string>) => Json

/**
 * What people read in the place of the names and values of fields: titles, labels of choices, names of related records, and dates with a
 * time in a time zone. A related record that the actor may not view is `#` and its id, as in the lists of the page.
 */
export class Labels {
  readonly #parts: LabelParts
  readonly #actor: Actor
  readonly #relations: readonly RelationField[]
  readonly #shown: ReadonlyMap<string, Shown>
  /** The fields of the written values: those with labels hold text. */
  readonly fields: readonly Field[]
  readonly titles: readonly string[]

  /** @throws {AppError} INVALID_REQUEST for a list view that the model does not have */
  constructor(parts: LabelParts, actor: Actor, model: Model, fields: readonly Field[], { listId, timeZone }: LabelRequest) {
    const views = parts.views.all.filter(({ modelKey }) => modelKey === model.key).map(({ view }) => view)
    const list = listId === undefined ? undefined : listOf(views, listId)
    const viewed = (field: Field) => list?.fields.find(({ name }) => name === field.name)
    this.#parts = parts
    this.#actor = actor
    this.#relations = fields.filter(isRelation)
    const zoned = timesIn(timeZone)
    const shown = fields.map((field) => [field.name, shownBy(field, viewed(field), zoned)] as const)
    this.#shown = new Map(shown.filter((each): each is [string, Shown] => each[1] !== undefined))
    this.fields = fields.map((field) => (this.#shown.has(field.name) && field.type.name !== 'datetime' ? asText(field) : field))
    this.titles = fields.map((field) => titleOf(field, viewed(field), views))
  }

  /** Replaces the values of fields by what people read. */
  async *valuesOf(batches: AsyncIterable<readonly StoredRecord[]>): AsyncGenerator<readonly StoredRecord[]> {
    for await (const records of batches) {
      const names = new Map<string, ReadonlyMap<number, string>>()
      for (const field of this.#relations) names.set(field.name, await this.#namesOf(field, records))
      yield records.map((record) => {
        const values: Record<string, Json> = { ...record }
        for (const [name, shown] of this.#shown) values[name] = shown(record[name] ?? null, names.get(name) ?? NO_NAMES)
        return values as StoredRecord
      })
    }
  }

  /** The names of the records that some records refer to, by id. */
  async #namesOf({ name, relation }: RelationField, records: readonly StoredRecord[]): Promise<ReadonlyMap<number, string>> {
    const { access, store } = this.#parts
    const target = access.registry.expect(relation.target)
    const display = target.fields.get(target.displayField)
    if (display === undefined || display.name === 'id' || !access.may(this.#actor, 'view', target)) return NO_NAMES
    const ids = [...new Set(records.flatMap((record) => referencesOf(record, name)))]
    const found = ids.length === 0 ? [] : await access.shown(store, this.#actor, target, ids)
    return new Map(
      found.flatMap((record, index) => {
        const value = record?.[display.name] ?? ''
        return value === '' ? [] : [[ids[index] ?? 0, String(value)] as const]
      }),
    )
  }
}

const NO_NAMES: ReadonlyMap<number, string> = new Map()

/** @throws {AppError} INVALID_REQUEST */
function listOf(views: readonly ViewDefinition[], name: string): ViewDefinition {
  const lists = views.filter((view) => view.view_type === 'list')
  const found = lists.find((view) => view.name === name)
  if (found !== undefined) return found
  const message = `Unknown list view '${name}'${meantOrKnown(
    name,
    lists.map((view) => view.name),
  )}`
  throw new AppError('INVALID_REQUEST', { list_id: [message] })
}

/** As the page has it: the title in the list, otherwise that in the first form with the field, otherwise the label of the field. */
function titleOf(field: Field, viewed: FieldViewDefinition | undefined, views: readonly ViewDefinition[]): string {
  const own = field.label ?? generatedTitle(field.name)
  if (viewed !== undefined) return viewed.title ?? own
  const inForm = views
    .filter((view) => view.view_type === 'form')
    .flatMap<FieldViewDefinition>((view) => view.fields)
    .find(({ name }) => name === field.name)
  return inForm?.title ?? own
}

/** How the values of a field are shown; undefined for those that are written as they are stored. */
function shownBy(field: Field, viewed: FieldViewDefinition | undefined, zoned: (stored: string) => string): Shown | undefined {
  if (isRelation(field)) {
    return (value, names) => joined(listed(value).map((id) => names.get(Number(id)) ?? `#${id}`))
  }
  if (field.type.name === 'datetime') return (value) => (typeof value === 'string' ? zoned(value) : value)
  if (field.type.name !== 'choice' && field.type.name !== 'multichoice') return undefined
  const labels = choiceLabels(field, viewed)
  return (value) => joined(listed(value).map((each) => labels.get(String(each)) ?? String(each)))
}

const listed = (value: Json): readonly Json[] => (Array.isArray(value) ? value : value === null ? [] : [value])

const joined = (texts: readonly string[]): string | null => (texts.length === 0 ? null : texts.join(BETWEEN))

/** The labels of choices by value: those of the model, and over them those of the view. */
export function choiceLabels(
  { labelledChoices = [] }: Field,
  viewed: FieldViewDefinition | undefined,
): ReadonlyMap<string, string> {
  const { choices, labels } = viewed?.options ?? {}
  const inView = Array.isArray(choices) ? choices.filter(isObject) : []
  const all = [...labelledChoices, ...inView].flatMap(({ value, label }) =>
    typeof label === 'string' ? [[String(value), label] as const] : [],
  )
  const byValue = isObject(labels) ? Object.entries(labels).map(([value, label]) => [value, String(label)] as const) : []
  return new Map([...all, ...byValue])
}

/** A field of the same name whose values are text: that of one label is short, names of records and several labels may be long. */
function asText(field: Field): Field {
  const limits = field.type.list || field.relation !== undefined ? {} : { max_length: 1 }
  return { ...field, type: FIELD_TYPES.string, relation: undefined, limits }
}

/** Writes a stored date with a time, `2026-01-05T10:00:00.000Z`, as `2026-01-05 11:00:00` in a time zone. */
function timesIn(timeZone: string): (stored: string) => string {
  if (timeZone === 'UTC') return (stored) => stored.slice(0, 19).replace('T', ' ')
  const format = clockOf(timeZone)
  return (stored) => {
    const parts = Object.fromEntries(format.formatToParts(new Date(stored)).map(({ type, value }) => [type, value]))
    const { year = '', month, day, hour, minute, second } = parts
    return `${year.padStart(4, '0')}-${month}-${day} ${hour}:${minute}:${second}`
  }
}
