import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresLeases } from '../../../../src/store/postgres/shared/leases.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import { NO_POSTGRES } from '../../../helpers/postgres/server.ts'
import { libraryRegistry } from '../../../helpers/store/library.ts'
import { type ProcessStore, withTwoProcesses } from '../transactions/two-processes.ts'

const RECEIVER = 7

/** The leases of two processes. */
const leased = (
  name: string,
  body: (parts: {
    readonly one: PostgresLeases
    readonly other: PostgresLeases
    readonly process: ProcessStore
  }) => Promise<void>,
) =>
  test(name, NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }, () =>
    withTwoProcesses(libraryRegistry(), (process, another) =>
      body({
        one: new PostgresLeases(process.database, process.layout, 'one'),
        other: new PostgresLeases(another.database, another.layout, 'other'),
        process,
      }),
    ),
  )

leased('of processes that claim at once, one gets each receiver', async ({ one, other }) => {
  const receivers = Array.from({ length: 20 }, (_, index) => index + 1)
  const claims = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const process = index % 2 === 0 ? one : other
      const claimed = await process.claim(index % 3 === 0 ? receivers.toReversed() : receivers)
      return [...claimed].map((receiver) => ({ process, receiver }))
    }),
  )
  for (const receiver of receivers) {
    const holders = new Set(claims.flat().flatMap((claim) => (claim.receiver === receiver ? [claim.process] : [])))
    assert.equal(holders.size, 1, `receiver ${receiver}`)
  }
})

leased('a claim extends the lease of its holder, by the clock of the database', async ({ one, process }) => {
  const end = async () => {
    const { rows } = await process.database.query(
      sql`select extract(epoch from "until"), extract(epoch from "until" - clock_timestamp()) from ${process.layout.system('leases')}`,
    )
    return rows[0]?.map(Number) ?? assert.fail('There is no lease')
  }
  await one.claim([RECEIVER])
  const [first = 0, left = 0] = await end()
  assert.ok(left > 0 && left * 1000 <= one.durationMs && one.durationMs + 2000 < 30_000, `${left} s`)
  assert.deepEqual([...(await one.claim([RECEIVER]))], [RECEIVER])
  const [second = 0] = await end()
  assert.ok(second > first)
})

leased('a lease that has ended is taken by another process, and its holder learns of it', async ({ one, other, process }) => {
  await one.claim([RECEIVER])
  assert.deepEqual([...(await other.claim([RECEIVER]))], [])
  await process.database.query(sql`update ${process.layout.system('leases')} set "until" = clock_timestamp()`)
  assert.deepEqual([...(await other.claim([RECEIVER]))], [RECEIVER])
  assert.deepEqual([...(await one.claim([RECEIVER]))], [])
})

leased('a lease that is given back is free at once', async ({ one, other }) => {
  await one.claim([RECEIVER])
  await other.release([RECEIVER])
  assert.equal((await other.claim([RECEIVER])).size, 0, 'only the holder gives it back')
  await one.release([RECEIVER])
  assert.equal((await other.claim([RECEIVER])).size, 1)
})
