import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { silentLog } from '../../src/log/log.ts'
import { Traffic } from '../../src/util/traffic.ts'
import { HEALTHY } from '../../src/webhooks/health.ts'
import type { Outbox } from '../../src/webhooks/outbox.ts'
import { RetrySchedule } from '../../src/webhooks/retry-schedule.ts'
import type { Sender, SendResult } from '../../src/webhooks/sender.ts'
import { Throttle } from '../../src/webhooks/throttle.ts'
import { Worker } from '../../src/webhooks/worker.ts'
import { fakeTime } from '../helpers/time.ts'

const TIMEOUT_MS = 15_000

/** Lets everything happen that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A worker whose receivers answer at once, or, when they are dead, not at all; and requests that come without a pause. */
function open({ dead = 0, keep = async () => {} }: { dead?: number; keep?: () => Promise<void> } = {}) {
  const { clock, timer, advance } = fakeTime(0)
  const traffic = new Traffic(clock)
  /** How many attempts each receiver has had. */
  const told = new Map<number, number>()
  const waiting = new Map<number, number>()
  const send = (url: string): Promise<SendResult> => {
    const id = Number(new URL(url).port)
    told.set(id, (told.get(id) ?? 0) + 1)
    const answer = { took: 0, reason: undefined, text: '', retryAfter: undefined }
    if (id > dead) return Promise.resolve({ ...answer, status: 200 })
    return new Promise((resolve) => timer(TIMEOUT_MS, () => resolve({ ...answer, status: undefined })))
  }
  const outbox: Outbox = {
    message: async (event) => ({ id: `msg_${event}`, event: 'create', model: 'tag', data: '{}', timestamp: '' }),
    receiver: (id) => ({ id, url: `http://receiver.example:${id}`, secrets: ['secret'], health: HEALTHY }),
    pendingJobs: async (id) =>
      Array.from({ length: waiting.get(id) ?? 0 }, (_, index) => ({ event: index + 1, tries: 0, due: 0 })),
    storeResults: keep,
    disable: async () => {},
  }
  const worker = new Worker({
    outbox,
    sender: { send, close() {} } as Partial<Sender> as Sender,
    schedule: new RetrySchedule([5, 300], (bytes) => Buffer.alloc(bytes)),
    throttle: new Throttle({ clock, traffic }),
    clock,
    timer,
    log: silentLog,
  })
  return {
    worker,
    toldOf: (id: number) => told.get(id) ?? 0,
    /** Begins to deliver to a receiver for which so many events wait already. */
    async begin(id: number, backlog = 0) {
      waiting.set(id, backlog)
      await worker.resume(id)
    },
    /** Lets so many milliseconds pass in which nobody asks for anything. */
    async rest(milliseconds: number) {
      advance(milliseconds)
      await worker.idle()
    },
    /** Lets so many milliseconds pass, with a request in each. */
    async pass(milliseconds: number, eachMs: () => void = () => {}) {
      for (let passed = 0; passed < milliseconds; passed++) {
        traffic.note()
        eachMs()
        await settle()
        advance(1)
        await settle()
      }
    },
  }
}

describe('while requests come, receivers take turns', () => {
  test('one that is told of something all the time keeps no other waiting', async () => {
    const { worker, begin, pass, toldOf } = open()
    // There is traffic before anything is begun.
    await pass(10)
    await begin(1)
    await begin(2, 50)
    let event = 1000
    await pass(1100, () => worker.add(event++, [1]))
    assert.equal(toldOf(2), 50)
    assert.ok(toldOf(1) >= 50, `the other was told ${toldOf(1)} times`)
  })

  test('of two that are told of the same, neither falls behind', async () => {
    const { worker, begin, pass, toldOf } = open()
    await begin(1)
    await begin(2)
    let event = 1
    await pass(1000, () => worker.add(event++, [1, 2]))
    assert.ok(Math.abs(toldOf(1) - toldOf(2)) <= 2, `one was told ${toldOf(1)} times, the other ${toldOf(2)}`)
  })

  test('one for which very much waits keeps none waiting that came later', async () => {
    const { worker, begin, pass, toldOf } = open()
    await pass(10)
    await begin(1, 5000)
    await begin(2)
    await pass(100)
    for (let event = 6000; event < 6010; event++) worker.add(event, [2])
    await pass(210)
    assert.equal(toldOf(2), 10)
  })

  test('sixteen that never answer keep one that does waiting for no longer than their first attempts take to begin', async () => {
    const [DEAD, LIVE] = [16, 17]
    const { worker, begin, pass, toldOf } = open({ dead: DEAD })
    const all = Array.from({ length: LIVE }, (_, index) => index + 1)
    for (const id of all) await begin(id)
    let event = 1
    let passed = 0
    // Fifty events a second, of which all want to hear.
    const told = () => {
      if (passed++ % 20 === 0) worker.add(event++, all)
    }
    await pass(2 * TIMEOUT_MS, told)
    const before = toldOf(LIVE)
    assert.ok(before >= event - 10, `${before} of ${event - 1}`)
    await pass(1000, told)
    assert.ok(toldOf(LIVE) - before >= 49, `${toldOf(LIVE) - before} in a second`)
  })
})

test('while the disk is full, what comes of attempts does not pile up; then everything is told', async () => {
  let isFull = true
  const keep = async () => {
    if (isFull) throw new Error('the disk is full')
  }
  const { begin, rest, toldOf } = open({ keep })
  await begin(1, 5000)
  for (let seconds = 0; seconds < 5; seconds++) await rest(1000)
  assert.ok(toldOf(1) >= 1000 && toldOf(1) <= 1010, `it was told ${toldOf(1)} times`)
  isFull = false
  for (let seconds = 0; seconds < 3; seconds++) await rest(1000)
  assert.equal(toldOf(1), 5000)
})
