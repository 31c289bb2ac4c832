import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { silentLog } from '../../src/log/log.ts'
import { RequestPace } from '../../src/util/traffic.ts'
import { Throttle } from '../../src/webhooks/delivery-buffer.ts'
import { HEALTHY } from '../../src/webhooks/health.ts'
import type { Outbox } from '../../src/webhooks/outbox.ts'
import { RetrySchedule } from '../../src/webhooks/retries.ts'
import type { Sender, SendResult } from '../../src/webhooks/sender.ts'
import { Worker } from '../../src/webhooks/worker.ts'
import { fakeTime } from '../helpers/time.ts'

const TIMEOUT_MS = 15_000

/** Runs the pending microtasks and immediates. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A worker whose receivers answer immediately, except dead ones, which never answer. */
function open({ dead = 0, keep = async () => {} }: { dead?: number; keep?: () => Promise<void> } = {}) {
  const { clock, timer, advance } = fakeTime(0)
  const traffic = new RequestPace(clock)
  /** Number of attempts by receiver. */
  const attempts = new Map<number, number>()
  const waiting = new Map<number, number>()
  const send = (url: string): Promise<SendResult> => {
    const id = Number(new URL(url).port)
    attempts.set(id, (attempts.get(id) ?? 0) + 1)
    const answer = { took: 0, reason: undefined, text: '', retryAfter: undefined }
    if (id > dead) return Promise.resolve({ ...answer, status: 200 })
    return new Promise((resolve) => timer(TIMEOUT_MS, () => resolve({ ...answer, status: undefined })))
  }
  const outbox: Outbox = {
    message: async (event) => ({ id: `msg_${event}`, event: 'create', model: 'tag', data: '{}', timestamp: '' }),
    receiver: (id) => ({ id, url: `http://receiver.example:${id}`, secrets: ['secret'], health: HEALTHY }),
    pendingJobs: async (id) =>
      Array.from({ length: waiting.get(id) ?? 0 }, (_, index) => ({ event: index + 1, tries: 0, due: 0 })),
    store: keep,
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
    attemptsOf: (id: number) => attempts.get(id) ?? 0,
    /** Starts delivery to a receiver with a backlog. */
    async start(id: number, backlog = 0) {
      waiting.set(id, backlog)
      await worker.resume(id)
    },
    /** Advances the clock without requests. */
    async rest(milliseconds: number) {
      advance(milliseconds)
      await worker.idle()
    },
    /** Advances the clock with one request in each millisecond. */
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

describe('while requests arrive, receivers take turns', () => {
  test('a receiver with a constant flow of events does not delay another', async () => {
    const { worker, start, pass, attemptsOf } = open()
    // Traffic starts before delivery.
    await pass(10)
    await start(1)
    await start(2, 50)
    let event = 1000
    await pass(1100, () => worker.add(event++, [1]))
    assert.equal(attemptsOf(2), 50)
    assert.ok(attemptsOf(1) >= 50, `the other was attempts ${attemptsOf(1)} times`)
  })

  test('of two receivers of the same events, neither falls behind', async () => {
    const { worker, start, pass, attemptsOf } = open()
    await start(1)
    await start(2)
    let event = 1
    await pass(1000, () => worker.add(event++, [1, 2]))
    assert.ok(Math.abs(attemptsOf(1) - attemptsOf(2)) <= 2, `one was attempts ${attemptsOf(1)} times, the other ${attemptsOf(2)}`)
  })

  test('a receiver with a large backlog does not delay a later one', async () => {
    const { worker, start, pass, attemptsOf } = open()
    await pass(10)
    await start(1, 5000)
    await start(2)
    await pass(100)
    for (let event = 6000; event < 6010; event++) worker.add(event, [2])
    await pass(210)
    assert.equal(attemptsOf(2), 10)
  })

  test('sixteen receivers that never answer delay another only until their first attempts have started', async () => {
    const [DEAD, LIVE] = [16, 17]
    const { worker, start, pass, attemptsOf } = open({ dead: DEAD })
    const all = Array.from({ length: LIVE }, (_, index) => index + 1)
    for (const id of all) await start(id)
    let event = 1
    let passed = 0
    // Fifty events per second for every receiver.
    const attempts = () => {
      if (passed++ % 20 === 0) worker.add(event++, all)
    }
    await pass(2 * TIMEOUT_MS, attempts)
    const before = attemptsOf(LIVE)
    assert.ok(before >= event - 10, `${before} of ${event - 1}`)
    await pass(1000, attempts)
    assert.ok(attemptsOf(LIVE) - before >= 49, `${attemptsOf(LIVE) - before} in a second`)
  })
})

test('while the disk is full, results do not accumulate; afterwards everything is delivered', async () => {
  let isFull = true
  const keep = async () => {
    if (isFull) throw new Error('the disk is full')
  }
  const { start, rest, attemptsOf } = open({ keep })
  await start(1, 5000)
  for (let seconds = 0; seconds < 5; seconds++) await rest(1000)
  assert.ok(attemptsOf(1) >= 1000 && attemptsOf(1) <= 1010, `it was called ${attemptsOf(1)} times`)
  isFull = false
  for (let seconds = 0; seconds < 3; seconds++) await rest(1000)
  assert.equal(attemptsOf(1), 5000)
})
