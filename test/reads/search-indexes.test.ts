import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { AppError } from '../../src/errors.ts'
import { type Log, silentLog } from '../../src/log/log.ts'
import { readQuery } from '../../src/search/query.ts'
import { SearchIndexes } from '../../src/search/search-indexes.ts'
import { FileStore } from '../../src/store/embedded/file-store.ts'
import { MemoryStore } from '../../src/store/embedded/memory-store.ts'
import type { Store } from '../../src/store/store.ts'
import { RequestPace } from '../../src/util/traffic.ts'
import { openTestApp } from '../helpers/api/app.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { FaultyDisk } from '../helpers/store/faulty-disk.ts'
import { insert, Library, libraryRegistry, remove, update } from '../helpers/store/library.ts'

const registry = libraryRegistry()
const genre = registry.expect('genre')
const forever = () => new Promise<never>(() => {})

/** What the indexes take from outside. */
interface Outside {
  readonly wait: (milliseconds: number) => Promise<unknown>
  readonly pause: () => Promise<void>
  readonly traffic: RequestPace
}

/** The search indexes of a store, what they complain of, and what is found in the names of genres. */
function indexesOf(
  store: Store,
  { wait = forever, pause = async () => {}, traffic = new RequestPace(() => 0) }: Partial<Outside> = {},
) {
  const complaints: unknown[] = []
  // Every look at the clock takes long, so that there is a pause behind each record.
  let time = 0
  const now = () => {
    time += 1000
    return time
  }
  const error: Log['error'] = (_, fields) => void complaints.push(fields?.error)
  const indexes = new SearchIndexes({
    registry,
    store,
    log: { ...silentLog, error },
    wait,
    now,
    later: setImmediate,
    pause,
    traffic,
  })
  const found = async (q: string): Promise<number[]> => {
    const { hits } = (await indexes.of(genre)).search(readQuery(q, { fuzzy: false }), { offset: 0, limit: 100 })
    return hits.map(({ id }) => id).sort((a, b) => a - b)
  }
  return { indexes, found, complaints }
}

const isNotReady = (error: unknown) => error instanceof AppError && error.code === 'SEARCH_NOT_READY' && error.retryAfter === 2

describe('a search index', () => {
  test('contains existing records and later changes', async () => {
    const store = new MemoryStore(registry)
    const shelves = new Library(store)
    await shelves.add('genre', { name: 'travel' })
    const { found } = indexesOf(store)
    assert.deepEqual(await found('travel'), [1])
    await shelves.accept([insert('genre', { name: 'space travel' }), update('genre', 1, { name: 'poetry' })])
    assert.deepEqual([await found('travel'), await found('poetry')], [[2], [1]])
    await shelves.accept([remove('genre', 2)])
    assert.deepEqual(await found('travel'), [])
  })

  test('contains changes made during the build', async () => {
    const store = new MemoryStore(registry)
    const shelves = new Library(store)
    await shelves.accept(Array.from({ length: 1200 }, (_, index) => insert('genre', { name: `travel ${index}` })))
    let pauses = 0
    const pause = async () => {
      if (pauses++ > 0) return
      await shelves.accept([
        remove('genre', 1),
        remove('genre', 1200),
        update('genre', 2, { name: 'poetry' }),
        insert('genre', { name: 'travel late' }),
      ])
    }
    const { indexes, found } = indexesOf(store, { pause })
    await indexes.prepare()
    const [first] = await found('travel')
    assert.deepEqual([first, await found('poetry'), await found('late')], [3, [2], [1201]])
    assert.deepEqual(await found('1199'), [], 'removed')
  })

  test('is built at half the speed while requests arrive', async () => {
    const store = new MemoryStore(registry)
    await new Library(store).accept([insert('genre', { name: 'travel' }), insert('genre', { name: 'poetry' })])
    const traffic = new RequestPace(() => 0)
    const waits: number[] = []
    let pauses = 0
    const wait = async (milliseconds: number) => waits.push(milliseconds)
    const pause = async () => void pauses++
    await indexesOf(store, { wait, pause, traffic }).indexes.prepare()
    assert.deepEqual([waits.length, pauses > 0], [0, true], 'waited for nobody')
    pauses = 0
    for (let request = 0; request < 8; request++) traffic.note()
    await indexesOf(store, { wait, pause, traffic }).indexes.prepare()
    assert.deepEqual([waits.length > 0, new Set(waits), pauses], [true, new Set([8]), 0])
  })

  test('drops a failed write, and continues', async () => {
    const folder = await temporaryFolder()
    const disk = new FaultyDisk()
    const store = await FileStore.open(join(folder.path, 'data'), registry, 'write', { disk })
    try {
      const shelves = new Library(store)
      await shelves.accept([insert('genre', { name: 'travel' }), insert('genre', { name: 'poetry' })])
      const { found } = indexesOf(store)
      assert.deepEqual(await found('travel'), [1])
      disk.fail('ENOSPC', 'open', 'write')
      const doomed = store.transact([
        update('genre', 1, { name: 'satire' }),
        remove('genre', 2),
        insert('genre', { name: 'travel too' }),
      ])
      await assert.rejects(doomed)
      assert.deepEqual([await found('travel'), await found('poetry'), await found('satire')], [[1], [2], []])
      disk.mend()
      await shelves.accept([update('genre', 1, { name: 'satire' })])
      assert.deepEqual([await found('travel'), await found('satire')], [[], [1]])
    } finally {
      disk.mend()
      await store.close()
      await folder.remove()
    }
  })

  test('that cannot apply a change fails no write, is logged, and rebuilt', async () => {
    const store = new MemoryStore(registry)
    const shelves = new Library(store)
    const { indexes, found, complaints } = indexesOf(store)
    const broken = new Error('broken')
    Object.assign(await indexes.of(genre), {
      replace() {
        throw broken
      },
    })
    await shelves.accept([insert('genre', { name: 'travel' }), insert('genre', { name: 'poetry' })])
    assert.deepEqual(complaints, [broken])
    assert.deepEqual([await found('travel'), await found('poetry')], [[1], [2]])
  })

  test('that cannot be built is logged, and built again', async () => {
    const store = new MemoryStore(registry)
    await new Library(store).add('genre', { name: 'travel' })
    const { found, complaints } = indexesOf(store)
    const broken = new Error('broken')
    const stream = store.stream.bind(store)
    store.stream = () => {
      throw broken
    }
    await assert.rejects(found('travel'), isNotReady)
    assert.deepEqual(complaints, [broken])
    store.stream = stream
    assert.deepEqual(await found('travel'), [1])
  })

  test('that is long in the making is waited for no longer than a while', async () => {
    const store = new MemoryStore(registry)
    await new Library(store).add('genre', { name: 'travel' })
    const waited: unknown[] = []
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const wait = async (milliseconds?: number) => void waited.push(milliseconds)
    const { indexes, found } = indexesOf(store, { wait, pause: () => held })
    const stream = store.stream.bind(store)
    store.stream = async function* (table, plan) {
      await held
      yield* stream(table, plan)
    }
    await assert.rejects(found('travel'), isNotReady)
    assert.deepEqual(waited, [3000])
    go()
    await indexes.make(genre)
    assert.deepEqual(await found('travel'), [1])
  })
})

test('nothing is built after closing', async () => {
  const store = new MemoryStore(registry)
  await new Library(store).accept([insert('genre', { name: 'travel' }), insert('genre', { name: 'poetry' })])
  let pauses = 0
  const pause = async () => void pauses++
  const { indexes, found } = indexesOf(store, { wait: () => new Promise((resolve) => setImmediate(resolve)), pause })
  indexes.close()
  await assert.rejects(found('travel'), isNotReady)
  assert.equal(pauses, 0)
})

describe('a page of a search with filters', () => {
  /** A blog in which somebody else writes between the question of what matches and its answer, once or always. */
  async function withRival(times: number, work: (searched: () => Promise<unknown[]>) => Promise<void>): Promise<void> {
    const { app, close } = await openTestApp()
    try {
      const matching = app.store.matching.bind(app.store)
      let writes = 0
      app.store.matching = async (...question) => {
        const answer = await matching(...question)
        if (writes++ < times)
          await app.records.update(SYSTEM, 'post', 4, { data: { status: 'draft', summary: `Changed ${writes}` } })
        return answer
      }
      await work(async () => {
        const query = 'q=ferry&fields=title&filters=status=published'
        const { data, total, hits } = JSON.parse((await app.searches.search(SYSTEM, 'post', query)).body)
        return [data.map(({ id }: { id: number }) => id), total, hits.length]
      })
    } finally {
      await close()
    }
  }

  test('contains the present matches during writes', () =>
    withRival(3, async (searched) => assert.deepEqual(await searched(), [[34], 1, 1])))

  test('is not to be had while there is no end of writing', () =>
    withRival(Number.POSITIVE_INFINITY, (searched) => assert.rejects(searched(), isNotReady)))
})
