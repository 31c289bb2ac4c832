import type { Layout } from '../layout/layout.ts'
import { type Sql, sql } from '../sql.ts'

/**
 * The table of the bytes of files, in chunks of 1 MiB. They are stored as they are: most files are compressed already, and parts of a chunk can be
 * read without the whole.
 */
export const fileChunksTable = (layout: Layout): readonly Sql[] => {
  const table = layout.system('file_chunks')
  return [
    sql`create table ${table} (
      "sha256" text collate "C" not null, "n" integer not null, "bytes" bytea not null,
      "kept_at" timestamptz not null default clock_timestamp(), primary key ("sha256", "n")
    )`,
    sql`alter table ${table} alter column "bytes" set storage external`,
  ]
}
