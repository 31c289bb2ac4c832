import { AppError } from '../../../errors.ts'
import type { Connection } from '../connection/database.ts'
import { SYSTEM_PREFIX } from '../layout/column.ts'
import type { Layout } from '../layout/layout.ts'
import { noteChangesInOrder } from '../search/search-tables.ts'
import { fileChunksTable } from '../shared/file-chunks.ts'
import { processesTable } from '../shared/processes.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** A change of the tables and functions of the store, which a release of the program needs. */
export interface StoreMigration {
  /** 1, 2, …: they are applied in this order, each once. */
  readonly number: number
  /** What changes, as a sentence without a full stop. */
  readonly reason: string
  readonly statements: (layout: Layout) => readonly Sql[]
  /** True if releases without the change cannot use the database any more. */
  readonly isBreaking?: true
}

/** Name of the table of applied migrations. */
export const MIGRATIONS_TABLE = `${SYSTEM_PREFIX}migrations`

const migrationsTable = (layout: Layout): Sql => sql`create table ${layout.system('migrations')} (
  "number" integer primary key, "reason" text not null, "is_breaking" boolean not null,
  "applied_at" timestamptz not null default now()
)`

/**
 * The migrations of the store, after the tables and functions that the first releases created (`systemObjects`). New ones are added at the
 * end; a migration that was released does not change.
 */
export const STORE_MIGRATIONS: readonly StoreMigration[] = [
  {
    number: 1,
    reason: 'Changes of the tables of the store are numbered',
    statements: (layout) => [migrationsTable(layout)],
  },
  {
    number: 2,
    reason: 'The processes that serve the database are listed',
    statements: (layout) => [processesTable(layout)],
  },
  {
    number: 3,
    reason: 'An update notes its records in the order of their ids for searches',
    statements: (layout) => [noteChangesInOrder(layout)],
  },
  {
    number: 4,
    reason: 'The bytes of files have a table',
    statements: fileChunksTable,
  },
]

/** The statements of a migration, and the one that notes it. */
export const migrationStatements = (layout: Layout, migration: StoreMigration): readonly Sql[] => [
  ...migration.statements(layout),
  sql`insert into ${layout.system('migrations')} ("number", "reason", "is_breaking")
    values (${literal(migration.number)}, ${literal(migration.reason)}, ${literal(migration.isBreaking === true)})`,
]

/** What of the migrations a database has. */
export interface StoreVersion {
  /** Those that are not applied. */
  readonly missing: readonly StoreMigration[]
  /** True if a later release of the program has applied others. */
  readonly isLater: boolean
}

/**
 * Compares the migrations of a database with those of this release.
 *
 * @param isNumbered true if the schema has the table of applied migrations
 * @throws {AppError} MIGRATION_NEEDED if a later release has applied one without which the store cannot be used
 */
export async function storeVersion(
  connection: Connection,
  layout: Layout,
  isNumbered: boolean,
  migrations: readonly StoreMigration[] = STORE_MIGRATIONS,
): Promise<StoreVersion> {
  if (!isNumbered) return { missing: migrations, isLater: false }
  const { rows } = await connection.query(
    sql`select "number", "is_breaking", "reason" from ${layout.system('migrations')} order by 1`,
  )
  const applied = new Set(rows.map(([number]) => Number(number)))
  const later = rows.filter(([number]) => !migrations.some((each) => each.number === Number(number)))
  const breaking = later.find(([, isBreaking]) => isBreaking === 't')
  if (breaking !== undefined) {
    const what = `migration ${breaking[0]} of the store (${breaking[2]})`
    throw new AppError(
      'MIGRATION_NEEDED',
      `A later release of admin-folder has applied ${what}, and this release cannot use the database any more; start the later release`,
    )
  }
  return { missing: migrations.filter(({ number }) => !applied.has(number)), isLater: later.length > 0 }
}
