import { hash } from 'node:crypto'

/** Maximum length of a name in PostgreSQL, in bytes; longer ones are cut off silently. */
const MAX_NAME_BYTES = 63

/** Hexadecimal digits of the hash that makes a shortened name unique. */
const HASH_DIGITS = 8

/** Prefix of tables that belong to the server. No model or field has such a name. */
export const SYSTEM_PREFIX = '_admin_'

/** A name that PostgreSQL keeps whole: a longer one is cut off and ends in a hash of the whole name. */
export function shortName(name: string): string {
  // Names of models and fields consist of ASCII characters, one byte each.
  if (name.length <= MAX_NAME_BYTES) return name
  return `${name.slice(0, MAX_NAME_BYTES - HASH_DIGITS - 1)}_${hash('sha256', name, 'hex').slice(0, HASH_DIGITS)}`
}

/** Columns that PostgreSQL gives every table. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** The name of the column of a field. No name of a field ends in an underscore. */
export const columnName = (field: string): string => (SYSTEM_COLUMNS.has(field) ? `${field}_` : shortName(field))

/** The name of the table of a model. */
export const tableName = ({ key, internal }: { readonly key: string; readonly internal: boolean }): string =>
  shortName(internal ? SYSTEM_PREFIX + key : key)
