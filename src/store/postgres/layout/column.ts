import type { Field, RelationField } from '../../../model/field.ts'
import type { Json } from '../../../util/json.ts'
import { identifier, type Parameter, type Sql, sql } from '../sql.ts'
import { codecOf, isOfType } from './codec.ts'
import { columnName, shortName } from './names.ts'

/** A field as a table keeps it. */
interface StoredField {
  readonly field: Field
  /** The value of the field in the list of a SELECT, as `read` expects it. `alias` is the table of the record, such as `"r"`. */
  select(alias: Sql): Sql
  /** Reads a value of the list. */
  read(text: string | null): Json
  /** The parameter for a value in stored form. */
  toParameter(value: Json): Parameter
  /**
   * True for a value, or an item of a list, that a parameter of the field's type can carry. A comparison with any other value matches no
   * record, and PostgreSQL would report an error.
   */
  isOfType(value: Json): boolean
}

/** A column that holds the values of a field. */
export interface Column extends StoredField {
  readonly name: string
  /** The quoted name. */
  readonly sql: Sql
  /** The type for casts of parameters and their arrays, such as `bigint`. */
  readonly type: string
  /** The type in the definition of the table, with the collation. */
  readonly declaration: string
}

/**
 * The table of a many-to-many relation: `owner`, `target`, `position` from 0. An empty list differs from null by the boolean column `flag`
 * of the owner's table, which is true unless the value is null.
 */
export interface LinkTable extends StoredField {
  readonly field: RelationField
  readonly name: string
  /** The qualified name. */
  readonly table: Sql
  /** Name of the column of the owner's table. */
  readonly flagName: string
  /** The same, quoted. */
  readonly flag: Sql
}

/** The column of a field. */
export function columnOf(field: Field): Column {
  const codec = codecOf(field)
  const name = columnName(field.name)
  const quoted = identifier(name)
  return {
    field,
    name,
    sql: quoted,
    type: codec.type,
    declaration: codec.collation === undefined ? codec.type : `${codec.type} collate "${codec.collation}"`,
    select: (alias) => codec.select(sql`${alias}.${quoted}`),
    read: (text) => (text === null ? null : codec.read(text)),
    toParameter: (value) => (value === null ? null : codec.toParameter(value)),
    isOfType: (value) => isOfType(field, value),
  }
}

/** The link table of a many-to-many field of a table. */
export function linkTableOf(field: RelationField, schema: string, owner: string): LinkTable {
  const name = shortName(`${owner}_${field.name}`)
  const table = identifier(schema, name)
  const flagName = shortName(`_${field.name}_set`)
  const flag = identifier(flagName)
  return {
    field,
    name,
    table,
    flagName,
    flag,
    select: (alias) => sql`coalesce(
      (select json_agg("l"."target" order by "l"."position") from ${table} "l" where "l"."owner" = ${alias}."id"),
      case when ${alias}.${flag} then '[]'::json end)`,
    read: (text) => (text === null ? null : (JSON.parse(text) as Json)),
    toParameter: (value) => value as readonly number[] | null,
    isOfType: (value) => isOfType(field, value),
  }
}
