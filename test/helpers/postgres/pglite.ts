import { after } from 'node:test'
import type { Database } from '../../../src/store/postgres/connection/database.ts'
import { dropFreeSchemas } from './reused-schemas.ts'

let shared: Promise<Database> | undefined

/** The database of this process, which its tests share: it takes seconds to start. PGlite is loaded with it. */
export function pglite(): Promise<Database> {
  shared ??= import('./pglite-database.ts').then(({ PgliteDatabase }) => PgliteDatabase.open())
  return shared
}

// PostgreSQL sets a timer of ten seconds after its last statement, which would keep the process.
after(async () => {
  if (shared === undefined) return
  await dropFreeSchemas()
  await (await shared).close()
})
