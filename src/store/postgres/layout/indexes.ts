import type { Field } from '../../../model/field.ts'
import type { FieldType } from '../../../model/field-type.ts'
import type { Sql } from '../sql.ts'
import type { Column } from './column.ts'
import { shortName } from './names.ts'
import type { TableLayout } from './table-layout.ts'
import { TextOrder } from './text-order.ts'

/** An index of a table, beside those of its primary key and unique constraints. Plain data. */
export interface IndexDefinition {
  /** Unqualified and unquoted. */
  readonly name: string
  readonly method: 'btree' | 'gin'
  /** The keys as they stand in the definition: quoted names, or expressions in parentheses, with the operator class. */
  readonly keys: readonly string[]
  /** The extension without which the index cannot be created. Queries need no such index, but are slower without it. */
  readonly requires?: 'pg_trgm'
}

/** Types of the fields of internal models by which the server looks for their records. */
const INDEXED_IF_INTERNAL: ReadonlySet<FieldType['name']> = new Set(['foreignkey', 'integer', 'datetime'])

/** Texts of several lines are searched rather than sorted. */
const UNORDERED: ReadonlySet<FieldType['name']> = new Set(['primarykey', 'text', 'json', 'password'])

/** Types whose parts people search for with `icontains`. */
const SEARCHED: ReadonlySet<FieldType['name']> = new Set(['string', 'text', 'email', 'slug', 'url'])

/** True for a field whose values have an index in their order. */
export const isOrdered = ({ type }: Field): boolean => type.sortable && !UNORDERED.has(type.name)

/**
 * The indexes that lists need: one for each field in its order, one for the items of each list, and one for the parts of each text. Those of
 * an order end in the id, as every sort order does.
 */
export function indexesOf({ name, columns, model }: TableLayout): IndexDefinition[] {
  const known = columns.filter(({ field }) => !model.internal || INDEXED_IF_INTERNAL.has(field.type.name))
  return known.flatMap((column): IndexDefinition[] => {
    const { field } = column
    const named = (suffix: string) => shortName(`${name}_${column.name}_${suffix}`)
    if (field.type.list) return [{ name: named('items'), method: 'gin', keys: [textOf(column.sql)] }]
    const parts = SEARCHED.has(field.type.name) && field.limits.choices === undefined
    return [
      ...(isOrdered(field) ? [{ name: named('order'), method: 'btree', keys: [keyOf(column), '"id"'] } as const] : []),
      ...(parts
        ? [{ name: named('parts'), method: 'gin', keys: [`${textOf(column.sql)} gin_trgm_ops`], requires: 'pg_trgm' } as const]
        : []),
    ]
  })
}

function keyOf({ field, sql, type }: Column): string {
  if (type !== 'text') return textOf(sql)
  const key = textOf(new TextOrder(field).key(sql))
  return key === textOf(sql) ? key : `(${key})`
}

const textOf = (fragment: Sql): string => fragment.compile().text
