import { Readable } from 'node:stream'
import { type Clock, systemClock } from '../../util/clock.ts'
import { CHUNK_BYTES, chunksOf, type Disk, nodeDisk } from '../embedded/files/disk.ts'
import type { Connection, Database } from '../postgres/connection/database.ts'
import type { Layout } from '../postgres/layout/layout.ts'
import { type Sql, sql } from '../postgres/sql.ts'
import type { BlobStore, ByteRange, KeptBlob, ReceivedFile } from './blob-store.ts'
import { DatabaseLocks } from './database-locks.ts'
import { freeBytes } from './folder-blobs.ts'
import { removeOldFiles } from './receive.ts'
import { explainedFull } from './storage-full.ts'

/** Hashes of one statement of `list`. */
const LISTED = 500

/** Bytes of a read, a divisor of those of a chunk. */
const PART_BYTES = 512 << 10

/** The last byte of the part that has a byte. */
const endOfPart = (at: number): number => at - (at % PART_BYTES) + PART_BYTES - 1

/** What the bytes of files need of a database. */
export type BlobDatabase = Pick<Database, 'query' | 'transaction' | 'maxConnections'>

/**
 * Keeps bytes in chunks of 1 MiB in the table `_admin_file_chunks`, so that all processes of the database have all files. Empty bytes are one
 * empty chunk. Bodies are received on the disk of this process.
 */
export class PostgresBlobs implements BlobStore {
  readonly incoming: string
  readonly #database: BlobDatabase
  readonly #table: Sql
  readonly #locks: DatabaseLocks
  readonly #disk: Disk
  readonly #clock: Clock

  /** @param incoming absolute path of a folder, which is created when it is needed */
  constructor(
    database: BlobDatabase,
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
      throw explainedFull(error)
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
        const { count } = await connection.query(
          sql`insert into ${this.#table} ("sha256", "n", "bytes") values (${sha256}, ${number}, ${chunk}) on conflict do nothing`,
        )
        return count === 1
      }
      if (file.size === 0) await store(Buffer.alloc(0), 0)
      for await (const chunk of chunksOf(file)) {
        // Another transaction has kept these bytes: the statement has waited for its end.
        if (!(await stored)) return
        // The next but one is read into the same memory.
        stored = store(Buffer.from(chunk), n++)
        // The rejection is handled where the promise is awaited.
        stored.catch(() => {})
      }
      await stored
    } finally {
      await file.close()
    }
  }

  async open(sha256: string, range?: ByteRange): Promise<Readable | undefined> {
    const { start, end } = range ?? { start: 0, end: Number.POSITIVE_INFINITY }
    const found = await this.#part(sha256, start, Math.min(end, endOfPart(start)), true)
    if (found === undefined) return undefined
    // No connection is held while the reader is slow.
    const parts = this.#parts(sha256, { start, end: Math.min(end, found.size - 1) }, found.bytes)
    return Readable.from(parts, { objectMode: false, highWaterMark: 1 })
  }

  /** One part is read ahead. */
  async *#parts(sha256: string, { start, end }: ByteRange, first: Buffer): AsyncGenerator<Buffer> {
    let bytes = first
    for (let from = start; from <= end; ) {
      from = endOfPart(from) + 1
      const next = from <= end ? this.#part(sha256, from, Math.min(end, endOfPart(from)), false) : undefined
      // The rejection is handled where the promise is awaited.
      next?.catch(() => {})
      yield bytes
      if (next === undefined) return
      const found = await next
      if (found === undefined) throw new Error(`The bytes of the file ${sha256} are not there any more`)
      bytes = found.bytes
    }
  }

  /**
   * Some bytes of one chunk, from `start` to `end`, as far as it has them; undefined if there is no such chunk. As Base64, which Node.js decodes
   * much faster than hexadecimal digits.
   *
   * @param isFirst true to read the size of all bytes, which is 0 otherwise
   */
  async #part(
    sha256: string,
    start: number,
    end: number,
    isFirst: boolean,
  ): Promise<{ readonly bytes: Buffer; readonly size: number } | undefined> {
    const n = Math.floor(start / CHUNK_BYTES)
    const size = isFirst ? sql`(select sum(length("bytes")) from ${this.#table} where "sha256" = ${sha256})` : sql`0`
    const { rows } = await this.#database.query(
      sql`select encode(substring("bytes" from ${start - n * CHUNK_BYTES + 1}::integer for ${end - start + 1}::integer), 'base64'), ${size}
        from ${this.#table} where "sha256" = ${sha256} and "n" = ${n}`,
    )
    const [text, found] = rows[0] ?? []
    return typeof text === 'string' ? { bytes: Buffer.from(text, 'base64'), size: Number(found) } : undefined
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
