import type { Field, RelationField } from '../model/field.ts'
import { MAX_LINKS } from '../model/fields/relation.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Filter } from '../query/plan.ts'
import type { Store } from '../store/store.ts'
import { isObject, type Json } from '../util/json.ts'
import { firstMessages, meantOrKnown } from '../util/suggest.ts'
import { FieldIssues } from '../validate/issues.ts'
import type { RecordData } from './write-requests.ts'

/** Finds the ids of the records with these values in a unique field, by value. */
export type FindIds = (target: Model, field: Field, values: readonly Json[]) => Promise<ReadonlyMap<Json, number>>

/** The ids of the stored records with these values in a unique field, by value. Records that do not match `only` are left out. */
export async function idsBy(
  store: Store,
  target: Model,
  field: Field,
  values: readonly Json[],
  only?: Filter,
): Promise<ReadonlyMap<Json, number>> {
  const ids = new Map<Json, number>()
  const filters: Filter[] = [{ field: field.name, operator: 'in', values }, ...(only === undefined ? [] : [only])]
  for await (const records of store.stream(target.key, { filters, sort: [] })) {
    for (const record of records) ids.set(record[field.name] ?? null, record.id)
  }
  return ids
}

/** A row with ids in place of references by a unique field. */
export interface ResolvedRow {
  readonly data: RecordData
  readonly issues: FieldIssues
}

/** A reference such as `{username: ann}`. */
interface Reference {
  readonly target: Model
  readonly field: Field
  /** In stored form. */
  readonly value: Json
}

/**
 * Replaces references to related records by a unique field, such as `author_id: {username: ann}` or `tags: [{slug: news}]`, with ids.
 *
 * @param find looks up the records of a batch together
 */
export async function withResolvedReferences(
  model: Model,
  registry: Registry,
  rows: readonly RecordData[],
  find: FindIds,
): Promise<readonly ResolvedRow[]> {
  const fields = [...model.relations.values()].filter(({ name }) => rows.some((data) => hasReference(data[name])))
  if (fields.length === 0) return rows.map((data) => ({ data, issues: new FieldIssues() }))
  const found = new Map<Field, Map<Json, number>>()
  for (const field of fields) {
    const target = registry.expect(field.relation.target)
    for (const [unique, values] of wantedBy(rows, field, target)) {
      const ids = found.get(unique) ?? new Map<Json, number>()
      const wanted = [...values]
      const known = await find(target, unique, wanted)
      for (const value of wanted) {
        const id = known.get(value)
        if (id !== undefined) ids.set(value, id)
      }
      found.set(unique, ids)
    }
  }
  return rows.map((data) => resolvedRow(data, fields, registry, found))
}

const isReference = (value: unknown): value is Readonly<Record<string, unknown>> => isObject(value) && !Object.hasOwn(value, 'id')

/** Too many links are left as they are, since the field refuses them. */
const hasReference = (value: unknown): boolean =>
  isReference(value) || (Array.isArray(value) && value.length <= MAX_LINKS && value.some(isReference))

/** The values to look up, by unique field of the target. */
function wantedBy(rows: readonly RecordData[], { name }: RelationField, target: Model): Map<Field, Set<Json>> {
  const wanted = new Map<Field, Set<Json>>()
  for (const data of rows) {
    for (const value of hasReference(data[name]) ? [data[name]].flat() : []) {
      const reference = isReference(value) ? readReference(value, target) : undefined
      if (reference === undefined || typeof reference === 'function') continue
      wanted.set(reference.field, (wanted.get(reference.field) ?? new Set<Json>()).add(reference.value))
    }
  }
  return wanted
}

/** Makes a message that follows the name of the field. */
type Problem = () => string

/** A reference, or the reason why the text names no record. */
function readReference(value: Readonly<Record<string, unknown>>, target: Model): Reference | Problem {
  const [entry, ...others] = Object.entries(value)
  const named = entry === undefined ? undefined : target.fields.get(entry[0])
  const field = named !== undefined && isReferable(named) ? named : undefined
  if (entry === undefined || others.length > 0) return () => `must refer to one ${target.key} by its id or by a unique field`
  if (field === undefined) {
    const names = () => target.visibleFields.filter(isReferable).map(({ name }) => name)
    return () => `cannot refer to a ${target.key} by '${entry[0]}', which is no unique field${meantOrKnown(entry[0], names())}`
  }
  const reading = field.type.read(entry[1])
  return reading.ok
    ? { target, field, value: reading.value }
    : () => `refers to a ${target.key} whose ${field.name} ${reading.problem}`
}

const isReferable = ({ type, unique, system }: Field): boolean => unique && !system && !type.secret

function resolvedRow(
  data: RecordData,
  fields: readonly RelationField[],
  registry: Registry,
  found: ReadonlyMap<Field, ReadonlyMap<Json, number>>,
): ResolvedRow {
  const issues = new FieldIssues()
  const resolved: Record<string, unknown> = {}
  for (const { name, relation } of fields) {
    const target = registry.expect(relation.target)
    const problems: Problem[] = []
    const idOf = (value: unknown): unknown => {
      if (!isReference(value)) return value
      const reference = readReference(value, target)
      const id = typeof reference === 'function' ? undefined : found.get(reference.field)?.get(reference.value)
      if (id !== undefined) return id
      const problem =
        typeof reference === 'function'
          ? reference
          : () => `refers to no ${target.key}: none has the ${reference.field.name} ${JSON.stringify(reference.value)}`
      problems.push(problem)
      return null
    }
    const value = data[name]
    if (hasReference(value)) resolved[name] = Array.isArray(value) ? value.map(idOf) : idOf(value)
    issues.add(name, ...firstMessages(problems, (problem) => `${name} ${problem()}`))
  }
  return { data: { ...data, ...resolved }, issues }
}
