import type { Json } from '../util/json.ts'
import type { FieldDefinition, OnDelete } from './definition.ts'
import type { FakerMethod } from './faker-methods.ts'
import type { FieldType } from './field-type.ts'
import { primarykey } from './fields/primarykey.ts'
import { FIELD_TYPES } from './fields.ts'
import { compileLimits, type Limits } from './limits.ts'

/** One field of a registered model. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly label: string | undefined
  readonly required: boolean
  readonly unique: boolean
  /** The stored form of the default, or undefined when there is none. */
  readonly default: Json | undefined
  readonly limits: Limits
  readonly searchable: boolean
  /** True for `id`, `created_at`, `updated_at`: set by the server alone. */
  readonly system: boolean
  readonly relation: Relation | undefined
  /** What makes its mock data, where the name and the type are not to decide. */
  readonly faker: FakerMethod | undefined
}

/** What a foreign key or a many-to-many field points at. */
export interface Relation {
  /** `author` for the field `author_id`; a many-to-many's is the field's own name. */
  readonly name: string
  readonly kind: 'one' | 'many'
  /** The other model's key. */
  readonly target: string
  readonly onDelete: OnDelete
}

/** A field that is a relation. */
export type RelationField = Field & { readonly relation: Relation }

/** Tells relation fields from others. */
export const isRelation = (field: Field): field is RelationField => field.relation !== undefined

/** @throws {Error} when the pattern cannot be compiled */
export function makeField(definition: FieldDefinition): Field {
  const type = FIELD_TYPES[definition.type]
  return {
    name: definition.name,
    type,
    label: definition.label,
    required: definition.required ?? false,
    unique: definition.unique === true || definition.type === 'one_to_one',
    default: definition.default ?? undefined,
    limits: compileLimits(definition),
    searchable: type.searchable && definition.searchable !== false,
    system: false,
    relation: makeRelation(definition),
    faker: definition.mock?.faker,
  }
}

function makeRelation({ name, type, model, on_delete }: FieldDefinition): Relation | undefined {
  const target = model?.toLowerCase() ?? ''
  if (type === 'many_to_many') return { name, kind: 'many', target, onDelete: 'cascade' }
  if (type !== 'foreignkey' && type !== 'one_to_one') return undefined
  return { name: name.replace(/_id$/, ''), kind: 'one', target, onDelete: on_delete ?? 'restrict' }
}

const systemField = (name: string, type: FieldType): Field => ({
  name,
  type,
  label: undefined,
  required: true,
  unique: name === 'id',
  default: undefined,
  limits: {},
  searchable: false,
  system: true,
  relation: undefined,
  faker: undefined,
})

/** The primary key, which every model has first. */
export const ID_FIELD = systemField('id', primarykey)
/** What `timestamps: true` adds at the end. */
export const TIMESTAMP_FIELDS = [systemField('created_at', FIELD_TYPES.datetime), systemField('updated_at', FIELD_TYPES.datetime)]
