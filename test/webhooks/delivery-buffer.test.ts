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

/** A ledger, and the batches that it kept. @param failures how often keeping fails at first */
function open(failures = 0) {
  const time = fakeTime(0)
  const batches: number[][] = []
  let left = failures
  const keep: Outbox['storeResults'] = async (results) => {
    if (left-- > 0) throw new Error('the disk is full')
    batches.push(results.map(({ event }) => event))
  }
  const ledger = new DeliveryBuffer({ outbox: { storeResults: keep } as Outbox, timer: time.timer, log: silentLog })
  return { ledger, time, batches }
}

/** Lets everything happen that waits for nothing. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('what comes within a tenth of a second is kept at once', async () => {
  const { ledger, time, batches } = open()
  for (const event of [1, 2, 3]) ledger.add(resultOf(event))
  await settle()
  assert.deepEqual(batches, [])
  time.advance(100)
  await settle()
  assert.deepEqual(batches, [[1, 2, 3]])
})

test('five hundred results are not waited with, and neither is the end', async () => {
  const { ledger, batches } = open()
  for (let event = 0; event < 500; event++) ledger.add(resultOf(event))
  await settle()
  assert.deepEqual(
    batches.map(({ length }) => length),
    [500],
  )
  ledger.add(resultOf(500))
  await ledger.flush()
  assert.deepEqual(
    batches.map(({ length }) => length),
    [500, 1],
  )
})

test('what could not be kept is kept later, with what came since', async () => {
  const { ledger, time, batches } = open(1)
  ledger.add(resultOf(1))
  time.advance(100)
  await settle()
  ledger.add(resultOf(2))
  time.advance(1000)
  await settle()
  time.advance(100)
  await settle()
  assert.deepEqual(batches, [[1, 2]])
})

test('a flush ends while results keep coming: it waits for the batch under way and the one after it', async () => {
  const time = fakeTime(0)
  const batches: number[][] = []
  // Whatever is kept brings the next result, as receivers do who answer without a pause.
  const keep: Outbox['storeResults'] = async (results) => {
    batches.push(results.map(({ event }) => event))
    ledger.add(resultOf(batches.length + 1))
    if (batches.length > 20) throw new Error('the flush does not end')
  }
  const ledger = new DeliveryBuffer({ outbox: { storeResults: keep } as Outbox, timer: time.timer, log: silentLog })
  ledger.add(resultOf(1))
  time.advance(100)
  await ledger.flush()
  assert.deepEqual(batches, [[1], [2]])
  time.advance(100)
  await settle()
  assert.deepEqual(batches, [[1], [2], [3]])
})

test('what a flush could not keep is kept later, without another result', async () => {
  const { ledger, time, batches } = open(1)
  ledger.add(resultOf(1))
  await ledger.flush()
  assert.deepEqual(batches, [])
  time.advance(1000)
  await settle()
  assert.deepEqual(batches, [[1]])
})

test('a disk that is full is not tried with every result', async () => {
  const { ledger, time, batches } = open(2)
  for (let event = 0; event < 500; event++) ledger.add(resultOf(event))
  await settle()
  for (let event = 500; event < 600; event++) ledger.add(resultOf(event))
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

test('one that is closed tries nothing again', async () => {
  const { ledger, time, batches } = open(1)
  ledger.add(resultOf(1))
  await ledger.flush()
  ledger.close()
  assert.deepEqual(time.waits(), [])
  await ledger.flush()
  assert.deepEqual(batches, [])
})
