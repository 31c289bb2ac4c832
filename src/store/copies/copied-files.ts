import { rm } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { describePlace, FILE_TABLE } from '../../model/files.ts'
import { type BlobStore, isWhole } from '../blobs/blob-store.ts'
import type { BlobDatabase } from '../blobs/postgres-blobs.ts'
import { receive } from '../blobs/receive.ts'
import type { Connection } from '../postgres/connection/database.ts'
import type { Layout } from '../postgres/layout/layout.ts'
import { identifier, literal, sql } from '../postgres/sql.ts'
import type { StoredRecord } from '../store.ts'

/** Hashes read at a time. */
const PAGE = 500

/** Where the bytes of files are on both sides of a copy. */
export interface CopiedBlobs {
  /** The bytes of the data folder. */
  readonly folder: BlobStore
  /** The bytes of the database, which are read and written in the transaction of the copy if they are in a table. */
  readonly inDatabase: (database: BlobDatabase) => BlobStore
}

/** The files of a copy. */
export interface CopiedFiles {
  /** Rows of the registry of files. */
  readonly files: number
  /** Hashes, and their size in bytes. */
  readonly contents: number
  readonly bytes: number
}

/** A transaction as a database, so that bytes are read and written within it. */
export const asDatabase = (connection: Connection): BlobDatabase => ({
  query: (statement, options) => connection.query(statement, options),
  transaction: (work) => work(connection),
  // There is none for locks, and no need of them: the other side is locked, or has no other process.
  maxConnections: 1,
})

/**
 * Copies the bytes of all hashes that the registry of files names, each once. The registry is that in the database, on either way. Bytes that the target
 * has stay if they have their hash. They are durable when it resolves, or with the transaction. Memory depends neither on the number nor on
 * the size of files.
 *
 * @throws {AppError} DATA_CORRUPT, which names the file, if the source does not have its bytes; STORAGE_FULL
 */
export async function copyFiles(
  connection: Connection,
  layout: Layout,
  { source, target }: { readonly source: BlobStore; readonly target: BlobStore },
): Promise<CopiedFiles> {
  // A large file may take longer to receive.
  await connection.query(sql`set local idle_in_transaction_session_timeout = 0`)
  const { table } = layout.of(FILE_TABLE)
  const { rows } = await connection.query(sql`select count(*) from ${table}`)
  const copied = { files: Number(rows[0]?.[0]), contents: 0, bytes: 0 }
  for await (const file of contentsOf(connection, layout)) {
    await copyContent(file, source, target)
    copied.contents++
    copied.bytes += Number(file.size)
  }
  return copied
}

/** A row of the registry for each hash. By a cursor, since the hashes are sorted once then. */
async function* contentsOf(connection: Connection, layout: Layout): AsyncGenerator<StoredRecord> {
  const registry = layout.of(FILE_TABLE)
  const alias = identifier('r')
  await connection.query(
    sql`declare "files" no scroll cursor for select distinct on (${alias}."sha256") ${registry.selectList(alias)}
      from ${registry.table} as ${alias} order by ${alias}."sha256", ${alias}."id"`,
  )
  for (;;) {
    const { rows } = await connection.query(sql`fetch ${literal(PAGE)} from "files"`)
    for (const row of rows) yield registry.read(row)
    if (rows.length < PAGE) return
  }
}

async function copyContent(file: StoredRecord, source: BlobStore, target: BlobStore): Promise<void> {
  const sha256 = String(file.sha256)
  const present = await isWhole(target, sha256)
  if (present === true) return
  const received = await receive(bytesOf(file, source), target.incoming, { maxBytes: Number.MAX_SAFE_INTEGER })
  if (received.sha256 !== sha256 || received.size !== file.size) {
    await rm(received.path, { force: true })
    throw faulty(file, 'are damaged')
  }
  // A table would keep damaged bytes of the same size.
  if (present === false) await target.remove(sha256)
  await target.keep(received)
  if ((await isWhole(target, sha256)) === true) return
  throw new AppError(
    'TASK_FAILED',
    `The copied bytes of ${placeOf(file)} differ from those that were read; no records were copied`,
  )
}

async function* bytesOf(file: StoredRecord, source: BlobStore): AsyncGenerator<Uint8Array> {
  try {
    const content = await source.open(String(file.sha256))
    if (content === undefined) throw faulty(file, 'are missing')
    yield* content
  } catch (error) {
    throw error instanceof AppError ? error : faulty(file, `cannot be read (${(error as Error).message})`, error)
  }
}

function faulty(file: StoredRecord, fault: string, cause?: unknown): AppError {
  const remedy = '`admin files check` on the source names all such files; restore their bytes from a backup, and copy again'
  return new AppError('DATA_CORRUPT', `The bytes of ${placeOf(file)} ${fault}; no records were copied. ${remedy}`, { cause })
}

const placeOf = ({ name, model, field, record_id: record }: StoredRecord): string =>
  describePlace({
    name: String(name),
    model: String(model),
    field: String(field),
    record: record == null ? null : Number(record),
  })
