import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { silentLog } from '../../src/log/log.ts'
import type { DueRow } from '../../src/queue/lane.ts'
import type { QueueTable, QueueWork } from '../../src/queue/queue-work.ts'
import { QueueWorker } from '../../src/queue/queue-worker.ts'
import type { ReceiverLeases } from '../../src/store/changes.ts'
import { fakeTime } from '../helpers/time.ts'

/** Runs the pending microtasks and immediates. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

const LANE = 7

/** A worker of a process that shares its lanes. Its leases, rows and attempts are recorded. */
function openShared() {
  const { clock, timer, advance } = fakeTime(0)
  const lane = { isOpen: true }
  const database = { holder: undefined as 'this' | 'other' | undefined, isDown: false, claims: 0, released: 0, follows: 0 }
  const due: DueRow[] = []
  const done: number[] = []
  let reading = () => {}
  const leases: ReceiverLeases = {
    durationMs: 25_000,
    async claim(lanes) {
      database.claims++
      if (database.isDown) throw new Error('The database is down')
      database.holder ??= 'this'
      return new Set(database.holder === 'this' ? lanes : [])
    },
    async release() {
      database.released++
      database.holder = undefined
    },
  }
  const table: QueueTable<DueRow, number> = {
    hasDue: async () => due.length > 0,
    async take(_, limit, taken) {
      const rows = due.filter(({ id }) => !taken.has(id)).slice(0, limit)
      reading()
      return { rows, hasMore: false }
    },
    async store(id) {
      due.splice(
        due.findIndex((row) => row.id === id),
        1,
      )
    },
  }
  const work: QueueWork<DueRow, number> = {
    name: 'rows',
    concurrency: 8,
    attemptMs: 15_000,
    lanes: () => (lane.isOpen ? [{ id: LANE, target: 'http://receiver.example' }] : []),
    async follow() {
      database.follows++
    },
    async attempt(_, { id }) {
      await settle()
      done.push(id)
      return id
    },
    async stored() {},
    failed: (_, error) => assert.fail(String(error)),
    abort() {},
  }
  const worker = new QueueWorker({ table, work, clock, timer, now: clock, log: silentLog, leases })
  let id = 0
  return {
    worker,
    database,
    lane,
    done,
    add() {
      id++
      due.push({ id, key: `tag ${id}` })
    },
    /** Calls a function while the queue is read, after its rows were selected. */
    onRead(callback: () => void) {
      reading = callback
    },
    async pass(milliseconds: number) {
      for (let passed = 0; passed < milliseconds; passed += 250) {
        advance(250)
        for (let turn = 0; turn < 8; turn++) await settle()
      }
    },
  }
}

describe('a process that shares its lanes', () => {
  test('claims a lane when something is due, and not otherwise', async () => {
    const { worker, database, add, pass, done } = openShared()
    await worker.start()
    await pass(60_000)
    assert.equal(database.claims, 0)
    add()
    await pass(250)
    assert.deepEqual([database.claims, done], [1, [1]])
    add()
    worker.hint([LANE])
    await worker.idle()
    assert.deepEqual([database.claims, done], [1, [1, 2]], 'the lease is new enough')
  })

  test('does nothing while another process has the lease, and takes it over when that has ended', async () => {
    const { worker, database, add, pass, done } = openShared()
    database.holder = 'other'
    await worker.start()
    add()
    await pass(5000)
    assert.deepEqual(done, [])
    assert.ok(database.claims <= 6, `the lease was asked for ${database.claims} times in 5 s`)
    database.holder = undefined
    await pass(1000)
    assert.deepEqual(done, [1])
  })

  test('starts no attempt that could last longer than its lease while the database does not answer', async () => {
    const { worker, database, add, pass, done } = openShared()
    await worker.start()
    add()
    await pass(250)
    database.isDown = true
    await pass(10_000)
    add()
    worker.hint([LANE])
    await pass(1000)
    assert.deepEqual(done, [1])
    database.isDown = false
    await pass(250)
    assert.deepEqual(done, [1, 2])
  })

  test('follows the lanes of other processes each second', async () => {
    const { worker, database, lane, add, pass, done } = openShared()
    await worker.start()
    await pass(10_000)
    assert.ok(database.follows >= 9 && database.follows <= 11, `${database.follows} times`)
    lane.isOpen = false
    add()
    await pass(1000)
    assert.deepEqual(done, [])
  })

  test('gives its leases back when it stops', async () => {
    const { worker, database, add, pass } = openShared()
    await worker.start()
    add()
    await pass(250)
    await worker.stop()
    assert.equal(database.released, 1)
  })
})

test('a worker is not idle before a row is done that was added while the queue was read', async () => {
  const { worker, add, done, onRead } = openShared()
  add()
  await worker.start()
  let reads = 0
  onRead(() => {
    if (++reads > 1) return
    add()
    worker.hint([LANE])
  })
  await worker.idle()
  assert.deepEqual(done, [1, 2])
})

test('a worker that was stopped before its start reads nothing', async () => {
  const { worker, add, done, pass } = openShared()
  add()
  worker.hint([LANE])
  await worker.stop()
  await worker.start()
  await pass(1000)
  assert.deepEqual(done, [])
})
