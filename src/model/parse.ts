import Joi from 'joi'
import type { Faults } from '../config/fault.ts'
import { validateShape } from '../config/shape.ts'
import type { Definition, Source } from '../config/source.ts'
import { didYouMean, meantOrKnown } from '../util/suggest.ts'
import { boundsProblems, readDefault } from './bounds.ts'
import { FIELD_TYPE_NAMES, type FieldDefinition, type FieldTypeName, type ModelDefinition } from './definition.ts'
import { type Field, ID_FIELD, makeField, TIMESTAMP_FIELDS } from './field.ts'
import type { FieldOption } from './field-type.ts'
import { FIELD_TYPES } from './fields.ts'
import { Model } from './model.ts'

const FIELD_NAME = /^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/
const MODEL_NAME = /^[A-Z][A-Za-z0-9]*$/

const modelSchema = Joi.object<ModelDefinition>({
  name: Joi.string()
    .pattern(MODEL_NAME)
    .required()
    .messages({ 'string.pattern.base': "'name' must be a class name such as BlogPost, not '{{#value}}'" }),
  label: Joi.string(),
  display_field: Joi.string(),
  timestamps: Joi.boolean(),
  fields: Joi.array().items(Joi.object().unknown()).required(),
})

const integerFrom0 = Joi.number().integer().min(0)
const optionSchemas: Readonly<Record<FieldOption, Joi.Schema>> = {
  unique: Joi.boolean(),
  default: Joi.any(),
  choices: Joi.array().items(Joi.string(), Joi.number()).min(1).unique(),
  min_length: integerFrom0,
  max_length: integerFrom0,
  gt: Joi.number(),
  lt: Joi.number(),
  gte: Joi.number(),
  lte: Joi.number(),
  pattern: Joi.string(),
  model: Joi.string().required(),
  on_delete: Joi.string().valid('restrict', 'cascade', 'set_null'),
}

const fieldSchemas = new Map<FieldTypeName, Joi.ObjectSchema<FieldDefinition>>(
  FIELD_TYPE_NAMES.map((type) => [type, fieldSchema(type)]),
)

function fieldSchema(type: FieldTypeName): Joi.ObjectSchema<FieldDefinition> {
  const { options } = FIELD_TYPES[type]
  const withOptions = Object.fromEntries(options.map((option) => [option, optionSchemas[option]]))
  const choices = type === 'choice' || type === 'multichoice' ? { choices: optionSchemas.choices.required() } : {}
  const schema = Joi.object<FieldDefinition>({
    name: Joi.string()
      .pattern(FIELD_NAME)
      .custom((name: string, helpers) => (name in Object.prototype ? helpers.error('name.reserved') : name))
      .required()
      .messages({
        'string.pattern.base': "'{{#value}}' cannot name a field: letters, digits and single underscores, a letter first",
        'name.reserved': "'{{#value}}' cannot name a field: JavaScript objects have it already",
      }),
    type: Joi.string().valid(type).required(),
    label: Joi.string(),
    help_text: Joi.string(),
    required: Joi.boolean(),
    searchable: Joi.boolean(),
    ...withOptions,
    ...choices,
  })
  return options.includes('gte') ? schema.rename('ge', 'gte').rename('le', 'lte') : schema
}

/** Reads one model definition; its relations are not yet held against the other models. */
export function parseModel({ value, source }: Definition, internal = false): { model: Model | undefined; faults: Faults } {
  const { value: definition, faults } = validateShape(modelSchema, value, source)
  if (definition === undefined) return { model: undefined, faults }
  const fields: Field[] = []
  definition.fields.forEach((raw, index) => {
    const field = parseField(raw, index, source, faults)
    if (field !== undefined) fields.push(field)
  })
  checkNames(definition, source, faults)
  const model = new Model({
    name: definition.name,
    label: definition.label,
    displayField: definition.display_field,
    timestamps: definition.timestamps ?? false,
    internal,
    fields: [ID_FIELD, ...fields, ...(definition.timestamps === true ? TIMESTAMP_FIELDS : [])],
  })
  if (!faults.any) checkDisplayField(model, source, faults)
  return { model, faults }
}

function parseField(raw: unknown, index: number, source: Source, faults: Faults): Field | undefined {
  const at = ['fields', index]
  const { name, type } = raw as { name?: unknown; type?: unknown }
  if (name === 'id') {
    if (type !== 'integer' && type !== 'primarykey')
      faults.add(source, [...at, 'type'], "'id' is the integer primary key; its type is integer")
    return undefined
  }
  if (typeof type !== 'string') {
    faults.add(source, at, `Field '${String(name)}' has no type; one of ${FIELD_TYPE_NAMES.join(', ')}`)
    return undefined
  }
  const schema = fieldSchemas.get(type as FieldTypeName)
  if (schema === undefined) {
    faults.add(source, [...at, 'type'], `Unknown type '${type}'${meantOrKnown(type, FIELD_TYPE_NAMES)}`)
    return undefined
  }
  const { value: definition, faults: shapeFaults } = validateShape(schema, raw, source, { at })
  faults.addAll(shapeFaults.list)
  return definition === undefined ? undefined : buildField(definition, at, source, faults)
}

function buildField(
  definition: FieldDefinition,
  at: readonly (string | number)[],
  source: Source,
  faults: Faults,
): Field | undefined {
  for (const { key, problem } of boundsProblems(definition)) faults.add(source, [...at, key], problem)
  if (definition.type === 'foreignkey' || definition.type === 'one_to_one') {
    if (!/._id$/.test(definition.name)) {
      faults.add(source, [...at, 'name'], `A ${definition.type} field is named <relation>_id: write '${definition.name}_id'`)
    }
    if (definition.on_delete === 'set_null' && definition.required === true) {
      faults.add(
        source,
        [...at, 'on_delete'],
        `'${definition.name}' is required, so it cannot be set to null; use restrict or cascade`,
      )
    }
  }
  try {
    const field = makeField(definition)
    if (definition.default === undefined || definition.default === null) return field
    const reading = readDefault(field, definition.default)
    if (reading.ok) return { ...field, default: reading.value }
    faults.add(source, [...at, 'default'], `The default of '${field.name}' ${reading.problem}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    faults.add(source, [...at, 'pattern'], `The pattern of '${definition.name}' cannot be used: ${reason}`)
  }
  return undefined
}

function checkNames(definition: ModelDefinition, source: Source, faults: Faults): void {
  const taken = new Map<string, string>()
  if (definition.timestamps === true) for (const { name } of TIMESTAMP_FIELDS) taken.set(name, '`timestamps: true` adds a field')
  definition.fields.forEach(({ name, type }, index) => {
    if (typeof name !== 'string') return
    const names = /^(foreignkey|one_to_one)$/.test(type) ? [name, name.replace(/_id$/, '')] : [name]
    for (const each of new Set(names)) {
      const holder = taken.get(each)
      if (holder !== undefined) faults.add(source, ['fields', index, 'name'], `The name '${each}' is taken: ${holder}`)
      taken.set(each, each === name ? 'another field has it' : `the relation of '${name}' has it`)
    }
  })
}

function checkDisplayField(model: Model, source: Source, faults: Faults): void {
  const field = model.fields.get(model.displayField)
  if (field !== undefined && !field.type.secret && !field.relation) return
  const known = model.visibleFields.filter((each) => !each.relation).map((each) => each.name)
  faults.add(
    source,
    ['display_field'],
    `'${model.displayField}' cannot be the display field${didYouMean(model.displayField, known)}`,
  )
}
