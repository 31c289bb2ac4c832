import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PgDatabase } from '../../../../src/store/postgres/connection/pg-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { NO_POSTGRES, serverAddress } from '../../../helpers/postgres/server.ts'
import { insert, libraryRegistry } from '../../../helpers/store/library.ts'
import { withTwoProcesses } from '../transactions/two-processes.ts'

test('records are read by their ids while exports use half of the connections', { skip: NO_POSTGRES }, () =>
  withTwoProcesses(libraryRegistry(), async ({ store, layout }) => {
    await store.transact(Array.from({ length: 300 }, (_, number) => insert('genre', { name: `genre ${number}` })))
    const database = new PgDatabase(await serverAddress(), { pool: 2, acquireTimeoutMs: 200 })
    try {
      const own = new PostgresStore(database, layout)
      const exported = own.stream('genre', { filters: [], sort: [] })[Symbol.asyncIterator]()
      await exported.next()
      for (const filter of [
        { field: 'id', operator: 'in', values: [2, 1, 900] },
        { field: 'name', operator: 'in', values: ['genre 1', 'genre 0'] },
      ] as const) {
        const ids: number[] = []
        for await (const batch of own.stream('genre', { filters: [filter], sort: [] })) ids.push(...batch.map(({ id }) => id))
        assert.deepEqual(ids, [1, 2])
      }
      await exported.return?.()
    } finally {
      await database.close()
    }
  }),
)
