import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { silentLog } from '../../src/log/log.ts'
import type { LeaseAnswer, LeaseRequest, ReceiverLeases } from '../../src/store/shared-process.ts'
import type { StoredRecord } from '../../src/store/store.ts'
import { SharedDispatch } from '../../src/webhooks/shared-dispatch.ts'
import type { Subscriptions } from '../../src/webhooks/subscriptions.ts'
import type { Worker } from '../../src/webhooks/worker.ts'
import { fakeTime } from '../helpers/time.ts'

const RECEIVER = 7

/** Runs the pending microtasks and immediates. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A dispatch with one receiver, whose leases and worker are recorded. */
async function open() {
  const { clock, timer, advance } = fakeTime(0)
  const calls: string[] = []
  const requests: LeaseRequest[] = []
  /** What the database answers. */
  const database = {
    holder: undefined as 'this' | 'other' | undefined,
    hasPending: true,
    isDown: false,
    failsReads: false,
    wakes: 0,
    events: [] as number[],
    version: '1',
    late: '0',
  }
  const subscription = { id: RECEIVER, active: true, url: 'http://receiver.example' }
  const leases: ReceiverLeases = {
    durationMs: 25_000,
    async exchange(request): Promise<LeaseAnswer> {
      requests.push(request)
      if (database.isDown) throw new Error('The database is down')
      const isHeld = request.held.length > 0 && database.holder === 'this'
      const isFree = request.others.length > 0 && database.holder === undefined
      const isTaken = isFree && database.hasPending
      if (isTaken) database.holder = 'this'
      const { wakes, events, version, late } = database
      return {
        held: new Map(isHeld ? [[RECEIVER, { wakes, events }]] : []),
        taken: new Map(isTaken ? [[RECEIVER, wakes]] : []),
        free: new Set(isFree && !isTaken ? [RECEIVER] : []),
        subscriptionsVersion: version,
        lateEvents: late,
      }
    },
    async release() {
      calls.push('release')
      database.holder = undefined
    },
    async wake() {
      calls.push('wake')
    },
  }
  let isIdle = false
  const worker: Partial<Worker> = {
    async resume() {
      calls.push('resume')
      if (database.failsReads) throw new Error('The events could not be read')
    },
    reload: async () => void calls.push('reload'),
    suspend: () => void calls.push('suspend'),
    during: (work) => work,
    flush: async () => void calls.push('flush'),
    add: (event) => void calls.push(`add ${event}`),
    knownUpTo: () => 40,
    isIdle: () => isIdle,
  }
  const subscriptions = {
    get all() {
      return [subscription as unknown as StoredRecord]
    },
    get: () => subscription as unknown as StoredRecord,
    refreshAll: async () => true,
  } as Partial<Subscriptions> as Subscriptions
  const dispatch = new SharedDispatch({ leases, subscriptions, timer, now: clock, log: silentLog })
  return {
    dispatch,
    database,
    requests,
    subscription,
    start: () => dispatch.start(worker as Worker),
    /** The calls since the last time. */
    take: () => calls.splice(0),
    rest: () => {
      isIdle = true
    },
    async pass(milliseconds: number) {
      for (let passed = 0; passed < milliseconds; passed += 500) {
        advance(500)
        await settle()
        await settle()
      }
    },
  }
}

describe('a process that shares its receivers', () => {
  test('delivers to a receiver that it has taken, and finds the events of others', async () => {
    const { dispatch, database, start, take, pass, requests } = await open()
    assert.equal(dispatch.maySend(RECEIVER), false)
    await start()
    assert.deepEqual(take(), ['resume'])
    assert.equal(dispatch.maySend(RECEIVER), true)
    database.events = [41, 42]
    await pass(1000)
    assert.deepEqual(take(), ['add 41', 'add 42'])
    assert.deepEqual(requests.at(-1), { held: [{ receiver: RECEIVER, after: 40 }], others: [] })
  })

  test('starts no attempt that could last longer than its lease while the database does not answer', async () => {
    const { dispatch, database, start, take, pass } = await open()
    await start()
    database.isDown = true
    await pass(8500)
    assert.equal(dispatch.maySend(RECEIVER), true)
    // 15 s for the attempt and 1 s to spare.
    await pass(500)
    assert.equal(dispatch.maySend(RECEIVER), false)
    take()
    database.isDown = false
    await pass(1000)
    assert.equal(dispatch.maySend(RECEIVER), true)
    assert.deepEqual(take(), ['resume'])
  })

  test('reads the pending events again after it could not', async () => {
    const { database, start, take, pass } = await open()
    database.failsReads = true
    await start()
    assert.deepEqual(take(), ['resume'])
    database.failsReads = false
    await pass(1000)
    assert.deepEqual(take(), ['resume'])
    database.failsReads = true
    database.wakes = 1
    await pass(1000)
    database.failsReads = false
    await pass(1000)
    assert.deepEqual(take(), ['resume', 'resume'])
    await pass(1000)
    assert.deepEqual(take(), [])
  })

  test('stops when another process has taken its lease', async () => {
    const { dispatch, database, start, take, pass } = await open()
    await start()
    take()
    database.holder = 'other'
    await pass(1000)
    assert.deepEqual(take(), ['suspend'])
    assert.equal(dispatch.maySend(RECEIVER), false)
    dispatch.add(43, [RECEIVER])
    await dispatch.redeliver(1, RECEIVER)
    assert.deepEqual(take(), ['wake'])
  })

  test('gives a lease back after five seconds without work, and takes it at once for its next event', async () => {
    const { dispatch, database, start, take, pass, rest } = await open()
    await start()
    take()
    rest()
    database.hasPending = false
    await pass(4500)
    assert.deepEqual(take(), [])
    await pass(1500)
    assert.deepEqual(take(), ['suspend', 'flush', 'release'])
    database.hasPending = true
    dispatch.add(44, [RECEIVER])
    await settle()
    assert.deepEqual(take(), ['resume'])
  })

  test('reads the pending events again when another process asks for it, or changes the address', async () => {
    const { database, subscription, start, take, pass } = await open()
    await start()
    take()
    database.wakes = 1
    await pass(1000)
    assert.deepEqual(take(), ['resume'])
    Object.assign(subscription, { url: 'http://another.example' })
    database.version = '2'
    await pass(1000)
    assert.deepEqual(take(), ['resume'])
    Object.assign(subscription, { active: false })
    database.version = '3'
    await pass(1000)
    assert.deepEqual(take(), ['suspend'])
  })

  test('reads the pending events again after a transaction with many events, but not all the time', async () => {
    const { database, start, take, pass, requests } = await open()
    await start()
    await pass(3000)
    take()
    database.late = '1'
    await pass(1000)
    assert.deepEqual(take(), ['reload'])
    database.late = '2'
    await pass(1000)
    assert.deepEqual(take(), [])
    await pass(1000)
    assert.deepEqual(take(), ['reload'])
    await pass(10_000)
    assert.deepEqual(take(), [])
    assert.ok(requests.length >= 15)
  })

  test('gives its leases back when it stops', async () => {
    const { dispatch, database, start, take } = await open()
    await start()
    take()
    await dispatch.stop(async () => assert.equal(database.holder, 'this', 'attempts end before'))
    assert.deepEqual(take(), ['release'])
    assert.equal(dispatch.maySend(RECEIVER), false)
  })
})
