import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Queue, type ScheduledJob } from '../../src/webhooks/queue.ts'

/** Due times in no order, the same each time, some of them equal. */
const shuffled = (count: number): number[] => Array.from({ length: count }, (_, index) => (index * 7919) % (count - 3))

const retryOf = (due: number, index: number): ScheduledJob => ({ event: index + 1, tries: 1, due })

const byDueTime = (a: ScheduledJob, b: ScheduledJob): number => a.due - b.due || a.event - b.event

/** Takes every retry, one at a time. */
function takeAll(queue: Queue): unknown[] {
  const taken: unknown[] = []
  for (let job = queue.take(Infinity); job !== undefined; job = queue.take(Infinity)) taken.push(job)
  return taken
}

describe('the retries of a queue', () => {
  for (const count of [4, 5, 8, 100, 1000]) {
    test(`are taken in order of their due time: ${count}, added one by one or loaded`, () => {
      const retries = shuffled(count).map(retryOf)
      const [added, loaded] = [new Queue(), new Queue()]
      for (const retry of retries) added.addRetry(retry)
      loaded.addRetry({ event: 1, tries: 0, due: -1 })
      loaded.load(retries)
      assert.deepEqual([added.nextDue, added.size], [0, count])
      assert.deepEqual(takeAll(added), retries.toSorted(byDueTime))
      assert.deepEqual(takeAll(loaded), retries.toSorted(byDueTime))
      assert.deepEqual([added.nextDue, added.size], [undefined, 0])
    })
  }

  test('stay in order after any one of them is removed', () => {
    const retries = Array.from({ length: 50 }, (_, index) => retryOf((index * 37) % 50, index))
    for (const { event } of retries) {
      const queue = new Queue()
      queue.load(retries)
      queue.remove(event)
      assert.equal(queue.size, 49)
      queue.remove(event)
      assert.deepEqual(takeAll(queue), retries.filter((retry) => retry.event !== event).toSorted(byDueTime))
    }
  })

  test('are compared O(n log n) times in all: 50,000', () => {
    const COUNT = 50_000
    let compared = 0
    const retries = Array.from({ length: COUNT }, (_, index) => ({
      event: index + 1,
      tries: 1,
      get due() {
        compared++
        return COUNT - index
      },
    }))
    const countOf = (work: () => void): number => {
      compared = 0
      work()
      return compared / COUNT
    }
    const [queue, other] = [new Queue(), new Queue()]
    const each = {
      loaded: countOf(() => queue.load(retries)),
      taken: countOf(() => takeAll(queue)),
      added: countOf(() => {
        for (const retry of retries) other.addRetry(retry)
      }),
    }
    const log = Math.log2(COUNT)
    // A comparison reads two due times; `take` reads that of the first job once more. A load is linear.
    assert.ok(each.loaded <= 2 * 3, `${each.loaded} reads each when all are loaded`)
    assert.ok(each.taken <= 2 * 2 * log + 1, `${each.taken} reads each when they are taken`)
    assert.ok(each.added <= 2 * log, `${each.added} reads each when they are added`)
  })
})
