import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mapInSlices, runInSlices, SharedSlices, Slices, type Steps } from '../../src/util/slices.ts'
import { turnsDuring } from '../helpers/turns.ts'

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

  test('that are shared have one turn for all works, one after another', async () => {
    let now = 0
    const slices = new SharedSlices({ now: () => now })
    now = 7
    assert.equal(slices.isOver, false)
    now = 15
    assert.equal(slices.isOver, true)
    const order: string[] = []
    const work = async (name: string) => {
      for (let slice = 0; slice < 3; slice++) {
        await slices.next()
        assert.equal(slices.isOver, false)
        order.push(name)
        now += 8
      }
    }
    const turns = await turnsDuring(() => Promise.all([work('a'), work('b'), work('c')]))
    assert.equal(order.join(''), 'abcabcabc')
    assert.ok(turns >= 9, `${turns} turns`)
  })
})
