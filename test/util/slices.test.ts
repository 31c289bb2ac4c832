import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mapInSlices, runInSlices, Slices, type Steps } from '../../src/util/slices.ts'

/** Slices on a clock that `work` moves, and the number of their pauses. */
function onClock() {
  const time = { now: 0, pauses: 0 }
  const slices = new Slices({
    now: () => time.now,
    pause: async () => {
      time.pauses++
      time.now += 100
    },
  })
  return { time, slices }
}

describe('slices', () => {
  test('are over after 8 ms, without the pause between them', async () => {
    const { time, slices } = onClock()
    time.now = 7
    assert.equal(slices.isOver, false)
    time.now = 8
    assert.equal(slices.isOver, true)
    await slices.next()
    assert.equal(slices.isOver, false)
  })

  test('of a list have pauses, and results in the order of the items', async () => {
    const { time, slices } = onClock()
    const work = (item: number, index: number) => {
      time.now += 4
      return `${index}:${item}`
    }
    assert.deepEqual(await mapInSlices([5, 6, 7, 8], work, slices), ['0:5', '1:6', '2:7', '3:8'])
    assert.equal(time.pauses, 2)
  })

  test('of steps end with their result', async () => {
    const { time, slices } = onClock()
    function* work(): Steps<number> {
      for (let count = 0; count < 10; count++) {
        time.now += 4
        yield
      }
      return time.pauses
    }
    assert.equal(await runInSlices(work(), slices), 5)
  })
})
