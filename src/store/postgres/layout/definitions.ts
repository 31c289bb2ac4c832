import type { DeletionRule } from '../../../model/definition.ts'
import type { Field } from '../../../model/field.ts'
import { identifier, joined, keyword, literal, quotedName, type Sql, sql } from '../sql.ts'
import { type FieldColumn, type LinkTable, shortName } from './column.ts'
import { indexesOf, isLong } from './indexes.ts'
import type { Layout, TableLayout } from './layout.ts'

/** A column, as `create table` and `add column` declare it. */
export interface ColumnDefinition {
  readonly name: string
  /** Type and collation, and the identity of `id`. */
  readonly type: Sql
  readonly isRequired: boolean
  /** The field whose values it holds; undefined for a column of the store. */
  readonly field: Field | undefined
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
}

/** The schema in which the extension `pg_trgm` is installed, which indexes parts of texts; undefined if it is not installed. */
export type Trigrams = string | undefined

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
    columns: [
      { name: 'id', type: identity(table, layout), isRequired: true, field: undefined },
      ...own.map(({ name: column, declaration, field }) => ({
        name: column,
        type: keyword(declaration),
        isRequired: field.required,
        field,
      })),
      ...links.map(({ flagName }) => ({ name: flagName, type: keyword('boolean'), isRequired: false, field: undefined })),
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
    indexes: indexDefinitions(table, trigrams),
  }
}

function linkTableOf({ name, table, field }: LinkTable, owner: TableLayout, layout: Layout): TableDefinition {
  return {
    name,
    table,
    model: owner.model.key,
    holds: 'links',
    columns: [
      { name: 'owner', type: keyword('bigint'), isRequired: true, field: undefined },
      { name: 'target', type: keyword('bigint'), isRequired: true, field: undefined },
      { name: 'position', type: sql`integer default 0`, isRequired: true, field: undefined },
    ],
    constraints: [primaryKey(name, ['owner', 'target'])],
    foreignKeys: [
      foreignKey(name, 'owner', owner, 'cascade'),
      foreignKey(name, 'target', layout.of(field.relation.target), 'cascade'),
    ],
    indexes: [{ name: shortName(`${name},target_idx`), definition: sql`("target", "owner")` }],
  }
}

function indexDefinitions(table: TableLayout, trigrams: Trigrams): NamedDefinition[] {
  return indexesOf(table).flatMap(({ name, method, keys, requires }) => {
    if (requires !== undefined && trigrams === undefined) return []
    // The schema of the extension may not be on the search path.
    const opclass = trigrams === undefined ? '' : `${quotedName(trigrams)}.gin_trgm_ops`
    const qualified = keys.map((key) => key.replace(/\bgin_trgm_ops$/, () => opclass))
    return { name, definition: keyword(`using ${method} (${qualified.join(', ')})`) }
  })
}

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
  // No field has a comma in its name, so that no unique field has the name of a set.
  const name = shortName(`${table}_${names.join(',')}_key`)
  return { name, definition: sql`${uniqueness(columns)} deferrable initially deferred`, kind: 'unique', columns: names }
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
