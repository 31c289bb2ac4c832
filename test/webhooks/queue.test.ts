import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Queue } from '../../src/webhooks/queue.ts'

/** The events that may be done by `now`, in order. */
function takeAll(queue: Queue, now: number): number[] {
  const events: number[] = []
  for (let job = queue.take(now); job !== undefined; job = queue.take(now)) events.push(job.event)
  return events
}

test('events come in the order in which they were committed, and what is due again before them', () => {
  const queue = new Queue()
  for (const event of [1, 2, 3]) queue.add(event)
  queue.wait({ event: 9, tries: 2, due: 200 })
  queue.wait({ event: 8, tries: 1, due: 100 })
  assert.equal(queue.size, 5)
  assert.equal(queue.nextDue, 100)
  assert.deepEqual(queue.take(150), { event: 8, tries: 1, due: 100 })
  assert.deepEqual(takeAll(queue, 150), [1, 2, 3])
  assert.deepEqual(takeAll(queue, 200), [9])
  assert.equal(queue.size, 0)
})

test('what a load brings is not taken a second time when it is told of, and what came after it stays', () => {
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

test('what failed while a load was read waits on, and what the load knows of a job counts', () => {
  const queue = new Queue()
  queue.wait({ event: 1, tries: 1, due: 10 })
  queue.wait({ event: 2, tries: 1, due: 20 })
  queue.load([{ event: 2, tries: 2, due: 30 }])
  assert.deepEqual(takeAll(queue, 20), [1])
  assert.deepEqual(queue.take(30), { event: 2, tries: 2, due: 30 })
  assert.equal(queue.size, 0)
})

test('a job that is forgotten does not wait any more', () => {
  const queue = new Queue()
  queue.wait({ event: 1, tries: 1, due: 10 })
  queue.forget(1)
  queue.forget(2)
  assert.equal(queue.nextDue, undefined)
})

test('many events are taken one after another', () => {
  const queue = new Queue()
  const events = Array.from({ length: 5000 }, (_, index) => index + 1)
  for (const event of events) queue.add(event)
  assert.deepEqual(takeAll(queue, 0), events)
})
