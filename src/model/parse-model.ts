import Joi from 'joi'
import { Faults } from '../config/fault.ts'
import { SCHEMA_REFERENCE, validateShape } from '../config/shape.ts'
import type { Definition, Source } from '../config/source.ts'
import { isObject } from '../util/json.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { ACCESS_ACTIONS, ACTION_NAME, type AccessDefinition, type ModelDefinition } from './definition.ts'
import { type Field, ID_FIELD, INDEXED_TIMESTAMP_FIELDS, TIMESTAMP_FIELDS } from './field.ts'
import { Model } from './model.ts'
import { parseField } from './parse-field.ts'
import { UniqueSet } from './unique-set.ts'

const MODEL_NAME = /^[A-Z][A-Za-z0-9]*$/

/** A condition rather than alternatives, so that a fault names the key. */
const grant = Joi.alternatives().conditional(Joi.object(), {
  // biome-ignore lint/suspicious/noThenProperty: the name is Joi's.
  then: Joi.object({ group: Joi.string().required() }),
  otherwise: Joi.string(),
})

/** Schema of a model definition; fields are parsed one by one. */
export const modelSchema = Joi.object<ModelDefinition>({
  ...SCHEMA_REFERENCE,
  name: Joi.string()
    .pattern(MODEL_NAME)
    .required()
    .messages({ 'string.pattern.base': "'name' must be a class name such as BlogPost, not '{{#value}}'" }),
  was: Joi.string()
    .pattern(MODEL_NAME)
    .messages({ 'string.pattern.base': "'was' must be a class name such as BlogPost, not '{{#value}}'" }),
  label: Joi.string(),
  display_field: Joi.string(),
  group: Joi.string(),
  icon: Joi.string(),
  timestamps: Joi.boolean(),
  index_updated_at: Joi.boolean(),
  history: Joi.boolean(),
  unique_together: Joi.array().items(Joi.array().items(Joi.string()).min(2).unique()),
  // Whether the project has an action of another name is known when all files are read.
  access: Joi.object(Object.fromEntries(ACCESS_ACTIONS.map((action) => [action, grant]))).pattern(ACTION_NAME, grant),
  fields: Joi.array().required(),
})

/** Options of `parseModel`. */
export interface ParseOptions {
  readonly internal?: boolean
  /** Names of the fields that the server sets, by the key of the model. */
  readonly serverSet?: ReadonlyMap<string, ReadonlySet<string>> | undefined
  /** Names of the fields that the project's code computes, by the key of the model. */
  readonly computed?: ReadonlyMap<string, ReadonlySet<string>> | undefined
  /** Names of the fields that are left empty by null only, by the key of the model. */
  readonly explicit?: ReadonlyMap<string, ReadonlySet<string>> | undefined
}

/**
 * Parses one model definition. Relations are resolved later.
 *
 * @returns a model whenever the definition has a name, so that references to a faulty model are not reported too; `faultyFields`
 *   names its faulty fields
 */
export function parseModel(
  { value, source }: Definition,
  { internal = false, serverSet, computed, explicit }: ParseOptions = {},
): { model: Model | undefined; faultyFields: ReadonlySet<string>; faults: Faults } {
  const faults = new Faults('model/invalid')
  faults.addAll(validateShape(modelSchema, value, source, { rule: () => 'model/invalid' }).faults.list)
  const faultyFields = new Set<string>()
  if (!isObject(value)) return { model: undefined, faultyFields, faults }
  const written = Array.isArray(value.fields) ? value.fields : []
  const timestamps = value.timestamps === true
  const stamps = value.index_updated_at === true ? INDEXED_TIMESTAMP_FIELDS : TIMESTAMP_FIELDS
  if (value.index_updated_at === true && !timestamps)
    faults.add(source, ['index_updated_at'], "'index_updated_at' needs `timestamps: true`, which adds the field")
  const fields = written.flatMap((raw: unknown, index) => {
    const before = faults.list.length
    const field = parseField(raw, ['fields', index], source, faults)
    if (field !== undefined && faults.list.length > before) faultyFields.add(field.name)
    return field ?? []
  })
  checkNames(written, timestamps, source, faults)
  checkFormerNames(written, timestamps, source, faults)
  const { name, was, label, display_field: displayField } = value
  if (typeof name !== 'string') return { model: undefined, faultyFields, faults }
  const key = name.toLowerCase()
  const isIn = (names: ParseOptions['serverSet'], field: Field) => names?.get(key)?.has(field.name) === true
  const marked = (field: Field): Field => {
    if (isIn(explicit, field)) return { ...field, required: false, explicit: true }
    return isIn(serverSet, field) || isIn(computed, field)
      ? { ...field, serverSet: isIn(serverSet, field), computed: isIn(computed, field) }
      : field
  }
  const model = new Model({
    name,
    was: typeof was === 'string' ? was : undefined,
    label: typeof label === 'string' ? label : undefined,
    displayField: typeof displayField === 'string' ? displayField : undefined,
    group: typeof value.group === 'string' ? value.group : undefined,
    icon: typeof value.icon === 'string' ? value.icon : undefined,
    timestamps,
    internal,
    history: value.history !== false,
    uniqueSets: uniqueSets(value.unique_together, fields, source, faults),
    access: grants(value.access),
    fields: [idField(written), ...fields.map(marked), ...(timestamps ? stamps : [])],
  })
  checkDisplayField(model, source, faults)
  return { model, faultyFields, faults }
}

/** The primary key, with the texts of a field `id` that the model declares. */
function idField(fields: readonly unknown[]): Field {
  const own = fields.find((field) => isObject(field) && field.name === 'id')
  if (!isObject(own)) return ID_FIELD
  const { label, help_text: helpText } = own
  return {
    ...ID_FIELD,
    label: typeof label === 'string' ? label : undefined,
    helpText: typeof helpText === 'string' ? helpText : undefined,
  }
}

/** Field names and relation names share one namespace. */
function checkNames(fields: readonly unknown[], timestamps: boolean, source: Source, faults: Faults): void {
  const taken = new Map([['id', 'the primary key']])
  if (timestamps) for (const { name } of TIMESTAMP_FIELDS) taken.set(name, 'a field that `timestamps: true` adds')
  const ownId = fields.findIndex((field) => isObject(field) && field.name === 'id')
  for (const [index, field] of fields.entries()) {
    if (!isObject(field) || typeof field.name !== 'string' || index === ownId) continue
    const { name, type } = field
    const isForeignKey = type === 'foreignkey' || type === 'one_to_one'
    for (const each of new Set(isForeignKey ? [name, name.replace(/_id$/, '')] : [name])) {
      const holder = taken.get(each)
      if (holder !== undefined) faults.add(source, ['fields', index, 'name'], `The name '${each}' is already used by ${holder}`)
      taken.set(each, each === name ? 'another field' : `the relation of '${name}'`)
    }
  }
}

/** A former name belongs to one field, and to no present one. */
function checkFormerNames(fields: readonly unknown[], timestamps: boolean, source: Source, faults: Faults): void {
  const present = new Set<unknown>(['id', ...(timestamps ? TIMESTAMP_FIELDS.map(({ name }) => name) : [])])
  for (const field of fields) if (isObject(field)) present.add(field.name)
  const owners = new Map<string, unknown>()
  for (const [index, field] of fields.entries()) {
    if (!isObject(field) || typeof field.was !== 'string') continue
    const { name, was } = field
    const problem = formerNameProblem(was, {
      isOwn: was === name,
      isPresent: present.has(was),
      owner: owners.get(was),
      noun: 'field',
    })
    if (problem !== undefined) faults.add(source, ['fields', index, 'was'], problem, { rule: 'model/invalid-rename' })
    if (!owners.has(was)) owners.set(was, name)
  }
}

/**
 * Why `was` cannot be a former name; undefined if it can.
 *
 * @param owner the field or model that has the same former name
 */
export function formerNameProblem(
  was: string,
  { isOwn, isPresent, owner, noun }: { isOwn: boolean; isPresent: boolean; owner: unknown; noun: 'field' | 'model' },
): string | undefined {
  if (isOwn) return `'was' is the former name of a renamed ${noun}; '${was}' is its present name`
  if (isPresent) return `'was' names '${was}', but there still is a ${noun} of that name`
  return owner === undefined ? undefined : `'was' names '${was}', which is already the former name of '${String(owner)}'`
}

/** The well-formed grants of `access`. */
function grants(written: unknown): AccessDefinition {
  if (!isObject(written)) return {}
  const isGrant = (each: unknown) => typeof each === 'string' || (isObject(each) && typeof each.group === 'string')
  const entries = Object.entries(written).filter(([action, each]) => ACTION_NAME.test(action) && isGrant(each))
  return Object.fromEntries(entries) as AccessDefinition
}

/** The well-formed sets of `unique_together`. */
function uniqueSets(written: unknown, fields: readonly Field[], source: Source, faults: Faults): UniqueSet[] {
  if (!Array.isArray(written)) return []
  return written.flatMap((names: unknown, index) => {
    if (!Array.isArray(names) || names.length < 2 || !names.every((name) => typeof name === 'string')) return []
    const problems = names.map((name, place) => {
      const problem = memberProblem(name, fields)
      if (problem !== undefined) faults.add(source, ['unique_together', index, place], problem)
      return problem
    })
    return problems.some((problem) => problem !== undefined) ? [] : [new UniqueSet(names)]
  })
}

/** Why a field cannot be part of a unique set; undefined if it can. */
function memberProblem(name: string, fields: readonly Field[]): string | undefined {
  const field = fields.find((each) => each.name === name)
  const known = fields.filter(({ type }) => isComparable(type)).map((each) => each.name)
  if (field === undefined) return `'unique_together' names '${name}', which is no field of the model${meantOrKnown(name, known)}`
  return isComparable(field.type) ? undefined : `A ${field.type.name} field cannot be part of 'unique_together'`
}

const isComparable = ({ secret, list, structured }: Field['type']): boolean => !secret && !list && !structured

function checkDisplayField(model: Model, source: Source, faults: Faults): void {
  const field = model.fields.get(model.displayField)
  if (field !== undefined && canDisplayRecord(field)) return
  const known = model.visibleFields.filter(canDisplayRecord).map(({ name }) => name)
  const why = field === undefined ? 'there is no such field' : 'it is a password, a relation or a file'
  const guess = meantOrKnown(model.displayField, known)
  faults.add(source, ['display_field'], `'${model.displayField}' cannot be the display field: ${why}${guess}`, {
    rule: 'model/display-field',
  })
}

const canDisplayRecord = ({ type, relation, file }: Field): boolean =>
  !type.secret && relation === undefined && file === undefined
