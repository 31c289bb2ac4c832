import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Queue } from '../../src/webhooks/queue.ts'

/** Takes the events that are due by `now`, in order. */
function takeAll(queue: Queue, now: number): number[] {
  const events: number[] = []
  for (let job = queue.take(now); job !== undefined; job = queue.take(now)) events.push(job.event)
  return events
}

test('events are taken in commit order, after the retries that are due', () => {
  const queue = new Queue()
  for (const event of [1, 2, 3]) queue.add(event)
  queue.addRetry({ event: 9, tries: 2, due: 200 })
  queue.addRetry({ event: 8, tries: 1, due: 100 })
  assert.equal(queue.size, 5)
  assert.equal(queue.nextDue, 0, 'some have not been attempted yet')
  assert.deepEqual(queue.take(150), { event: 8, tries: 1, due: 100 })
  assert.deepEqual(takeAll(queue, 150), [1, 2, 3])
  assert.equal(queue.nextDue, 200)
  assert.deepEqual(takeAll(queue, 200), [9])
  assert.equal(queue.size, 0)
})

test('a loaded event is not added a second time, and later events stay', () => {
  const queue = new Queue()
  for (const event of [4, 5, 6]) queue.add(event)
  queue.load([
    { event: 3, tries: 0, due: 0 },
    { event: 2, tries: 1, due: 50 },
    { event: 5, tries: 0, due: 0 },
  ])
  queue.add(5)
  queue.add(7)
  assert.deepEqual(takeAll(queue, 0), [3, 5, 6, 7])
  assert.deepEqual(takeAll(queue, 50), [2])
})

test('an event that is added during a load stays, though an event with a higher id is loaded', () => {
  const queue = new Queue()
  queue.add(3)
  queue.beginLoad()
  queue.add(4)
  queue.load([{ event: 5, tries: 0, due: 0 }])
  assert.deepEqual(takeAll(queue, 0), [5, 4], 'the store has settled the one from before the load')
})

test('an event whose transaction commits late is added, and only once', () => {
  const queue = new Queue()
  queue.load([{ event: 2000, tries: 0, due: 0 }])
  for (const event of [1999, 2001, 1999, 2000, 2001]) queue.add(event)
  assert.deepEqual(takeAll(queue, 0), [2000, 1999, 2001])
  queue.add(1999)
  assert.equal(queue.size, 0)
  assert.equal(queue.knownUpTo, 1001)
  queue.add(1001)
  assert.equal(queue.size, 0, 'a reload finds those that are later still')
})

test('a retry added during a load stays; for a job in both, the load wins', () => {
  const queue = new Queue()
  queue.addRetry({ event: 1, tries: 1, due: 10 })
  queue.addRetry({ event: 2, tries: 1, due: 20 })
  queue.load([{ event: 2, tries: 2, due: 30 }])
  assert.deepEqual(takeAll(queue, 20), [1])
  assert.deepEqual(queue.take(30), { event: 2, tries: 2, due: 30 })
  assert.equal(queue.size, 0)
})

test('a removed job is not taken', () => {
  const queue = new Queue()
  queue.addRetry({ event: 1, tries: 1, due: 10 })
  queue.remove(1)
  queue.remove(2)
  assert.equal(queue.nextDue, undefined)
  for (const event of [3, 4, 5]) queue.add(event)
  queue.take(0)
  for (const event of [3, 4]) queue.remove(event)
  assert.deepEqual(takeAll(queue, 0), [5])
})

test('retries that are due at the same time are taken in commit order', () => {
  const queue = new Queue()
  queue.load([3, 1].map((event) => ({ event, tries: 1, due: 10 })))
  for (const event of [4, 2]) queue.addRetry({ event, tries: 1, due: 10 })
  assert.deepEqual(takeAll(queue, 10), [1, 2, 3, 4])
})

test('fifty thousand retries do not take quadratic time, in any order', () => {
  const COUNT = 50_000
  let looked = 0
  const jobs = Array.from({ length: COUNT }, (_, index) => ({
    event: index + 1,
    tries: 1,
    get due() {
      looked++
      return COUNT - index
    },
  }))
  const loaded = new Queue()
  loaded.load(jobs)
  const added = new Queue()
  for (const job of jobs) added.addRetry(job)
  for (const queue of [loaded, added]) assert.equal(takeAll(queue, COUNT).length, COUNT)
  assert.ok(looked / COUNT < 200, `each was compared ${looked / COUNT} times`)
})

test('many events are taken in order', () => {
  const queue = new Queue()
  const events = Array.from({ length: 5000 }, (_, index) => index + 1)
  for (const event of events) queue.add(event)
  assert.deepEqual(takeAll(queue, 0), events)
})
