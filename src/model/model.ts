import type { Json, JsonObject } from '../util/json.ts'
import type { AccessDefinition } from './definition.ts'
import {
  type Field,
  type FileField,
  type GeneratedField,
  isFileField,
  isGenerated,
  isRelation,
  type RelationField,
} from './field.ts'
import type { UniqueSet } from './unique-set.ts'

/** A registered model: its fields in order, `id` first and timestamps last. */
export class Model {
  /** Class name, `Post`. */
  readonly name: string
  /** Path segment and table name, `post`. */
  readonly key: string
  /** The former key, under which records may still be stored. */
  readonly was: string | undefined
  readonly label: string
  readonly displayField: string
  /** Group in menus. */
  readonly group: string | undefined
  /** Icon in menus, a name of Lucide. */
  readonly icon: string | undefined
  readonly timestamps: boolean
  /** False if its changes are not recorded even if history is on. */
  readonly history: boolean
  /** Internal models hold the server's own records; they have no endpoints, permissions or events. */
  readonly internal: boolean
  readonly fields: ReadonlyMap<string, Field>
  /** Relation fields by the relation's name: `author`, not `author_id`. */
  readonly relations: ReadonlyMap<string, RelationField>
  /** Fields whose values depend on other records: unique ones except the id, and relations. */
  readonly constrained: readonly Field[]
  /** Fields that are unique together. */
  readonly uniqueSets: readonly UniqueSet[]
  /** The unique fields, without the id, and the unique sets. */
  readonly uniqueKeys: readonly UniqueKey[]
  /** Access by action, as written. */
  readonly access: AccessDefinition
  /** Fields with a generated default. */
  readonly generated: readonly GeneratedField[]
  /** Fields of files. */
  readonly fileFields: readonly FileField[]
  /** Names of the secret fields. */
  readonly secrets: readonly string[]

  constructor(options: {
    name: string
    was?: string | undefined
    label: string | undefined
    displayField: string | undefined
    group?: string | undefined
    icon?: string | undefined
    timestamps: boolean
    internal: boolean
    uniqueSets?: readonly UniqueSet[]
    access?: AccessDefinition
    history?: boolean
    fields: readonly Field[]
  }) {
    this.name = options.name
    this.key = options.name.toLowerCase()
    this.was = options.was?.toLowerCase()
    this.label = options.label ?? options.name
    this.group = options.group
    this.icon = options.icon
    this.timestamps = options.timestamps
    this.internal = options.internal
    this.history = options.history ?? true
    this.fields = new Map(options.fields.map((field) => [field.name, field]))
    this.relations = new Map(options.fields.filter(isRelation).map((field) => [field.relation.name, field]))
    this.constrained = options.fields.filter(({ name, unique, relation }) => (unique && name !== 'id') || relation !== undefined)
    this.uniqueSets = options.uniqueSets ?? []
    this.uniqueKeys = uniqueKeys(this)
    this.access = options.access ?? {}
    this.generated = options.fields.filter(isGenerated)
    this.fileFields = options.fields.filter(isFileField)
    this.secrets = options.fields.filter(({ type }) => type.secret).map(({ name }) => name)
    this.displayField = options.displayField ?? guessDisplayField(options.fields)
  }

  /** All fields except secrets. */
  get visibleFields(): Field[] {
    return [...this.fields.values()].filter((field) => !field.type.secret)
  }

  /** Fields of the full-text search: texts and choices, unless they opt out. */
  get searchableFields(): Field[] {
    return [...this.fields.values()].filter((field) => field.searchable)
  }
}

function guessDisplayField(fields: readonly Field[]): string {
  const texts = fields.filter(({ type }) => ['string', 'text', 'email', 'slug', 'choice'].includes(type.name))
  const usual = ['name', 'title', 'username', 'label', 'slug'].find((name) => texts.some((field) => field.name === name))
  const firstLine = texts.find((field) => field.type.name === 'string')
  return usual ?? firstLine?.name ?? 'id'
}

/** A key that no two records share: the value of a unique field, or the values of a unique set. */
export interface UniqueKey {
  /** Name of the field or of the set. */
  readonly name: string
  readonly fields: readonly string[]
  /** The field that messages name. */
  readonly field: string
  /** Continues a message that begins with the field. */
  readonly problem: string
  /** Null if the record has none. */
  keyOf(record: JsonObject): Json
}

const uniqueKeys = ({ constrained, uniqueSets }: Model): UniqueKey[] => [
  ...constrained.flatMap(({ name, unique }) => {
    const keyOf = (record: JsonObject) => record[name] ?? null
    return unique ? [{ name, fields: [name], field: name, problem: 'must be unique', keyOf }] : []
  }),
  ...uniqueSets.map((set) => ({
    ...{ name: set.name, fields: set.fields, field: set.fields[0] ?? '' },
    problem: set.problem,
    keyOf: (record: JsonObject) => set.keyOf(record),
  })),
]
