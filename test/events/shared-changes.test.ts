import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangeFeed } from '../../src/events/change-feed.ts'
import { SharedChanges } from '../../src/events/shared-changes.ts'
import { silentLog } from '../../src/log/log.ts'
import type { ChangeLog, LogRead } from '../../src/store/changes.ts'
import { MemoryStore } from '../../src/store/embedded/memory-store.ts'
import { fakeTime } from '../helpers/time.ts'
import { registryOf } from '../model/models.ts'

const NOTICE_MS = 1500

/** Runs the pending microtasks and immediates. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

async function open() {
  const { clock, timer, advance } = fakeTime(0)
  const registry = registryOf({ name: 'Note', fields: [{ name: 'title', type: 'string' }] })
  const feed = new ChangeFeed({ registry, store: new MemoryStore(registry), clock, epoch: 'e' })
  const calls: string[] = []
  let hear: (() => void) | undefined
  const next: (LogRead | undefined | Error)[] = []
  const changeLog: ChangeLog = {
    noticeMs: NOTICE_MS,
    announce: async () => void calls.push('announce'),
    end: async () => 'end',
    withdraw: async () => void calls.push('withdraw'),
    listen(heard) {
      hear = heard
      return () => {
        hear = undefined
      }
    },
    async read(position) {
      calls.push(`read ${position}`)
      const answer = next.length > 0 ? next.shift() : { transactions: [], position: 'unchanged' }
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  let isUsed = true
  const others = new SharedChanges({ feed, changeLog, isUsed: () => isUsed, timer, now: clock, log: silentLog })
  return {
    feed,
    others,
    next,
    take: () => calls.splice(0),
    /** Another process says that it has written; false if this is not listened to. */
    hear() {
      hear?.()
      return hear !== undefined
    },
    step: async (milliseconds: number) => {
      advance(milliseconds)
      await settle()
    },
    leave: () => {
      isUsed = false
    },
    async pass(milliseconds: number) {
      await settle()
      for (let passed = 0; passed < milliseconds; passed += 500) {
        advance(500)
        await settle()
      }
    },
  }
}

const change = (id: number) => ({ table: 'note', id, before: undefined, after: { id, title: 'A' } })

test('a subscriber waits until the other processes have noticed it, then all their changes are added once', async () => {
  const { feed, others, next, take, pass } = await open()
  let isReady = false
  void others.follow().then(() => {
    isReady = true
  })
  await pass(NOTICE_MS - 500)
  assert.deepEqual([take(), isReady], [['announce'], false])
  await pass(500)
  assert.equal(isReady, true)
  feed.keep()
  const start = feed.last
  next.push({ transactions: [{ at: 5, changes: [change(1), change(2)] }], position: 'second' })
  await pass(2000)
  assert.deepEqual(take(), ['read end', 'read second'])
  assert.deepEqual(
    feed.after(start)?.map(({ id, at }) => [id, at]),
    [
      [1, 5],
      [2, 5],
    ],
  )
})

test('subscribers are told that they missed changes if those are too many, or the announcement has ended', async () => {
  const { feed, others, next, take, pass } = await open()
  void others.follow()
  await pass(NOTICE_MS)
  feed.keep()
  let start = feed.last
  next.push({ transactions: [{ at: 5, changes: undefined }], position: 'second' })
  await pass(1000)
  assert.equal(feed.after(start), undefined)
  start = feed.last
  take()
  next.push(undefined)
  await pass(1000)
  await pass(NOTICE_MS)
  assert.equal(feed.after(start), undefined)
  assert.deepEqual(take(), ['read second', 'announce'])
  await pass(1000)
  assert.deepEqual(take(), ['read end'])
})

test('a failed read is repeated from the same place', async () => {
  const { feed, others, next, take, pass } = await open()
  void others.follow()
  await pass(NOTICE_MS)
  feed.keep()
  const start = feed.last
  take()
  next.push(new Error('The database is down'), { transactions: [{ at: 5, changes: [change(1)] }], position: 'second' })
  await pass(2000)
  assert.deepEqual(take(), ['read end', 'read end'])
  assert.equal(feed.after(start)?.length, 1)
})

test('the log is read for five minutes after the last subscriber has gone, and a later one begins again', async () => {
  const { feed, others, take, pass, leave } = await open()
  void others.follow()
  await pass(NOTICE_MS)
  feed.keep()
  const id = feed.idOf(feed.last)
  leave()
  await pass(298_000)
  assert.ok(!take().includes('withdraw'))
  assert.notEqual(feed.positionOf(id), undefined)
  await pass(3000)
  assert.equal(take().at(-1), 'withdraw')
  void others.follow()
  await pass(NOTICE_MS)
  assert.equal(feed.positionOf(id), undefined)
})

test('a notification is followed by a read at once, several by one every 50 ms, and none after the end', async () => {
  const { others, take, pass, step, hear } = await open()
  void others.follow()
  await pass(NOTICE_MS)
  await pass(1000)
  assert.deepEqual(take(), ['announce', 'read end'])
  await step(100)
  hear()
  hear()
  await step(0)
  assert.deepEqual(take(), ['read unchanged'])
  hear()
  await step(49)
  assert.deepEqual(take(), [])
  hear()
  await step(1)
  assert.deepEqual(take(), ['read unchanged'])
  // Without notifications a second passes.
  await step(999)
  assert.deepEqual(take(), [])
  await step(1)
  assert.deepEqual(take(), ['read unchanged'])
  others.close()
  assert.equal(hear(), false)
})

test('a notification during a read is followed by another read', async () => {
  const { others, next, take, pass, step, hear } = await open()
  void others.follow()
  await pass(NOTICE_MS)
  take()
  await step(900)
  hear()
  next.push({ transactions: [], position: 'second' })
  const reading = step(0)
  hear()
  await reading
  await step(50)
  assert.deepEqual(take(), ['read end', 'read second'])
})
