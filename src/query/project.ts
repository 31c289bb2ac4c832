import type { Field, RelationField } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { type ReverseRelation, reverseRelations } from '../model/reverse-relations.ts'
import { didYouMean } from '../util/suggest.ts'
import { unknownField, visible } from './filters.ts'
import type { Parameters } from './parameters.ts'

/** One member of a returned record. */
export type ProjectedColumn =
  | { readonly kind: 'value'; readonly name: string }
  | {
      readonly kind: 'related'
      readonly name: string
      readonly field: RelationField
      readonly target: Model
      readonly fields: readonly string[]
      /** True if the request names it in `include`. */
      readonly included?: true
    }
  /** Number of the records that refer to this one: `comments__count`. */
  | { readonly kind: 'count'; readonly name: string; readonly relation: ReverseRelation }
  /** The first records that refer to this one, and their total number. */
  | {
      readonly kind: 'referrers'
      readonly name: string
      readonly relation: ReverseRelation
      readonly fields: readonly string[]
    }
  /** Related records by id only, for actors who may not see them: `{id}`, or `[{id}…]` for many-to-many. */
  | { readonly kind: 'reference'; readonly name: string; readonly field: RelationField }

/** The members of each returned record, in order. */
export type RecordProjection = readonly ProjectedColumn[]

/** All visible members: foreign keys with the nested record, many-to-many as id and display field. */
export const fullProjection = (model: Model, registry: Registry): RecordProjection =>
  model.visibleFields.flatMap((field) => fieldColumns(field, registry))

/**
 * Parses `include`, beside the `names` of `fields`. Without either it is the full projection. The primary key is always included.
 *
 * @param names undefined where `fields` is absent, or means something else
 */
export function parseProjection(
  parameters: Parameters,
  model: Model,
  registry: Registry,
  names: readonly string[] | undefined,
): RecordProjection {
  if (names === undefined && !parameters.has('include')) return fullProjection(model, registry)
  const paths = [...new Set(parameters.names('include'))]
  const included = parseInclude(paths, parameters, model, registry)
  const chosen = names === undefined ? fullProjection(model, registry) : chosenColumns(names, parameters, model, registry)
  const missing = [...included.keys()].filter((name) => !chosen.some((column) => column.name === name))
  const withIncluded = [
    ...chosen,
    ...missing.flatMap((name) => relationColumns(model, name, registry)),
    ...parseReferrers(paths, parameters, model, registry),
  ]
  return withIncluded.map((column) => {
    const fields = included.get(column.name)
    return column.kind === 'related' && fields !== undefined
      ? { ...column, fields: narrowed(column, fields), included: true }
      : column
  })
}

function chosenColumns(names: readonly string[], parameters: Parameters, model: Model, registry: Registry): ProjectedColumn[] {
  const columns = new Map<string, ProjectedColumn>([['id', { kind: 'value', name: 'id' }]])
  const reverse = reverseRelations(model, registry)
  for (const name of new Set(names)) {
    const field = visible(model, name)
    const counted = reverse.get(name.replace(COUNT_SUFFIX, ''))
    const found: ProjectedColumn[] = model.relations.has(name)
      ? relationColumns(model, name, registry)
      : field !== undefined
        ? [{ kind: 'value', name }]
        : counted !== undefined && COUNT_SUFFIX.test(name)
          ? [{ kind: 'count', name, relation: counted }]
          : []
    if (found.length === 0) parameters.fault('fields', () => unknownColumn(model, name, registry))
    for (const column of found) columns.set(column.name, column)
  }
  return [...columns.values()]
}

/** In `fields` a relation may be named by its own name or by its foreign key. */
function unknownColumn(model: Model, name: string, registry: Registry): string {
  const counts = [...reverseRelations(model, registry).keys()].map((each) => `${each}__count`)
  const fields = model.visibleFields.map((field) => field.name)
  return `Unknown field '${name}'${didYouMean(name, [...fields, ...model.relations.keys(), ...counts])}`
}

const COUNT_SUFFIX = /__count$/

/** Parses the reverse relations in `include`: `comments`, `comments__text` and `comments__count`. */
function parseReferrers(paths: readonly string[], parameters: Parameters, model: Model, registry: Registry): ProjectedColumn[] {
  const columns = new Map<string, ProjectedColumn>()
  const reverse = reverseRelations(model, registry)
  for (const path of paths) {
    const [name = '', fieldName, ...rest] = path.split('__')
    const relation = reverse.get(name)
    if (relation === undefined || rest.length > 0) continue
    if (fieldName === 'count') {
      columns.set(path, { kind: 'count', name: path, relation })
      continue
    }
    const own = ownNames(relation.model)
    const before = columns.get(name)
    const chosen = before?.kind === 'referrers' && before.fields.length < own.length ? before.fields : ['id']
    if (fieldName === undefined) columns.set(name, { kind: 'referrers', name, relation, fields: own })
    else if (own.includes(fieldName)) {
      columns.set(name, { kind: 'referrers', name, relation, fields: [...new Set([...chosen, fieldName])] })
    } else parameters.fault('include', () => unknownField(relation.model, fieldName))
  }
  return [...columns.values()]
}

/** Names of the fields that a nested record has. */
const ownNames = (model: Model): string[] =>
  model.visibleFields.filter((each) => each.relation?.kind !== 'many').map((each) => each.name)

/** Parses `include=<relation>__<field>,…` into the requested fields of each relation. */
function parseInclude(paths: readonly string[], parameters: Parameters, model: Model, registry: Registry): Map<string, string[]> {
  const included = new Map<string, string[]>()
  const reverse = reverseRelations(model, registry)
  for (const path of paths) {
    const [relationName = '', fieldName = '', ...rest] = path.split('__')
    if (reverse.has(relationName) && rest.length === 0) continue
    const relation = model.relations.get(relationName)
    if (relation === undefined || fieldName === '' || rest.length > 0) {
      parameters.fault('include', () => {
        const known = [...model.relations.keys()]
        const hint = relation === undefined ? didYouMean(relationName, [...known, ...reverse.keys()]) : ''
        return `'${path}' must be written <relation>__<field>${hint} (relations: ${known.join(', ') || 'none'})`
      })
      continue
    }
    const target = registry.expect(relation.relation.target)
    const field = visible(target, fieldName)
    if (field === undefined) parameters.fault('include', () => unknownField(target, fieldName))
    else if (field.relation?.kind === 'many') parameters.fault('include', `'${path}' goes further than one relation`)
    else included.set(relationName, [...(included.get(relationName) ?? []), fieldName])
  }
  return included
}

/** For a foreign key `include` replaces the nested fields; for many-to-many it adds to them. The id is always included. */
function narrowed(column: Extract<ProjectedColumn, { kind: 'related' }>, fields: readonly string[]): string[] {
  const base = column.field.relation.kind === 'many' ? column.fields : ['id']
  return [...new Set([...base, ...fields])]
}

function fieldColumns(field: Field, registry: Registry): ProjectedColumn[] {
  const { name, relation } = field
  if (relation === undefined) return [{ kind: 'value', name }]
  const related = relatedColumn(field as RelationField, registry)
  return relation.kind === 'many' ? [related] : [{ kind: 'value', name }, related]
}

function relationColumns(model: Model, name: string, registry: Registry): ProjectedColumn[] {
  const field = model.relations.get(name)
  return field === undefined ? [] : [relatedColumn(field, registry)]
}

function relatedColumn(field: RelationField, registry: Registry): ProjectedColumn {
  const target = registry.expect(field.relation.target)
  const fields = field.relation.kind === 'many' ? [...new Set(['id', target.displayField])] : ownNames(target)
  return { kind: 'related', name: field.relation.name, field, target, fields }
}
