import { POSTGRES_ROWS } from './rows.ts'

/** Keys of the import and of searches during a change of many rows, which are no rows of requests. */
export const IMPORT_KEY = 'pg-import'
export const SEARCH_KEY = 'pg-search'

/** Keys of the rows of the bench `postgres`. */
export const POSTGRES_KEYS: readonly string[] = [...POSTGRES_ROWS.map(({ key }) => key), SEARCH_KEY, IMPORT_KEY]
