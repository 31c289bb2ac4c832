import { POSTGRES_ROWS } from './rows.ts'

/** Key of the import, which is no row of requests. */
export const IMPORT_KEY = 'pg-import'

/** Keys of the rows of the bench `postgres`. */
export const POSTGRES_KEYS: readonly string[] = [...POSTGRES_ROWS.map(({ key }) => key), IMPORT_KEY]
