import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangeFeed } from '../../src/events/change-feed.ts'
import { MemoryStore } from '../../src/store/embedded/memory-store.ts'
import { registryOf } from '../model/models.ts'

for (const { count, kept } of [
  { count: 15_000, kept: 15_003 },
  { count: 25_000, kept: 10_000 },
]) {
  test(`after a transaction of ${count} changes, ${kept} are kept of all`, async () => {
    const registry = registryOf({ name: 'Note', fields: [{ name: 'title', type: 'string' }] })
    const store = new MemoryStore(registry)
    const feed = new ChangeFeed({ registry, store, clock: () => 0, epoch: 'e' })
    feed.keep()
    const inserts = (size: number) =>
      Array.from({ length: size }, () => ({ kind: 'insert', table: 'note', values: { title: 'A' } }) as const)
    await store.transact(inserts(3))
    await store.transact(inserts(count))
    assert.equal(feed.last, count + 3)
    assert.deepEqual(
      feed.after(feed.last - kept)?.map(({ sequence, after }) => [sequence, after?.id]),
      Array.from({ length: kept }, (_, index) => count + 3 - kept + index + 1).map((id) => [id, id]),
    )
    if (kept < feed.last) assert.equal(feed.after(feed.last - kept - 1), undefined)
    const [latest] = feed.after(feed.last - 1) ?? []
    assert.match(
      latest === undefined ? '' : feed.eventOf(latest),
      /^event: change\nid: e-\d+\ndata: \{"model":"note","record_id":\d+/,
    )
    await store.transact(inserts(1))
    assert.deepEqual(
      feed.after(feed.last - 1)?.map(({ sequence }) => sequence),
      [count + 4],
    )
  })
}

test('changes before the first subscriber are numbered and not kept', async () => {
  const registry = registryOf({ name: 'Note', fields: [{ name: 'title', type: 'string' }] })
  const store = new MemoryStore(registry)
  const feed = new ChangeFeed({ registry, store, clock: () => 0, epoch: 'e' })
  const insert = { kind: 'insert', table: 'note', values: { title: 'A' } } as const
  await store.transact([insert, insert])
  assert.equal(feed.last, 2)
  assert.equal(feed.positionOf('e-1'), undefined)
  feed.keep()
  await store.transact([insert])
  assert.deepEqual(
    feed.after(2)?.map(({ sequence }) => sequence),
    [3],
  )
  assert.equal(feed.after(1), undefined)
})
