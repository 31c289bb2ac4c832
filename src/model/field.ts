import { isObject, type Json } from '../util/json.ts'
import type { ChoiceDefinition, DeletionRule, FakerMethod, FieldDefinition } from './definition.ts'
import type { FieldType } from './field-type.ts'
import { primarykey } from './fields/numeric.ts'
import { FIELD_TYPES, fieldTypeOf } from './fields.ts'
import type { FileRules } from './files.ts'
import { compileLimits, type Limits } from './limits.ts'
import { fileRules } from './parse-files.ts'

/** One field of a registered model. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  /** The former name, under which records may still be stored. */
  readonly was: string | undefined
  readonly label: string | undefined
  /** Explains the field to people. */
  readonly helpText: string | undefined
  readonly required: boolean
  readonly unique: boolean
  /** The default in stored form; undefined if there is none, or a generated one. */
  readonly default: Json | undefined
  /** The generator of the default; undefined for a fixed default or none. */
  readonly generated: GeneratedDefault | undefined
  readonly limits: Limits
  /** The choices with their labels; undefined if none has a label or colour. */
  readonly labelledChoices: readonly ChoiceDefinition[] | undefined
  readonly searchable: boolean
  /** False if an engine that keeps indexes on disk needs none for the field. */
  readonly index: boolean
  /** True for `id`, `created_at`, `updated_at`: set by the server only. */
  readonly system: boolean
  /** True for a field of a built-in model that the server sets. Requests may not; seeds, and imports that keep ids, may. */
  readonly serverSet: boolean
  /** True for a field whose value the project's code computes. Requests may not set it. */
  readonly computed: boolean
  /** True for a field that a new record leaves empty only by null: a request has to name it. It is not `required`, whatever its definition says. */
  readonly explicit: boolean
  readonly relation: Relation | undefined
  /** What a file field accepts; undefined for other types. */
  readonly file: FileRules | undefined
  /** The Faker method of its mock data, if the definition names one. */
  readonly faker: FakerMethod | undefined
}

/** A generated default: the time, day or user of the creation, or a random UUID. */
export type GeneratedDefault = 'now' | 'today' | 'uuid' | 'user'

/** A field with a generated default. */
export type GeneratedField = Field & { readonly generated: GeneratedDefault }

/** The target of a relation field. */
export interface Relation {
  /** `author` for the field `author_id`; a many-to-many relation has the field's own name. */
  readonly name: string
  readonly kind: 'one' | 'many'
  /** Key of the target model. */
  readonly target: string
  readonly onDelete: DeletionRule
}

/** A field that is a relation. */
export type RelationField = Field & { readonly relation: Relation }

/** A field of files. */
export type FileField = Field & { readonly file: FileRules }

/** Narrows a field to a field of files. */
export const isFileField = (field: Field): field is FileField => field.file !== undefined

/** Narrows a field to a relation field. */
export const isRelation = (field: Field): field is RelationField => field.relation !== undefined

/**
 * Builds a field from its definition.
 *
 * @throws {Error} if the pattern cannot be compiled
 */
export function makeField(definition: FieldDefinition): Field {
  const type = fieldTypeOf(definition)
  const generated = generatedDefault(definition)
  return {
    name: definition.name,
    type,
    was: definition.was,
    label: definition.label,
    helpText: definition.help_text,
    required: definition.required ?? false,
    unique: definition.unique === true || definition.type === 'one_to_one',
    default: generated === undefined ? (definition.default ?? undefined) : undefined,
    generated,
    limits: compileLimits({ ...definition, choices: definition.choices?.map(choiceValue) }),
    labelledChoices: labelled(definition.choices),
    searchable: type.searchable && definition.searchable !== false,
    index: definition.index !== false,
    system: false,
    serverSet: false,
    computed: false,
    explicit: false,
    relation: makeRelation(definition),
    file: fileRules(definition),
    faker: definition.mock?.faker,
  }
}

/** True for a field that has a value when a request omits it. */
export const hasDefault = (field: Field): boolean => field.default !== undefined || field.generated !== undefined

/** True for a field that a new record without a default has to name, if only to leave it empty. */
export const isNeeded = ({ required, explicit }: Field): boolean => required || explicit

/** True for a field that requests may set. */
export const isSettable = ({ system, serverSet, computed }: Field): boolean => !system && !serverSet && !computed

/** Narrows a field to one with a generated default. */
export const isGenerated = (field: Field): field is GeneratedField => field.generated !== undefined

/** How a value is generated, where a definition has the name of a generator in its place. */
export function generatedDefault({
  type,
  default: value,
  model,
}: Pick<FieldDefinition, 'type' | 'default' | 'model'>): GeneratedDefault | undefined {
  if (type === 'datetime' && value === 'now') return 'now'
  if (type === 'date' && value === 'today') return 'today'
  if (type === 'uuid' && (value === undefined || value === 'uuid')) return 'uuid'
  const isUser = type === 'foreignkey' && model?.toLowerCase() === 'user'
  return isUser && isObject(value) && value.user === 'id' && Object.keys(value).length === 1 ? 'user' : undefined
}

/** The value of a choice with or without a label. */
export const choiceValue = (choice: string | number | ChoiceDefinition): string | number =>
  typeof choice === 'object' && choice !== null ? choice.value : choice

function labelled(choices: FieldDefinition['choices']): readonly ChoiceDefinition[] | undefined {
  if (choices?.some((choice) => typeof choice === 'object') !== true) return undefined
  return choices.map((choice) => (typeof choice === 'object' ? choice : { value: choice }))
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
  was: undefined,
  label: undefined,
  helpText: undefined,
  required: true,
  unique: name === 'id',
  default: undefined,
  generated: undefined,
  limits: {},
  labelledChoices: undefined,
  searchable: false,
  // Every update would change an index of `updated_at`.
  index: name !== 'updated_at',
  system: true,
  serverSet: false,
  computed: false,
  explicit: false,
  relation: undefined,
  file: undefined,
  faker: undefined,
})

/** The primary key, the first field of every model. */
export const ID_FIELD = systemField('id', primarykey)
/** The fields that `timestamps: true` appends. */
export const TIMESTAMP_FIELDS = [systemField('created_at', FIELD_TYPES.datetime), systemField('updated_at', FIELD_TYPES.datetime)]
/** The same, all of them with an index. */
export const INDEXED_TIMESTAMP_FIELDS = TIMESTAMP_FIELDS.map((field) => ({ ...field, index: true }))
