import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../../src/log/log.ts'
import { DeliveryBuffer } from '../../src/webhooks/delivery-buffer.ts'
import type { AttemptResult, Outbox } from '../../src/webhooks/outbox.ts'
import { fakeTime } from '../helpers/time.ts'

const resultOf = (event: number): AttemptResult => ({
  receiver: 1,
  event,
  attempt: { at: 0, status: 200, took: 1, reason: undefined, text: '' },
  status: 'delivered',
  tries: 0,
  due: undefined,
})

/**
 * A delivery buffer, and the batches that it stored.
 *
 * @param failures number of writes that fail first
 */
function open(failures = 0) {
  const time = fakeTime(0)
  const batches: number[][] = []
  let left = failures
  const keep: Outbox['store'] = async (results) => {
    if (left-- > 0) throw new Error('the disk is full')
    batches.push(results.map(({ event }) => event))
  }
  const buffer = new DeliveryBuffer({ outbox: { store: keep } as Outbox, timer: time.timer, log: silentLog })
  return { buffer, time, batches }
}

/** Runs the pending microtasks and immediates. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('results of a tenth of a second are stored in one batch', async () => {
  const { buffer, time, batches } = open()
  for (const event of [1, 2, 3]) buffer.add(resultOf(event))
  await settle()
  assert.deepEqual(batches, [])
  time.advance(100)
  await settle()
  assert.deepEqual(batches, [[1, 2, 3]])
})

test('five hundred results are stored immediately, as is a flush', async () => {
  const { buffer, batches } = open()
  for (let event = 0; event < 500; event++) buffer.add(resultOf(event))
  await settle()
  assert.deepEqual(
    batches.map(({ length }) => length),
    [500],
  )
  buffer.add(resultOf(500))
  await buffer.flush()
  assert.deepEqual(
    batches.map(({ length }) => length),
    [500, 1],
  )
})

test('results that could not be stored are stored later, together with newer ones', async () => {
  const { buffer, time, batches } = open(1)
  buffer.add(resultOf(1))
  time.advance(100)
  await settle()
  buffer.add(resultOf(2))
  time.advance(1000)
  await settle()
  time.advance(100)
  await settle()
  assert.deepEqual(batches, [[1, 2]])
})

test('a flush ends while results keep arriving: it waits for the current batch and the next', async () => {
  const time = fakeTime(0)
  const batches: number[][] = []
  // Each stored batch adds the next result, as with receivers that answer without pause.
  const keep: Outbox['store'] = async (results) => {
    batches.push(results.map(({ event }) => event))
    buffer.add(resultOf(batches.length + 1))
    if (batches.length > 20) throw new Error('the flush does not end')
  }
  const buffer = new DeliveryBuffer({ outbox: { store: keep } as Outbox, timer: time.timer, log: silentLog })
  buffer.add(resultOf(1))
  time.advance(100)
  await buffer.flush()
  assert.deepEqual(batches, [[1], [2]])
  time.advance(100)
  await settle()
  assert.deepEqual(batches, [[1], [2], [3]])
})

test('results that a flush could not store are stored later, without another result', async () => {
  const { buffer, time, batches } = open(1)
  buffer.add(resultOf(1))
  await buffer.flush()
  assert.deepEqual(batches, [])
  time.advance(1000)
  await settle()
  assert.deepEqual(batches, [[1]])
})

test('a full disk is not written to with every result', async () => {
  const { buffer, time, batches } = open(2)
  for (let event = 0; event < 500; event++) buffer.add(resultOf(event))
  await settle()
  for (let event = 500; event < 600; event++) buffer.add(resultOf(event))
  await settle()
  assert.deepEqual(time.waits(), [1000])
  time.advance(1000)
  await settle()
  assert.deepEqual(batches, [])
  time.advance(1000)
  await settle()
  assert.deepEqual(
    batches.map(({ length }) => length),
    [600],
  )
})

test('a closed buffer does not retry', async () => {
  const { buffer, time, batches } = open(1)
  buffer.add(resultOf(1))
  await buffer.flush()
  buffer.close()
  assert.deepEqual(time.waits(), [])
  await buffer.flush()
  assert.deepEqual(batches, [])
})
