import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresLeases } from '../../../../src/store/postgres/shared/leases.ts'
import { sql } from '../../../../src/store/postgres/sql.ts'
import type { Operation } from '../../../../src/store/store.ts'
import { NO_POSTGRES } from '../../../helpers/postgres/server.ts'
import { insert, libraryRegistry, remove, update } from '../../../helpers/store/library.ts'
import { type ProcessStore, withTwoProcesses } from '../transactions/two-processes.ts'

const TABLES = { events: 'event', subscriptions: 'listener' }

/** Two processes, a receiver and the id of an event that is pending for it. */
const leased = (
  name: string,
  body: (parts: {
    readonly one: PostgresLeases
    readonly other: PostgresLeases
    readonly receiver: number
    readonly event: number
    readonly process: ProcessStore
    addEvent(): Promise<number>
  }) => Promise<void>,
) =>
  test(name, NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }, () =>
    withTwoProcesses(libraryRegistry(), async (process, another) => {
      const made = async (...[table, values]: Parameters<typeof insert>) => {
        const outcome = await process.store.transact([insert(table, values)])
        return outcome.ok ? (outcome.records[0]?.id ?? 0) : assert.fail(JSON.stringify(outcome.violations))
      }
      const receiver = await made('listener', { name: 'A' })
      const addEvent = () =>
        made('event', {
          message_id: 'm',
          event: 'create',
          model: 'genre',
          record_id: 1,
          data: '{}',
          timestamp: '2026-01-15T12:00:00.000Z',
          pending: [receiver],
        })
      const event = await addEvent()
      await body({
        one: new PostgresLeases(process.database, process.layout, TABLES, 'one'),
        other: new PostgresLeases(another.database, another.layout, TABLES, 'other'),
        receiver,
        event,
        process,
        addEvent,
      })
    }),
  )

leased('of many processes that ask at once, one gets a receiver', async ({ one, other, receiver }) => {
  const asked = Array.from({ length: 20 }, (_, index) =>
    (index % 2 === 0 ? one : other).exchange({ held: [], others: [receiver] }),
  )
  const taken = (await Promise.all(asked)).filter((answer) => answer.taken.has(receiver))
  assert.equal(taken.length, 1)
})

leased('a receiver without events is free, and not taken', async ({ one, process, receiver, event }) => {
  await process.store.transact([remove('event', event)])
  const answer = await one.exchange({ held: [], others: [receiver] })
  assert.deepEqual([answer.taken.size, [...answer.free]], [0, [receiver]])
})

leased(
  'the holder finds events of other processes, in order, and only those after the named one',
  async ({ one, receiver, event, addEvent }) => {
    await one.exchange({ held: [], others: [receiver] })
    const [second, third] = [await addEvent(), await addEvent()]
    const answer = await one.exchange({ held: [{ receiver, after: event }], others: [] })
    assert.deepEqual(answer.held.get(receiver)?.events, [second, third])
  },
)

leased('the holder learns of a transaction with many events when it is committed', async ({ one, process, receiver }) => {
  await one.exchange({ held: [], others: [receiver] })
  const lateEvents = async () => (await one.exchange({ held: [{ receiver, after: 0 }], others: [] })).lateEvents
  const create = async (count: number, more: readonly Operation[] = []) => {
    const genres = Array.from({ length: count }, (_, index) => insert('genre', { name: `${count} ${index}` }))
    const events = {
      table: 'event',
      audience: new Map([['genre', { create: [receiver] }]]),
      key: `${count}`,
      at: '2026-01-15T12:00:00.000Z',
    }
    const outcome = await process.store.transact([...genres, ...more], 'commit', { events })
    assert.ok(outcome.ok)
  }
  const first = await lateEvents()
  await create(100)
  assert.equal(await lateEvents(), first)
  await create(101)
  const second = await lateEvents()
  assert.notEqual(second, first)
  // Several tables: the general transaction.
  await create(102, [insert('author', { name: 'A' })])
  assert.notEqual(await lateEvents(), second)
})

leased(
  'a lease that has ended is taken by another process, and its holder learns of it',
  async ({ one, other, process, receiver }) => {
    await one.exchange({ held: [], others: [receiver] })
    const before = await other.exchange({ held: [], others: [receiver] })
    assert.deepEqual([before.taken.size, [...before.free]], [0, []])
    const { rows } = await process.database.query(
      sql`select extract(epoch from "until" - clock_timestamp()) from ${process.layout.system('leases')}`,
    )
    const left = Number(rows[0]?.[0]) * 1000
    assert.ok(left > 0 && left <= one.durationMs && one.durationMs + 2000 < 30_000, `${left} ms`)
    await process.database.query(sql`update ${process.layout.system('leases')} set "until" = clock_timestamp()`)
    assert.deepEqual([...(await other.exchange({ held: [], others: [receiver] })).taken.keys()], [receiver])
    const after = await one.exchange({ held: [{ receiver, after: 0 }], others: [] })
    assert.equal(after.held.has(receiver), false)
  },
)

leased('a lease that is given back is free at once', async ({ one, other, receiver }) => {
  await one.exchange({ held: [], others: [receiver] })
  await other.release([receiver])
  assert.equal((await other.exchange({ held: [], others: [receiver] })).taken.size, 0, 'only the holder gives it back')
  await one.release([receiver])
  assert.equal((await other.exchange({ held: [], others: [receiver] })).taken.size, 1)
})

leased(
  'the holder learns that another process asks it to read again, and that a subscription has changed',
  async ({ one, other, process, receiver }) => {
    await one.exchange({ held: [], others: [receiver] })
    const held = { held: [{ receiver, after: 0 }], others: [] }
    const first = await one.exchange(held)
    assert.deepEqual(await one.exchange(held), first)
    await other.wake(receiver)
    const woken = await one.exchange(held)
    assert.notEqual(woken.held.get(receiver)?.wakes, first.held.get(receiver)?.wakes)
    assert.equal(woken.subscriptionsVersion, first.subscriptionsVersion)
    await process.store.transact([update('listener', receiver, { name: 'B' })])
    assert.notEqual((await one.exchange(held)).subscriptionsVersion, first.subscriptionsVersion)
  },
)
