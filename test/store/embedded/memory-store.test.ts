import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDefinition } from '../../../src/model/definition.ts'
import { MemoryStore } from '../../../src/store/embedded/memory-store.ts'
import { storeContract } from '../../helpers/store/store-contract.ts'
import { turnsDuring } from '../../helpers/turns.ts'
import { valuesOf } from '../../helpers/values-of.ts'
import { registryOf } from '../../model/models.ts'

const skip = { reopen: 'a store in memory loses its records when it is closed' }

for (const [name, options] of [
  ['memory', {}],
  ['memory, small tables indexed too', { smallTable: 0 }],
  ['memory, every transaction in slices', { slices: { now: everLater() } }],
] as const) {
  storeContract(
    name,
    (registry) => {
      const store = new MemoryStore(registry, options)
      return { store, close: () => store.close() }
    },
    { skip },
  )
}

/** A clock by which every slice is over. */
function everLater(): () => number {
  let now = 0
  return () => {
    now += 1000
    return now
  }
}

test('tables without a model are preserved, with their ids, until a project has the model', async () => {
  const named = (name: string): ModelDefinition => ({ name, fields: [{ name: 'title', type: 'string' }] })
  const whole = registryOf(named('Note'), named('Task'))
  const tasks = (store: MemoryStore) => store.find('task', { filters: [], sort: [], offset: 0, limit: 10 })
  const create = (store: MemoryStore, title: string) => store.transact([{ kind: 'insert', table: 'task', values: { title } }])
  const first = new MemoryStore(whole)
  for (const title of ['a', 'b', 'c']) await create(first, title)
  await first.transact([{ kind: 'remove', table: 'task', id: 3 }])
  let last = first
  for (const registry of [registryOf(named('Note')), registryOf(named('Note')), whole]) {
    const next = new MemoryStore(registry)
    await next.adopt(last)
    last = next
  }
  assert.deepEqual((await tasks(last)).records, (await tasks(first)).records)
  await create(last, 'd')
  assert.deepEqual(valuesOf((await tasks(last)).records, 'id'), [1, 2, 4])
})

test('other work runs while a table is streamed, and while a store takes over the records of another', async () => {
  const registry = registryOf({ name: 'Note', fields: [{ name: 'title', type: 'string' }] })
  const slices = { now: everLater() }
  const former = new MemoryStore(registry, { slices })
  const insert = { kind: 'insert', table: 'note', values: { title: 'a' } } as const
  await former.transact(Array.from({ length: 1000 }, () => insert))
  const streamed = await turnsDuring(async () => {
    for await (const batch of former.stream('note', { filters: [], sort: [] })) assert.equal(batch.length, 200)
  })
  assert.ok(streamed >= 5, `${streamed} turns`)
  for (const [takeOver, least] of [
    [(store: MemoryStore) => store.adopt(former), 1000],
    // Records are copied in batches of 200.
    [(store: MemoryStore) => store.copy(former, new Set(['note'])), 5],
  ] as const) {
    const store = new MemoryStore(registry, { slices })
    const turns = await turnsDuring(() => takeOver(store))
    assert.ok(turns >= least, `${turns} turns`)
    assert.deepEqual((await store.status()).records, (await former.status()).records)
  }
})
