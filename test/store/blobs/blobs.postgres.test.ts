import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { PostgresBlobs } from '../../../src/store/blobs/postgres-blobs.ts'
import { type Database, StatementError } from '../../../src/store/postgres/connection/database.ts'
import { PgDatabase } from '../../../src/store/postgres/connection/pg-database.ts'
import { sql } from '../../../src/store/postgres/sql.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../../helpers/postgres/server.ts'
import { blobContract, bytesOf, received, sha256Of } from '../../helpers/store/blob-contract.ts'
import { libraryRegistry } from '../../helpers/store/library.ts'
import { type ProcessStore, withTwoProcesses } from '../postgres/transactions/two-processes.ts'
import { inDatabase, inSharedFolder } from './database-places.ts'

let another: Promise<PgDatabase> | undefined

/** The databases of two processes, with pools of their own. */
const two = async (): Promise<readonly [Database, Database]> => {
  another ??= serverAddress().then((url) => new PgDatabase(url, { allowExit: true, pool: 3 }))
  return [await sharedDatabase(), await another]
}

blobContract('in PostgreSQL', inDatabase(two), { skip: NO_POSTGRES, fullAt: [] })
blobContract('in a folder that processes share, with PostgreSQL', inSharedFolder(two), {
  skip: NO_POSTGRES,
  fullAt: ['rename', 'syncFolder'],
})

describe('bytes of files in PostgreSQL', { ...(NO_POSTGRES !== undefined && { skip: NO_POSTGRES }) }, () => {
  const BYTES = bytesOf(2_500_000)
  const HASH = sha256Of(BYTES)

  /** Ends the session that holds the lock of the hash. */
  const killHolder = async ({ database, layout }: ProcessStore) => {
    const { rows } = await database.query(
      sql`select pg_terminate_backend("pid") from pg_locks where "locktype" = 'advisory' and "granted"
        and ("classid"::bigint << 32) | "objid"::bigint = hashtextextended(${`admin-folder file ${layout.schema} ${HASH}`}, 0)`,
    )
    assert.deepEqual(rows, [['t']])
  }

  const onServer = (
    name: string,
    body: (blobs: {
      readonly one: PostgresBlobs
      readonly other: PostgresBlobs
      readonly process: ProcessStore
    }) => Promise<void>,
  ) =>
    test(name, () =>
      withTwoProcesses(libraryRegistry(), async (process, second) => {
        await using folder = await temporaryFolder()
        const blobsOf = ({ database, layout }: ProcessStore, incoming: string) =>
          new PostgresBlobs(database, layout, join(folder.path, incoming))
        await body({ one: blobsOf(process, 'one'), other: blobsOf(second, 'other'), process })
      }),
    )

  onServer('are chunks of 1 MiB, which are not compressed', async ({ one, process: { database, layout } }) => {
    const zeros = Buffer.alloc(2_500_000)
    const file = await received(one, zeros)
    await one.keep(file)
    const { rows } = await database.query(
      sql`select "sha256", "n", length("bytes"), pg_column_size("bytes") from ${layout.system('file_chunks')} order by 1, 2`,
    )
    assert.deepEqual(
      rows.map((row) => row.map(String)),
      [1_048_576, 1_048_576, 402_848].map((size, n) => [file.sha256, String(n), String(size), String(size)]),
    )
  })

  onServer('are read without holding a connection', async ({ one, process: { database } }) => {
    await one.keep(await received(one, BYTES))
    const streams = await Promise.all(Array.from({ length: 30 }, () => one.open(HASH)))
    for (const stream of streams)
      assert.ok(stream !== undefined && (await stream[Symbol.asyncIterator]().next()).value.length > 0)
    // All are in their middle, and there are 10 connections.
    assert.equal((await database.query(sql`select 1`)).count, 1)
    for (const stream of streams) stream?.destroy()
  })

  onServer('that are removed while they are read end their stream with an error', async ({ one, other }) => {
    const bytes = bytesOf(10 * 1_048_576)
    const file = await received(one, bytes)
    await one.keep(file)
    const stream = (await one.open(file.sha256)) ?? assert.fail('There are no bytes')
    const iterator = stream[Symbol.asyncIterator]()
    await iterator.next()
    await other.remove(file.sha256)
    await assert.rejects(async () => {
      while ((await iterator.next()).done !== true);
    }, /not there any more/)
  })

  onServer('are not removed if the lock is lost: the removal is a part of its transaction', async ({ one, other, process }) => {
    await one.keep(await received(one, BYTES))
    const removal = one.exclusively(HASH, async () => {
      await one.remove(HASH)
      await killHolder(process)
    })
    await assert.rejects(removal, (error) => error instanceof AppError && /STORE_UNAVAILABLE|OUTCOME_UNKNOWN/.test(error.code))
    assert.equal(await other.size(HASH), BYTES.length)
    // The next one gets the lock.
    await other.exclusively(HASH, () => other.remove(HASH))
    assert.equal(await one.size(HASH), undefined)
  })

  onServer('work whose lock was lost is not done twice, and is an error', async ({ one, process }) => {
    let times = 0
    const work = one.exclusively(HASH, async () => {
      times++
      await killHolder(process)
      await one.remove(HASH)
    })
    await assert.rejects(work, (error) => error instanceof AppError && /STORE_UNAVAILABLE|OUTCOME_UNKNOWN/.test(error.code))
    assert.equal(times, 1)
  })

  onServer('a full database is STORAGE_FULL, and leaves nothing behind', async ({ one, process: { database, layout } }) => {
    let inserted = 0
    const full: Database = {
      query: (statement, options) => database.query(statement, options),
      stream: (statement, batch, options) => database.stream(statement, batch, options),
      maxConnections: database.maxConnections,
      usage: () => database.usage(),
      close: () => database.close(),
      transaction: (work, options) =>
        database.transaction(
          (connection) =>
            work({
              query: (statement, given) => {
                if (/^insert/.test(statement.compile().text) && ++inserted === 2) {
                  const cause = new StatementError('could not extend file: No space left on device', '53100')
                  return Promise.reject(
                    new AppError('STORE_UNAVAILABLE', 'The database cannot execute the request now', { cause }),
                  )
                }
                return connection.query(statement, given)
              },
            }),
          options,
        ),
    }
    const blobs = new PostgresBlobs(full, layout, one.incoming)
    await assert.rejects(blobs.keep(await received(one, BYTES)), { name: 'AppError', code: 'STORAGE_FULL' })
    assert.equal(inserted, 2)
    assert.equal(await one.size(HASH), undefined)
    assert.deepEqual(readdirSync(one.incoming), [])
  })
})
