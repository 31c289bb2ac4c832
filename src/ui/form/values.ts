import type { SiteField, SiteModel } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import { idsOf } from '../data/related.ts'
import { fieldOf } from '../data/site.ts'
import type { FieldView } from '../data/views.ts'
import { filesText, takesFiles } from '../widgets/file-fields.ts'
import { widgetKind } from '../widgets/kind.ts'
import { canonicalNumeral } from '../widgets/numbers.ts'
import { Unparsed } from '../widgets/unparsed.ts'

/** Values by field, as widgets edit them. */
export type FormValues = Readonly<Record<string, unknown>>

/** The value of a field as widgets edit it: null for none, ids for related records. */
export function valueIn(record: AnyRecord | FormValues | undefined, field: SiteField): unknown {
  const value = record?.[field.name] ?? null
  return field.type === 'many_to_many' && Array.isArray(value) ? idsOf(value) : value
}

/** True if a record with one value has the same content as with the other. An empty text or list is as no value; lists have an order. */
export function isSameContent(field: SiteField, one: unknown, other: unknown): boolean {
  return canonical(field, one) === canonical(field, other)
}

function canonical(field: SiteField, value: unknown): string {
  if (value === null || value === undefined || value === '') return ''
  const { type } = field
  if (takesFiles(field)) return filesText(value).replace(/^(?:null|\[\])$/, '')
  if (value instanceof Unparsed) return `unparsed ${value.text}`
  if (type === 'json') return JSON.stringify(sorted(value))
  if (Array.isArray(value)) return value.map(String).join('\n')
  if (type === 'datetime') return String(Date.parse(String(value)))
  if (type === 'decimal' || type === 'number' || type === 'integer') return canonicalNumeral(String(value))
  return JSON.stringify(value)
}

/** JSON with the names of objects in order, since their order has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}

/** The fields that were edited: those of `names` whose edited value differs from the base. */
export function changedFields(
  model: SiteModel,
  names: readonly string[],
  base: AnyRecord | FormValues | undefined,
  edits: FormValues,
): FormValues {
  const changed = names.flatMap((name): [string, unknown][] => {
    const field = fieldOf(model, name)
    if (field === undefined || !(name in edits)) return []
    return isSameContent(field, valueIn(base, field), edits[name]) ? [] : [[name, edits[name]]]
  })
  return Object.fromEntries(changed)
}

/** A value as the API takes it: files by their ids. */
const sentValue = (field: SiteField, value: unknown): unknown =>
  takesFiles(field) ? JSON.parse(filesText(value)) : (value ?? null)

/** Values as the API takes them. */
export const sentValues = (model: SiteModel, values: FormValues): FormValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = fieldOf(model, name)
      return [name, field === undefined ? value : sentValue(field, value)]
    }),
  )

/** The values of fields of a record, as an update takes them. Undefined if one is a secret, or there is none. */
export function formerValues(model: SiteModel, names: readonly string[], base: AnyRecord): FormValues | undefined {
  const fields = names.flatMap((name) => fieldOf(model, name) ?? [])
  if (fields.length === 0 || fields.some(({ type }) => type === 'password')) return undefined
  return Object.fromEntries(fields.map((field) => [field.name, sentValue(field, valueIn(base, field))]))
}

/**
 * The values that a new record is created with. Empty ones that the user has not touched are left to the defaults of the server; a cleared
 * one is null, so that no default takes its place.
 *
 * @param edits what the user has entered and cleared
 */
export function createdValues(names: readonly string[], values: FormValues, edits: FormValues): FormValues {
  const isSent = (name: string) => name in edits || (values[name] !== null && values[name] !== undefined)
  return Object.fromEntries(names.filter(isSent).map((name) => [name, values[name] ?? null]))
}

/** The values of a record for another one like it: without those that no two records may share, such as files, and without secrets. */
export function copiedValues(model: SiteModel, record: AnyRecord): FormValues {
  const isShared = ({ unique, type }: SiteField) => !unique && type !== 'one_to_one' && type !== 'password'
  const fields = model.fields.filter((field) => isShared(field) && !takesFiles(field))
  return Object.fromEntries(fields.map((field) => [field.name, valueIn(record, field)]))
}

/**
 * The values of a new record at first: the defaults of the view, otherwise of the model. They are sent as they are shown. A switch without one
 * is off, since an empty one looks like it.
 *
 * @param userId id of the user who creates, for the default `{user: id}`
 * @param now the present time, for the defaults `today` (in UTC, as on the server) and `now`
 */
export function startValues(fields: readonly FieldView[], model: SiteModel, userId: number | null, now: Date): FormValues {
  const values = fields.flatMap((field): [string, unknown][] => {
    const modelField = fieldOf(model, field.name)
    if (modelField === undefined) return []
    const value = field.default_value ?? modelField.default ?? undefined
    if (value !== undefined) return [[field.name, startValue(value, modelField.type, userId, now)]]
    return widgetKind(field, modelField) === 'switch' ? [[field.name, false]] : []
  })
  return Object.fromEntries(values)
}

function startValue(value: unknown, type: string, userId: number | null, now: Date): unknown {
  if (isUserDefault(value)) return userId
  if (value === 'today' && type === 'date') return now.toISOString().slice(0, 10)
  return value === 'now' && type === 'datetime' ? now.toISOString() : value
}

const isUserDefault = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'user' in value && value.user === 'id' && Object.keys(value).length === 1
