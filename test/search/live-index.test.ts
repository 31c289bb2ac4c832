import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LiveIndex } from '../../src/search/live-index.ts'
import { readQuery } from '../../src/search/query.ts'
import { valuesOf } from '../helpers/values-of.ts'

interface Note {
  readonly id: number
  readonly text: string
}

const note = (id: number, text: string): Note => ({ id, text })

/** A live index over notes; every pause hands over to `between`. */
function liveOver(notes: readonly Note[], between: (live: LiveIndex) => void = () => {}) {
  let clock = 0
  let pauses = 0
  const live: LiveIndex = new LiveIndex({
    fields: [{ name: 'text', weight: 1 }],
    async *records() {
      yield notes.map((each) => ({ ...each }))
    },
    now: () => ++clock,
    later: setImmediate,
    pause: async () => {
      pauses++
      between(live)
    },
    failed: (error) => assert.fail(String(error)),
  })
  return { live, pauses: () => pauses }
}

function found(live: LiveIndex, q: string): number[] {
  const result = live.ready?.search(readQuery(q, { fuzzy: false }), { offset: 0, limit: 100 })
  return (result?.hits ?? []).map(({ id }) => id).sort((a, b) => a - b)
}

const NOTES = Array.from({ length: 40 }, (_, at) => note(at + 1, `owl number${at + 1}`))

describe('a live index', () => {
  test('is absent before it is built, and yields during the build', async () => {
    const { live, pauses } = liveOver(NOTES, (each) => assert.equal(each.ready, undefined))
    assert.equal(live.ready, undefined)
    await live.build()
    assert.equal(found(live, 'owl').length, 40)
    assert.ok(pauses() >= 4, `${pauses()} pauses`)
  })

  test('is built once for concurrent requests', async () => {
    const { live } = liveOver(NOTES)
    await Promise.all([live.build(), live.build()])
    const { ready } = live
    await live.build()
    assert.equal(live.ready, ready)
  })

  test('applies changes during the build: to indexed records and to later ones', async () => {
    let turn = 0
    const { live } = liveOver(NOTES, (each) => {
      if (turn++ > 0) return
      each.note(1, NOTES[0] && { ...NOTES[0] }, { id: 1, text: 'fox' })
      each.note(2, NOTES[1] && { ...NOTES[1] }, undefined)
      each.note(39, NOTES[38] && { ...NOTES[38] }, { id: 39, text: 'fox' })
      each.note(40, NOTES[39] && { ...NOTES[39] }, undefined)
      each.note(41, undefined, { id: 41, text: 'fox' })
    })
    await live.build()
    assert.deepEqual(found(live, 'fox'), [1, 39, 41])
    assert.deepEqual(found(live, 'owl'), valuesOf(NOTES.slice(2, 38), 'id'))
  })

  test('applies changes after the build, and a reverted change', async () => {
    const { live } = liveOver([note(1, 'owl')])
    await live.build()
    live.note(1, { id: 1, text: 'owl' }, { id: 1, text: 'fox' })
    assert.deepEqual([found(live, 'owl'), found(live, 'fox')], [[], [1]])
    live.note(1, { id: 1, text: 'fox' }, { id: 1, text: 'owl' })
    assert.deepEqual([found(live, 'owl'), found(live, 'fox')], [[1], []])
    live.note(1, { id: 1, text: 'owl' }, undefined)
    assert.deepEqual(found(live, 'owl'), [])
  })

  test('ignores changes of unsearched fields', async () => {
    const { live } = liveOver([note(1, 'owl')])
    await live.build()
    const version = live.ready?.version
    live.note(1, { id: 1, text: 'owl', age: 1 }, { id: 1, text: 'owl', age: 2 })
    assert.equal(live.ready?.version, version)
  })

  test('is rebuilt when most of its content has changed, and serves meanwhile', async () => {
    const { live } = liveOver([note(1, 'owl')])
    await live.build()
    const first = live.ready
    const long = 'owl '.repeat(24_000)
    for (let time = 0; time <= 44; time++) {
      live.note(1, { id: 1, text: `${time} ${long}` }, { id: 1, text: `${time + 1} ${long}` })
      first?.settle()
    }
    live.note(1, undefined, { id: 1, text: 'owl10002' })
    assert.equal(live.ready, first)
    assert.deepEqual(found(live, 'owl10002'), [1])
    for (let turn = 0; turn < 100 && live.ready === first; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.notEqual(live.ready, first)
    assert.equal(live.ready?.words.wasted, 0)
  })

  test('applies many changes in slices, and few together', async () => {
    const { live, pauses } = liveOver([note(1, 'owl')])
    await live.build()
    assert.equal(live.catchUp(), undefined)
    const before = pauses()
    for (let id = 2; id <= 400; id++) live.note(id, undefined, { id, text: 'owl' })
    assert.ok(live.catchUp() !== undefined, 'there is something to wait for')
    await live.catchUp()
    assert.ok(pauses() - before > 10, `${pauses() - before} pauses`)
    assert.equal(live.catchUp(), undefined)
    assert.equal(found(live, 'owl').length, 100)
    live.note(1000, undefined, { id: 1000, text: '東京都'.repeat(30_000) })
    assert.ok(live.catchUp() !== undefined, 'one long text is much, too')
  })

  test('applies a few changes after idle turns, until almost none are left', async () => {
    const turns: (() => void)[] = []
    let clock = 0
    const live = new LiveIndex({
      fields: [{ name: 'text', weight: 1 }],
      async *records() {},
      now: () => ++clock,
      later: (run) => turns.push(run),
      pause: async () => {},
      failed: (error) => assert.fail(String(error)),
    })
    await live.build()
    const index = live.ready
    assert.ok(index !== undefined)
    const noteNext = () => live.note(id, undefined, { id: id++, text: 'owl' })
    const turn = () => turns.shift()?.()
    let id = 1
    while (id < 16) noteNext()
    assert.equal(turns.length, 0, 'too few to be worth it')
    while (id < 20) noteNext()
    assert.equal(turns.length, 1, 'somebody waits for a quiet moment')
    for (let busy = 0; busy < 10; busy++) {
      noteNext()
      turn()
    }
    for (let quiet = 0; quiet < 5; quiet++) turn()
    assert.equal(index.size, 0, 'while there are changes, and shortly after, nobody is kept waiting')
    turn()
    assert.equal(index.size, 1, 'the clock leaves time for one')
    for (let quiet = 0; quiet < 100; quiet++) turn()
    assert.equal(index.size, 14)
    assert.equal(turns.length, 0)
    assert.equal(found(live, 'owl').length, 29)
  })

  test('reports a change that it cannot apply', async () => {
    const failures: unknown[] = []
    const live = new LiveIndex({
      fields: [{ name: 'text', weight: 1 }],
      async *records() {},
      now: () => 0,
      later: setImmediate,
      pause: async () => {},
      failed: (error) => failures.push(error),
    })
    await live.build()
    let reads = 0
    const text = () => (reads++ === 0 ? 'owl' : assert.fail('unreadable'))
    live.note(1, undefined, Object.defineProperty({}, 'text', { get: text, enumerable: true }))
    assert.equal(live.ready, undefined)
    assert.match(String(failures), /unreadable/)
  })

  test('is built again after a failure', async () => {
    let broken = true
    const live = new LiveIndex({
      fields: [{ name: 'text', weight: 1 }],
      async *records() {
        if (broken) throw new Error('no disk')
        yield [{ id: 1, text: 'owl' }]
      },
      now: () => 0,
      later: setImmediate,
      pause: async () => {},
      failed: () => {},
    })
    await assert.rejects(live.build(), /no disk/)
    broken = false
    await live.build()
    assert.deepEqual(found(live, 'owl'), [1])
  })
})
