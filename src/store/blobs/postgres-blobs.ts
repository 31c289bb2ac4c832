import { Readable } from 'node:stream'
import { AppError } from '../../errors.ts'
import { type Clock, systemClock } from '../../util/clock.ts'
import { CHUNK_BYTES, chunksOf, type Disk, nodeDisk } from '../embedded/files/disk.ts'
import { type Connection, type Database, StatementError } from '../postgres/connection/database.ts'
import type { Layout } from '../postgres/layout/layout.ts'
import { type Sql, sql } from '../postgres/sql.ts'
import type { BlobStore, ByteRange, KeptBlob, ReceivedFile } from './blob-store.ts'
import { DatabaseLocks } from './database-locks.ts'
import { freeBytes } from './folder-blobs.ts'
import { removeOldFiles } from './receive.ts'
import { explainedFull, storageFull } from './storage-full.ts'

/** Hashes of one statement of `list`. */
const LISTED = 500

/** SQLSTATE disk_full. */
const DISK_FULL = '53100'

/**
 * Keeps bytes in chunks of 1 MiB in the table `_admin_file_chunks`, so that all processes of the database have all files. Empty bytes are one
 * empty chunk. Bodies are received on the disk of this process.
 */
export class PostgresBlobs implements BlobStore {
  readonly incoming: string
  readonly #database: Database
  readonly #table: Sql
  readonly #locks: DatabaseLocks
  readonly #disk: Disk
  readonly #clock: Clock

  /** @param incoming absolute path of a folder, which is created when it is needed */
  constructor(
    database: Database,
    layout: Layout,
    incoming: string,
    { disk = nodeDisk, clock = systemClock }: { readonly disk?: Disk; readonly clock?: Clock } = {},
  ) {
    this.incoming = incoming
    this.#database = database
    this.#table = layout.system('file_chunks')
    this.#locks = new DatabaseLocks(database, layout.schema)
    this.#disk = disk
    this.#clock = clock
  }

  async keep({ path, sha256 }: ReceivedFile): Promise<void> {
    try {
      await this.#database.transaction((connection) => this.#insert(connection, path, sha256))
    } catch (error) {
      throw isFullDatabase(error) ? storageFull(error) : explainedFull(error)
    } finally {
      await this.#disk.remove(path).catch(() => {})
    }
  }

  /** One chunk is stored while the next is read. */
  async #insert(connection: Connection, path: string, sha256: string): Promise<void> {
    const file = await this.#disk.openRead(path)
    if (file === undefined) throw new Error(`The received file ${path} is not there`)
    try {
      let stored: Promise<boolean> = Promise.resolve(true)
      let n = 0
      const store = async (chunk: Uint8Array, number: number) => {
        const bytes = `\\x${Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('hex')}`
        const { count } = await connection.query(
          sql`insert into ${this.#table} ("sha256", "n", "bytes") values (${sha256}, ${number}, ${bytes}) on conflict do nothing`,
        )
        return count === 1
      }
      if (file.size === 0) await store(Buffer.alloc(0), 0)
      for await (const chunk of chunksOf(file)) {
        // Another transaction has kept these bytes: the statement has waited for its end.
        if (!(await stored)) return
        stored = store(chunk, n++)
        // The rejection is handled where the promise is awaited.
        stored.catch(() => {})
      }
      await stored
    } finally {
      await file.close()
    }
  }

  async open(sha256: string, range?: ByteRange): Promise<Readable | undefined> {
    const first = Math.floor((range?.start ?? 0) / CHUNK_BYTES)
    const found = await this.#chunk(sha256, first, range)
    if (found === undefined) return undefined
    const last = range === undefined ? found.last : Math.min(Math.floor(range.end / CHUNK_BYTES), found.last)
    // A chunk is read when the one before it is needed, so that two are in memory. No connection is held while the reader is slow.
    return Readable.from(this.#chunks(sha256, { first, last, range }, found.bytes), { objectMode: false, highWaterMark: 1 })
  }

  async *#chunks(
    sha256: string,
    { first, last, range }: { readonly first: number; readonly last: number; readonly range: ByteRange | undefined },
    firstBytes: Buffer,
  ): AsyncGenerator<Buffer> {
    let bytes = firstBytes
    for (let n = first; n <= last; n++) {
      const next = n < last ? this.#chunk(sha256, n + 1, range) : undefined
      // The rejection is handled where the promise is awaited.
      next?.catch(() => {})
      yield bytes
      if (next === undefined) return
      const found = await next
      if (found === undefined) throw new Error(`The file ${sha256} has no chunk ${n + 1} any more`)
      bytes = found.bytes
    }
  }

  /** The part of a chunk that is in a range, and the number of the last chunk; undefined if there is no such chunk. */
  async #chunk(
    sha256: string,
    n: number,
    range: ByteRange | undefined,
  ): Promise<{ readonly bytes: Buffer; readonly last: number } | undefined> {
    const from = Math.max(0, (range?.start ?? 0) - n * CHUNK_BYTES)
    const end = Math.min(CHUNK_BYTES, (range?.end ?? Number.POSITIVE_INFINITY) + 1 - n * CHUNK_BYTES)
    const isWhole = from === 0 && end === CHUNK_BYTES
    const part = isWhole ? sql`"bytes"` : sql`substring("bytes" from ${from + 1}::integer for ${end - from}::integer)`
    const { rows } = await this.#database.query(
      sql`select ${part}, (select max("n") from ${this.#table} where "sha256" = ${sha256})
        from ${this.#table} where "sha256" = ${sha256} and "n" = ${n}`,
    )
    const [text, last] = rows[0] ?? []
    // PostgreSQL writes bytes as `\x` and hexadecimal digits.
    return typeof text === 'string' ? { bytes: Buffer.from(text.slice(2), 'hex'), last: Number(last) } : undefined
  }

  async size(sha256: string): Promise<number | undefined> {
    const { rows } = await this.#database.query(sql`select sum(length("bytes")) from ${this.#table} where "sha256" = ${sha256}`)
    const size = rows[0]?.[0]
    return typeof size === 'string' ? Number(size) : undefined
  }

  /** In several statements, so that no connection is held while the caller works. The lengths of chunks are read without the chunks. */
  async *list(): AsyncGenerator<KeptBlob> {
    for (let after = ''; ; ) {
      const { rows } = await this.#database.query(
        sql`select "sha256", sum(length("bytes")), floor(extract(epoch from min("kept_at")) * 1000) from ${this.#table}
          where "sha256" > ${after} group by "sha256" order by "sha256" limit ${LISTED}`,
      )
      for (const [sha256, size, keptAt] of rows) {
        after = sha256 ?? ''
        yield { sha256: after, size: Number(size), keptAt: Number(keptAt) }
      }
      if (rows.length < LISTED) return
    }
  }

  /** Within `exclusively`, in the transaction of the lock: if the lock is lost, so is the removal. */
  async remove(sha256: string): Promise<void> {
    const connection = this.#locks.holderOf(sha256) ?? this.#database
    await connection.query(sql`delete from ${this.#table} where "sha256" = ${sha256}`)
  }

  free(): Promise<number> {
    return freeBytes(this.incoming)
  }

  exclusively<T>(hashes: string | readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#locks.exclusively(hashes, work)
  }

  clean(olderThanMs: number): Promise<void> {
    return removeOldFiles(this.incoming, olderThanMs, this.#disk, this.#clock)
  }
}

const isFullDatabase = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof StatementError && error.cause.code === DISK_FULL
