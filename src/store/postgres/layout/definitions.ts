import type { DeletionRule } from '../../../model/definition.ts'
import type { Field } from '../../../model/field.ts'
import type { FieldType } from '../../../model/field-type.ts'
import { identifier, joined, keyword, literal, quotedName, type Sql, sql } from '../sql.ts'
import { type FieldColumn, type LinkTable, shortName } from './column.ts'
import type { Layout, TableLayout } from './layout.ts'

/** A column, as `create table` and `add column` declare it. */
export interface ColumnDefinition {
  readonly name: string
  /** Type and collation, and the identity of `id`. */
  readonly type: Sql
  readonly isRequired: boolean
  /** The field whose values it holds; undefined for a column of the store. */
  readonly field: Field | undefined
  /** The value of a row that is inserted without one. */
  readonly default: Sql | undefined
  readonly comment: string | undefined
}

/** A constraint of the values of a table's columns. */
export interface ConstraintDefinition extends NamedDefinition {
  readonly kind: 'primary' | 'unique' | 'check'
  /** Names of the columns. */
  readonly columns: readonly string[]
  /** What a check demands of each row. */
  readonly condition?: Sql
}

/** A reference of a column to the id of another table. */
export interface ForeignKeyDefinition extends NamedDefinition {
  readonly column: string
  /** The referenced table. */
  readonly target: string
}

/** A table as the models define it. */
export interface TableDefinition {
  readonly name: string
  /** The qualified name. */
  readonly table: Sql
  readonly columns: readonly ColumnDefinition[]
  /** Primary key, unique and check constraints. */
  readonly constraints: readonly ConstraintDefinition[]
  /** They are added when all tables exist. */
  readonly foreignKeys: readonly ForeignKeyDefinition[]
  readonly indexes: readonly NamedDefinition[]
  /** The model whose records the table holds, or, for a link table, whose lists it holds. */
  readonly model: string
  readonly holds: 'records' | 'links'
  readonly comment: string | undefined
}

/** The tables of all models, and of their many-to-many fields. */
export function definitionsOf(layout: Layout, trigrams: Trigrams): TableDefinition[] {
  return layout.tables.flatMap((table) => [
    tableOf(table, layout, trigrams),
    ...table.links.map((link) => linkTableOf(link, table, layout)),
  ])
}

function tableOf(table: TableLayout, layout: Layout, trigrams: Trigrams): TableDefinition {
  const { model, name, columns, links } = table
  const own = columns.filter(({ name: column }) => column !== 'id')
  return {
    name,
    table: table.table,
    model: model.key,
    holds: 'records',
    comment: commentOf(model.label === model.name ? undefined : model.label),
    columns: [
      { ...storeColumn('id', identity(table, layout), true), comment: fieldComment(model.fields.get('id')) },
      ...own.map(({ name: column, declaration, field, default: value }) => ({
        name: column,
        type: keyword(declaration),
        isRequired: field.required,
        field,
        default: value,
        comment: fieldComment(field),
      })),
      ...links.map(({ flagName }) => storeColumn(flagName, keyword('boolean'), false)),
    ],
    constraints: [
      primaryKey(name, ['id']),
      ...own.filter(({ field }) => field.unique).map((column) => unique(name, [column])),
      ...model.uniqueSets.map(({ fields }) =>
        unique(
          name,
          fields.map((field) => table.expectColumn(field)),
        ),
      ),
      ...own.flatMap((column) =>
        checksOf(column).map((check, index) => ({
          name: shortName(`${name}_${column.name}_check${index === 0 ? '' : index + 1}`),
          definition: sql`check (${check})`,
          kind: 'check' as const,
          columns: [column.name],
          condition: check,
        })),
      ),
    ],
    foreignKeys: own.flatMap((column) => {
      const { relation } = column.field
      if (relation === undefined) return []
      return foreignKey(name, column.name, layout.of(relation.target), relation.onDelete)
    }),
    indexes: indexesOf(table, trigrams),
  }
}

function linkTableOf({ name, table, field }: LinkTable, owner: TableLayout, layout: Layout): TableDefinition {
  return {
    name,
    table,
    model: owner.model.key,
    holds: 'links',
    comment: fieldComment(field),
    columns: [
      storeColumn('owner', keyword('bigint'), true),
      storeColumn('target', keyword('bigint'), true),
      storeColumn('position', sql`integer default 0`, true),
    ],
    constraints: [primaryKey(name, ['owner', 'target'])],
    foreignKeys: [
      foreignKey(name, 'owner', owner, 'cascade'),
      foreignKey(name, 'target', layout.of(field.relation.target), 'cascade'),
    ],
    indexes: [{ ...namedParts([name, 'target'], 'idx'), definition: sql`("target", "owner")` }],
  }
}

const storeColumn = (name: string, type: Sql, isRequired: boolean): ColumnDefinition => ({
  ...{ name, type, isRequired },
  ...{ field: undefined, default: undefined, comment: undefined },
})

/** What the model says of a field: its label and its help text. */
const fieldComment = (field: Field | undefined): string | undefined =>
  commentOf([field?.label, field?.helpText].filter((text) => text !== undefined).join(': '))

/** A text as PostgreSQL can store it; undefined if nothing is left of it. */
const commentOf = (text: string | undefined): string | undefined => text?.toWellFormed().replaceAll('\0', '') || undefined

const identity = ({ sequenceName }: TableLayout, { schema }: Layout): Sql =>
  sql`bigint generated by default as identity (sequence name ${identifier(schema, sequenceName)})`

const primaryKey = (table: string, columns: readonly string[]): ConstraintDefinition => ({
  name: shortName(`${table}_pkey`),
  definition: sql`primary key (${joined(columns.map((column) => identifier(column)))})`,
  kind: 'primary',
  columns,
})

/**
 * Checked at the end of a transaction, so that a batch may swap values. A unique index has room for a third of a page, so that long texts
 * are compared by their hashes.
 */
function unique(table: string, columns: readonly FieldColumn[]): ConstraintDefinition {
  const names = columns.map((column) => column.name)
  const [first = '', ...others] = names
  const name = namedParts([`${table}_${first}`, ...others], 'key')
  return { ...name, definition: sql`${uniqueness(columns)} deferrable initially deferred`, kind: 'unique', columns: names }
}

/**
 * A name of several parts, which no other constraint or index has: no field has two underscores in a row in its name. Former versions put a
 * comma between the parts.
 */
function namedParts(parts: readonly string[], kind: 'key' | 'idx'): Pick<NamedDefinition, 'name' | 'was'> {
  const [name, was] = ['__', ','].map((separator) => shortName(`${parts.join(separator)}_${kind}`))
  return { name: name ?? '', was: name === was ? undefined : was }
}

function uniqueness(columns: readonly FieldColumn[]): Sql {
  if (!columns.some(({ field }) => isLong(field))) return sql`unique (${joined(columns.map((column) => column.sql))})`
  const [only, ...others] = columns
  if (only !== undefined && others.length === 0) return sql`exclude using hash (${only.sql} with =)`
  const compared = columns.map(({ field, sql: column }) => (isLong(field) ? sql`md5(${column}) with =` : sql`${column} with =`))
  return sql`exclude using btree (${joined(compared)})`
}

/** A restriction is checked at the end of a transaction too, as NO ACTION, since a batch may remove both records. */
const ON_DELETE: Readonly<Record<DeletionRule, Sql>> = {
  restrict: sql`no action`,
  cascade: sql`cascade`,
  set_null: sql`set null`,
}

function foreignKey(table: string, column: string, target: TableLayout, onDelete: DeletionRule): ForeignKeyDefinition {
  return {
    name: shortName(`${table}_${column}_fkey`),
    definition: sql`foreign key (${identifier(column)}) references ${target.table} ("id")
      on delete ${ON_DELETE[onDelete]} deferrable initially deferred`,
    column,
    target: target.name,
  }
}

/** The conditions on a column that follow from the limits of its field. A pattern gives none, since PostgreSQL has another syntax. */
function checksOf({ field, sql: column, type }: FieldColumn): Sql[] {
  const { limits } = field
  // Secrets are stored hashed.
  if (field.type.secret) return []
  const checks: Sql[] = []
  const addCheck = (limit: number | undefined, condition: (bound: Sql) => Sql) => {
    if (limit !== undefined) checks.push(condition(literal(limit)))
  }
  if (type === 'text') {
    addCheck(limits.min_length, (bound) => sql`char_length(${column}) >= ${bound}`)
    addCheck(limits.max_length, (bound) => sql`char_length(${column}) <= ${bound}`)
  } else {
    addCheck(limits.gt, (bound) => sql`${column} > ${bound}`)
    addCheck(limits.gte, (bound) => sql`${column} >= ${bound}`)
    addCheck(limits.lt, (bound) => sql`${column} < ${bound}`)
    addCheck(limits.lte, (bound) => sql`${column} <= ${bound}`)
    addCheck(limits.decimal_places, (bound) => sql`scale(trim_scale(${column})) <= ${bound}`)
  }
  const choices = choicesOf(limits.choices, type)
  if (choices !== undefined) {
    checks.push(field.type.list ? sql`${column} <@ array[${choices}]::text[]` : sql`${column} in (${choices})`)
  }
  return checks
}

/** The choices that a value of the column can equal; undefined if the field has no choices. */
function choicesOf(choices: readonly (string | number)[] | undefined, type: string): Sql | undefined {
  const wanted = type.startsWith('text') ? 'string' : 'number'
  const possible = choices?.filter((choice) => typeof choice === wanted) ?? []
  return possible.length === 0 ? undefined : joined(possible.map(literal))
}

/** A constraint or an index, with a name that is unique in the schema. */
export interface NamedDefinition {
  readonly name: string
  /** The name that former versions gave it, if that is another one. */
  readonly was?: string | undefined
  /** Of a constraint what follows its name, of an index what follows the name of the table. */
  readonly definition: Sql
}

/** A table or function of the store that belongs to no model. */
export interface SystemObject {
  readonly kind: 'table' | 'function'
  readonly name: string
  /** Creates a table, or creates or replaces a function. */
  readonly create: Sql
  /** Create the indexes of a table. */
  readonly indexes?: readonly Sql[]
}

/** Types of the fields of internal models by which the server looks for their records. */
const INDEXED_IF_INTERNAL: ReadonlySet<FieldType['name']> = new Set(['foreignkey', 'integer', 'datetime'])

/** Texts of several lines are searched rather than sorted. */
const UNORDERED: ReadonlySet<FieldType['name']> = new Set(['primarykey', 'text', 'json', 'password'])

/** Types whose parts people search for with `icontains`. */
const SEARCHED: ReadonlySet<FieldType['name']> = new Set(['string', 'text', 'email', 'slug', 'url'])

/** True for a field whose values have an index in their order. */
export const isOrdered = ({ type, index }: Field): boolean => index && type.sortable && !UNORDERED.has(type.name)

/** The schema in which the extension `pg_trgm` is installed, which indexes parts of texts; undefined if it is not installed. */
export type Trigrams = string | undefined

/**
 * The indexes that lists need, beside those of the primary key and of unique constraints: one for each field in its order, one for the items
 * of each list, and one for the parts of each text. Those of an order end in the id, as every sort order does. Fields with `index: false` have
 * none, nor has `updated_at` unless the model asks: an update that changes no index writes one version of the row and nothing else.
 */
export function indexesOf({ name, columns, model }: TableLayout, trigrams: Trigrams): NamedDefinition[] {
  const known = columns.filter(({ field }) => field.index && (!model.internal || INDEXED_IF_INTERNAL.has(field.type.name)))
  return known.flatMap((column): NamedDefinition[] => {
    const { field } = column
    const index = (parts: readonly string[], using: string) => ({
      ...namedParts([`${name}_${column.name}`, ...parts], 'idx'),
      definition: keyword(`using ${using}`),
    })
    const text = textOf(column.sql)
    if (field.type.structured) return []
    if (field.type.list) return [index([], `gin (${text})`)]
    const hasParts = SEARCHED.has(field.type.name) && field.limits.choices === undefined && trigrams !== undefined
    return [
      ...(isOrdered(field) && !hasUniqueOrder(column) ? [index([], `btree (${keyOf(column)}, "id")`)] : []),
      // The schema of the extension may not be on the search path.
      ...(hasParts ? [index(['parts'], `gin (${text} ${quotedName(trigrams)}.gin_trgm_ops)`)] : []),
    ]
  })
}

/** True if the index of the unique constraint has the order of the field, in which no two records tie. */
const hasUniqueOrder = ({ field }: FieldColumn): boolean => field.unique && !isLong(field)

const keyOf = ({ field, sql: column }: FieldColumn): string =>
  isLong(field) ? `(${textOf(beginningOf(column))})` : textOf(column)

const textOf = (fragment: Sql): string => fragment.compile().text

/** Longest text that an index takes, in characters: an entry has room for 2,704 bytes, a character takes up to 4. */
export const MAX_INDEXED_LENGTH = 600

/** The part of long texts that their index in order contains. */
export const beginningOf = (text: Sql): Sql => sql`left(${text}, ${literal(MAX_INDEXED_LENGTH)})`

/** Maximum length of an e-mail address, which its type enforces. */
const MAX_EMAIL_LENGTH = 254

/** True for a text without a limit of its length, or with a higher one than an index allows. */
export function isLong({ type, limits }: Field): boolean {
  if (!TEXTS.has(type.name)) return false
  const fixed = type.name === 'email' ? MAX_EMAIL_LENGTH : undefined
  const choices = limits.choices?.map((choice) => String(choice).length)
  const longest = choices === undefined ? (limits.max_length ?? fixed ?? Number.POSITIVE_INFINITY) : Math.max(...choices)
  return longest > MAX_INDEXED_LENGTH
}

const TEXTS: ReadonlySet<FieldType['name']> = new Set(['string', 'text', 'email', 'url', 'slug', 'choice', 'password'])
