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
