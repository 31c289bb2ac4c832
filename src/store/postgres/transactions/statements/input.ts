import type { Json } from '../../../../util/json.ts'
import type { Column } from '../../layout/column.ts'
import { identifier, joined, keyword, parameterText, type Sql, sql } from '../../sql.ts'

/** A column of rows that a statement gets as parameters. */
export interface InputColumn {
  /** Quoted name. */
  readonly name: Sql
  /** The type of the values. */
  readonly type: string
  /** The value of each row. */
  readonly values: readonly (string | number | boolean | null)[]
}

/** The name of a column with the numbers of the rows. No field has a name that begins with an underscore. */
export const POSITION = identifier('_position')

/** The values of a table's column, one for each row. */
export const inputOf = (column: Column, values: readonly Json[]): InputColumn => ({
  name: column.sql,
  type: column.type,
  values: values.map((value) => parameterText(column.toParameter(value))),
})

/** A query that returns the rows of some columns: one parameter a column, however many rows there are. */
export function input(columns: readonly InputColumn[]): Sql {
  const names = columns.map((_, index) => identifier(`i${index}`))
  const only = columns[0]?.values.length === 1
  if (only) {
    return sql`select ${joined(columns.map(({ name, type, values }) => sql`${values[0] ?? null}::${keyword(type)} as ${name}`))}`
  }
  const selected = columns.map(({ name, type }, index) => {
    const value = sql`"i".${names[index] ?? name}`
    return isArray(type) ? sql`${value}::${keyword(type)} as ${name}` : sql`${value} as ${name}`
  })
  return sql`select ${joined(selected)} from unnest(${joined(columns.map(list))}) as "i" (${joined(names)})`
}

// An array of arrays must be rectangular, so that arrays are passed as texts.
const isArray = (type: string): boolean => type.endsWith('[]')

const list = ({ type, values }: InputColumn): Sql => sql`${values}::${keyword(isArray(type) ? 'text[]' : `${type}[]`)}`

/** A parameter with one value of a column for each row, for `unnest`. */
export const listParameter = (column: Column, values: readonly Json[]): Sql => list(inputOf(column, values))
