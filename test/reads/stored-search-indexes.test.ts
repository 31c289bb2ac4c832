import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../src/errors.ts'
import { type Log, silentLog } from '../../src/log/log.ts'
import { readQuery } from '../../src/search/query.ts'
import type { SearchOptions } from '../../src/search/search-engine.ts'
import { StoredSearchIndexes } from '../../src/search/stored-search-indexes.ts'
import type { Progress, SearchMoment, SearchStorage } from '../../src/store/search-storage.ts'
import { RequestPace } from '../../src/util/traffic.ts'
import { libraryRegistry } from '../helpers/store/library.ts'

const registry = libraryRegistry()
const genre = registry.expect('genre')
const travel = readQuery('travel', { fuzzy: false })

/** A storage with one record, `travel`, whose words are not stored; `progress` is what storing them reports, one after the other. */
class FakeStorage implements SearchStorage {
  readonly calls: string[] = []
  readonly progress: (Progress | Error)[] = []
  /** True while too many records have no words. */
  isBehind = false
  isReady = true
  /** The text of the record. */
  text = 'travel'

  async open({ table }: { readonly table: string }): Promise<void> {
    this.calls.push(`open ${table}`)
  }

  async storeNext(): Promise<Progress> {
    this.calls.push('store')
    const next = this.progress.shift() ?? 'none'
    if (next instanceof Error) throw next
    if (next === 'none') this.isReady = true
    return next
  }

  async behind(): Promise<readonly string[]> {
    return this.isBehind ? ['genre'] : []
  }

  async discardGarbage(): Promise<boolean> {
    return false
  }

  async read<T>(_: unknown, __: unknown, work: (moment: SearchMoment) => Promise<T>): Promise<T | undefined> {
    const changed = [{ id: 1, texts: [this.text], lengths: undefined }]
    const stored = { isComplete: this.isReady, totals: { records: 0, words: [0] }, words: [], slight: [], changed }
    const records = {
      get: async () => [],
      find: async () => ({ records: [], total: 0 }),
      matching: async () => new Set<number>(),
    }
    return work({ stored, records, countMissing: async () => 7, lengthsOf: async () => new Map() })
  }
}

/** The indexes of a storage, their waits, and the errors that they log. */
function indexesOf(storage: SearchStorage, { isPatient = true, requests = 0 } = {}) {
  const waits: number[] = []
  const errors: unknown[] = []
  const error: Log['error'] = (_, fields) => void errors.push(fields?.error)
  const traffic = new RequestPace(() => 0)
  for (let request = 0; request < requests; request++) traffic.note()
  let time = 0
  const pauses: number[] = []
  const indexes = new StoredSearchIndexes({
    registry,
    storage,
    log: { ...silentLog, error },
    wait: (milliseconds) => {
      waits.push(milliseconds)
      return milliseconds >= 400 && isPatient ? new Promise<never>(() => {}) : setImmediate()
    },
    now: () => {
      time += 10
      return time
    },
    pause: async () => {
      pauses.push(time)
      await setImmediate()
    },
    traffic,
  })
  const found = (options?: SearchOptions) =>
    indexes.within(genre, travel, async ({ index }) => index.search(travel, { offset: 0, limit: 10 }).total, options)
  return { indexes, found, waits, errors, pauses }
}

const isNotReady = (error: unknown) => error instanceof AppError && error.code === 'SEARCH_NOT_READY'

describe('search indexes in a store', () => {
  test('are searched without storing words first, and prepared once', async () => {
    const storage = new FakeStorage()
    const { found } = indexesOf(storage)
    assert.deepEqual([await found(), await found()], [1, 1])
    assert.deepEqual(storage.calls, ['open genre'])
  })

  test('read a long text that changed in steps', async () => {
    const storage = new FakeStorage()
    storage.text = `${'東京都'.repeat(30_000)} travel`
    const { found, pauses } = indexesOf(storage)
    assert.equal(await found(), 1)
    assert.ok(pauses.length > 100, `${pauses.length} pauses`)
  })

  test('have words stored before a search when too many records have none', async () => {
    const storage = new FakeStorage()
    storage.isReady = false
    storage.progress.push('more', 'more', 'none')
    const { found } = indexesOf(storage)
    assert.equal(await found(), 1)
    assert.deepEqual(storage.calls, ['open genre', 'store', 'store', 'store'])
  })

  test('are not ready while another process stores words for longer than a search waits', async () => {
    const storage = new FakeStorage()
    storage.isReady = false
    storage.isBehind = true
    for (let round = 0; round < 100; round++) storage.progress.push('busy')
    const { found, waits } = indexesOf(storage, { isPatient: false })
    await assert.rejects(found({ isComplete: true }), isNotReady)
    assert.deepEqual([...new Set(waits)].sort(), [200, 3000])
  })

  test('answer by what is stored after 0.4 seconds, once for all searches, and go on storing', async () => {
    const storage = new FakeStorage()
    storage.isReady = false
    storage.isBehind = true
    storage.progress.push(...Array.from({ length: 100 }, () => 'busy' as const))
    const { found, indexes, waits } = indexesOf(storage, { isPatient: false })
    const missing = () =>
      indexes.within(genre, travel, async ({ isComplete, countMissing }) => [isComplete, await countMissing([])])
    assert.deepEqual([await found(), await missing()], [1, [false, 7]])
    assert.equal(waits.filter((each) => each === 400).length, 1)
    storage.progress.length = 0
    while (!storage.isReady) await setImmediate()
    assert.deepEqual(await missing(), [true, 7])
  })

  test('are stored in a tenth of the time while requests arrive, and at once when a search waits', async () => {
    const storage = new FakeStorage()
    storage.progress.push('more', 'none')
    const { indexes, waits, found } = indexesOf(storage, { requests: 8 })
    await indexes.make(genre)
    assert.deepEqual(waits, [50, 40], 'nine times the ten milliseconds of the first transaction')
    waits.length = 0
    storage.isReady = false
    storage.progress.push('more', 'none')
    assert.equal(await found(), 1)
    assert.deepEqual(waits, [3000, 400])
  })

  test('whose words cannot be stored are logged once, and tried again', async () => {
    const storage = new FakeStorage()
    storage.isReady = false
    const broken = new Error('broken')
    storage.progress.push(broken, broken)
    const { found, errors } = indexesOf(storage)
    await assert.rejects(found({ isComplete: true }), isNotReady)
    await assert.rejects(found({ isComplete: true }), isNotReady)
    assert.deepEqual(errors, [broken])
    assert.equal(await found({ isComplete: true }), 1)
  })

  test('store no words after closing', async () => {
    const storage = new FakeStorage()
    const { indexes } = indexesOf(storage, { isPatient: false })
    indexes.close()
    await indexes.prepare()
    assert.ok(!storage.calls.includes('store'))
  })
})
