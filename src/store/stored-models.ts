import type { Json } from '../util/json.ts'

/** Maximum number of values kept of one field. */
export const MAX_SAMPLE = 200

/** A stored field: the number of records with a value, and some of the values. */
export interface StoredField {
  readonly records: number
  readonly sample: readonly Json[]
}

/** A stored table, with the fields that have values, whether or not the models have them. */
export interface StoredTable {
  readonly records: number
  readonly fields: ReadonlyMap<string, StoredField>
}

/** The stored tables by name. */
export type StoredNames = ReadonlyMap<string, StoredTable>

/** The tables of a store, whether or not there are models for them, and its permissions. */
export interface StoredContent {
  /** Number of records by table, after the renames that the models declare. */
  readonly tables: ReadonlyMap<string, number>
  readonly permissions: readonly StoredPermission[]
}

/** A stored permission record, as far as it tells which model it is for. */
export interface StoredPermission {
  readonly id: number
  readonly codename: string
  readonly name: string | null
}

/** The table of permissions. */
export const PERMISSION_TABLE = 'permission'
