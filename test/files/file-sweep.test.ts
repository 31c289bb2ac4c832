import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFileStore } from '../../src/app/embedded-stores.ts'
import type { OpenedStore } from '../../src/app/opened-store.ts'
import { FileSweep, type FileSweepParts } from '../../src/files/file-sweep.ts'
import { silentLog } from '../../src/log/log.ts'
import { FILE_TABLE } from '../../src/model/files.ts'
import { expectCopies } from '../../src/project/snapshots.ts'
import type { Operation } from '../../src/store/store.ts'
import { isoTime } from '../../src/util/clock.ts'
import { systemRandom } from '../../src/util/ids.ts'
import type { JsonObject } from '../../src/util/json.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { bytesOf, received } from '../helpers/store/blob-contract.ts'
import { registryWithFiles } from '../helpers/store/files.ts'
import { fakeTime } from '../helpers/time.ts'

const START = Date.parse('2026-01-15T12:00:00.000Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A store with files, its sweep, and the time. */
interface Place {
  readonly opened: OpenedStore
  readonly time: ReturnType<typeof fakeTime>
  readonly logged: string[]
  /** Keeps bytes of a size, without a row. */
  keep(size: number): Promise<string>
  /** Keeps bytes of a size with a row, which is pending unless the values say otherwise. */
  upload(size: number, values?: JsonObject): Promise<number>
  sweepOf(parts?: Partial<FileSweepParts>): FileSweep
  /** A sweep as the server does it: bytes, then rows. */
  sweep(parts?: Partial<FileSweepParts>): Promise<readonly [contents: number, expired: number, released: number]>
  /** Sizes of all rows, and of all bytes. */
  left(): Promise<{ readonly rows: readonly number[]; readonly bytes: readonly number[] }>
}

const inPlace = (name: string, body: (place: Place) => Promise<void>) =>
  test(name, async () => {
    await using folder = await temporaryFolder()
    const log = { ...silentLog, error: (message: string) => void logged.push(message) }
    const logged: string[] = []
    const opened = await openFileStore(join(folder.path, 'data'), registryWithFiles(), 'write', { log, random: systemRandom })
    const time = fakeTime(START)
    const { store, blobs } = opened
    const commitInternal = (operations: readonly Operation[]) => store.transact(operations)
    const keep = async (size: number) => {
      const file = await received(blobs, bytesOf(size))
      await blobs.keep(file)
      return file.sha256
    }
    const parts: FileSweepParts = {
      ...{ store, blobs, records: { commitInternal }, snapshotHashes: opened.snapshotHashes },
      ...{ settings: { files: { pending_hours: 24, keep_removed_days: 1 } }, recorded: [] },
      ...{ clock: time.clock, blobClock: () => Date.now() + time.clock() - START, uptime: () => 0, timer: time.timer, log },
    }
    try {
      await body({
        ...{ opened, time, logged, keep },
        async upload(size, values = {}) {
          const row = {
            ...{
              token: `token-of-file-${size}`,
              sha256: await keep(size),
              size,
              name: 'a.bin',
              type: 'application/octet-stream',
            },
            ...{ model: 'photo', field: 'gallery', user_id: 1, at: isoTime(time.clock()), ...values },
          }
          const outcome = await store.transact([{ kind: 'insert', table: FILE_TABLE, values: row }])
          return outcome.ok ? (outcome.records[0]?.id ?? 0) : assert.fail(JSON.stringify(outcome))
        },
        sweepOf: (more) => new FileSweep({ ...parts, ...more }),
        async sweep(more) {
          const sweep = new FileSweep({ ...parts, ...more })
          const { contents } = await sweep.removeBytes()
          const { expired, released } = await sweep.removeRows()
          return [contents, expired, released]
        },
        async left() {
          const { records } = await store.find(FILE_TABLE, { filters: [], sort: [], offset: 0, limit: 1000 })
          const bytes: number[] = []
          for await (const { size } of blobs.list()) bytes.push(size)
          return { rows: records.map(({ size }) => Number(size)), bytes: bytes.sort((a, b) => a - b) }
        },
      })
    } finally {
      await opened.close()
    }
  })

inPlace('an upload that no record got in time goes, and its bytes with the next sweep', async ({ upload, time, sweep, left }) => {
  await upload(1)
  time.advance(HOUR)
  await upload(2)
  time.advance(23 * HOUR)
  assert.deepEqual(await sweep(), [0, 0, 0], 'it is kept for 24 hours')
  time.advance(1)
  assert.deepEqual(await sweep(), [0, 1, 0])
  assert.deepEqual(await left(), { rows: [2], bytes: [1, 2] })
  assert.deepEqual(await sweep(), [1, 0, 0])
  assert.deepEqual(await left(), { rows: [2], bytes: [2] })
})

inPlace('the file of a record stays, however old', async ({ upload, time, sweep, left }) => {
  await upload(1, { record_id: 7 })
  time.advance(1000 * DAY)
  assert.deepEqual(
    [await sweep(), await sweep()],
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
  )
  assert.deepEqual(await left(), { rows: [1], bytes: [1] })
})

inPlace('a file that a record gave up goes after keep_removed_days', async ({ upload, time, sweep, left }) => {
  await upload(1, { record_id: 7, released_at: isoTime(START) })
  time.advance(DAY)
  assert.deepEqual(await sweep(), [0, 0, 0])
  time.advance(1)
  assert.deepEqual(await sweep(), [0, 0, 1])
  assert.deepEqual(await sweep(), [1, 0, 0])
  assert.deepEqual(await left(), { rows: [], bytes: [] })
})

inPlace('a file of the history is kept as long as the history', async ({ upload, time, sweep, left }) => {
  const released_at = isoTime(START)
  await upload(1, { record_id: 7, released_at })
  await upload(2, { record_id: 7, released_at, model: 'album' })
  const files = { pending_hours: 24, keep_removed_days: 1 }
  const recorded = { settings: { files, history: { days: 90 } }, recorded: ['photo'] }
  time.advance(2 * DAY)
  assert.deepEqual(await sweep(recorded), [0, 0, 1])
  assert.deepEqual((await left()).rows, [1])
  time.advance(88 * DAY + 1)
  assert.deepEqual(await sweep(recorded), [1, 0, 1])
})

inPlace('with history.files false, the history keeps no files', async ({ upload, time, sweep }) => {
  await upload(1, { record_id: 7, released_at: isoTime(START) })
  time.advance(2 * DAY)
  const settings = { files: { pending_hours: 24, keep_removed_days: 1 }, history: { days: 90, files: false } }
  assert.deepEqual(await sweep({ settings, recorded: ['photo'] }), [0, 0, 1])
})

inPlace('bytes stay while any row has them, also a pending one', async ({ upload, time, sweep, left }) => {
  await upload(1, { record_id: 7, released_at: isoTime(START) })
  time.advance(2 * DAY)
  await upload(1)
  assert.deepEqual(await sweep(), [0, 0, 1])
  assert.deepEqual(await sweep(), [0, 0, 0])
  assert.deepEqual(await left(), { rows: [1], bytes: [1] })
})

inPlace('bytes without a row stay for 24 hours', async ({ keep, time, sweep, left }) => {
  await keep(1)
  time.advance(DAY - HOUR)
  assert.deepEqual(await sweep(), [0, 0, 0])
  time.advance(2 * HOUR)
  assert.deepEqual(await sweep(), [1, 0, 0])
  assert.deepEqual((await left()).bytes, [])
})

inPlace('bytes that a snapshot lists stay until it is removed', async ({ opened, upload, time, sweep, left }) => {
  const copies = expectCopies(opened.snapshots)
  await upload(1, { record_id: 7 })
  await upload(2)
  await copies.save({ name: 'before' })
  const { records } = await opened.store.find(FILE_TABLE, { filters: [], sort: [], offset: 0, limit: 10 })
  await opened.store.transact(records.map(({ id }) => ({ kind: 'remove', table: FILE_TABLE, id })))
  time.advance(2 * DAY)
  assert.deepEqual(await sweep(), [0, 0, 0])
  assert.deepEqual(await left(), { rows: [], bytes: [1, 2] })
  await copies.remove('before')
  assert.deepEqual(await sweep(), [2, 0, 0])
})

inPlace('a snapshot that cannot be read keeps bytes; rows expire', async ({ upload, keep, time, sweepOf, left }) => {
  await upload(1)
  await keep(2)
  time.advance(2 * DAY)
  const broken = new Error('a snapshot cannot be read')
  await assert.rejects(sweepOf({ snapshotHashes: () => Promise.reject(broken) }).sweep(), broken)
  assert.deepEqual(await left(), { rows: [], bytes: [1, 2] })
})

inPlace('the hashes of a snapshot that is being saved are waited for', async ({ opened, upload }) => {
  await upload(1, { record_id: 7 })
  const saving = expectCopies(opened.snapshots).save({ name: 'now' })
  assert.equal((await opened.snapshotHashes()).size, 1)
  await saving
})

inPlace('a sweep leaves received files that may be under way, and the bytes of rows that it removes', async (place) => {
  const { opened, upload, time, sweepOf, left } = place
  const { incoming } = opened.blobs
  await mkdir(incoming, { recursive: true })
  const receiveAt = async (name: string, hours: number) => {
    const at = (Date.now() - hours * HOUR) / 1000
    await writeFile(join(incoming, name), '')
    await utimes(join(incoming, name), at, at)
  }
  await receiveAt('fresh', 1)
  await receiveAt('old', 25)
  await upload(1)
  time.advance(2 * DAY)
  const sweep = sweepOf({ uptime: () => 48 * HOUR })
  assert.deepEqual(await sweep.sweep(), { expired: 1, released: 0, contents: 0, bytes: 0 })
  assert.deepEqual(readdirSync(incoming), ['fresh'])
  assert.deepEqual(await left(), { rows: [], bytes: [1] })
  await sweepOf({ uptime: () => HOUR / 2 }).sweep()
  assert.deepEqual(readdirSync(incoming), [], 'this process was not running then')
})

inPlace('the file of a field that the project has no more stays, since its value does', async ({ upload, time, sweep, left }) => {
  await upload(1, { record_id: 7, field: 'poster' })
  time.advance(1000 * DAY)
  assert.deepEqual(await sweep(), [0, 0, 0])
  assert.deepEqual(await left(), { rows: [1], bytes: [1] })
})

inPlace(
  'an upload of the same bytes that comes during a sweep keeps them',
  async ({ opened, keep, upload, time, sweepOf, left }) => {
    const sha256 = await keep(1)
    time.advance(2 * DAY)
    let arrived: Promise<unknown> | undefined
    const sweep = sweepOf({
      // The sweep has seen that no row has the bytes.
      snapshotHashes: async () => {
        arrived = opened.blobs.exclusively(sha256, () => upload(1))
        return new Set()
      },
    })
    assert.deepEqual(await sweep.removeBytes(), { contents: 0, bytes: 0 })
    await arrived
    assert.deepEqual(await left(), { rows: [1], bytes: [1] })
  },
)

inPlace('a file that a record gets again during a sweep stays; others go', async ({ opened, upload, time, sweepOf, left }) => {
  for (const size of [1, 2, 3]) await upload(size)
  time.advance(2 * DAY)
  let isFirst = true
  const sweep = sweepOf({
    records: {
      async commitInternal(operations) {
        if (isFirst) await opened.store.transact([{ kind: 'update', table: FILE_TABLE, id: 2, values: { record_id: 7 } }])
        isFirst = false
        return opened.store.transact(operations)
      },
    },
  })
  assert.deepEqual(await sweep.removeRows(), { expired: 2, released: 0 })
  assert.deepEqual((await left()).rows, [2])
})

inPlace('thumbnails of removed bytes are forgotten', async ({ keep, time, sweepOf }) => {
  const sha256 = await keep(1)
  time.advance(2 * DAY)
  const forgotten: string[] = []
  await sweepOf({ forget: async (hash) => void forgotten.push(hash) }).removeBytes()
  assert.deepEqual(forgotten, [sha256])
})

inPlace('more than a slice of rows and bytes goes in one sweep', async ({ opened, keep, time, sweep, left }) => {
  const sha256 = await keep(1)
  const row = { token: 'token-of-a-file', sha256, size: 1, name: 'a', type: 'a/b', model: 'photo', field: 'gallery' }
  const operation: Operation = { kind: 'insert', table: FILE_TABLE, values: { ...row, at: isoTime(START) } }
  await opened.store.transact(Array.from({ length: 1201 }, () => operation))
  time.advance(2 * DAY)
  assert.deepEqual(await sweep(), [0, 1201, 0])
  assert.deepEqual(await sweep(), [1, 0, 0])
  assert.deepEqual(await left(), { rows: [], bytes: [] })
})

inPlace(
  'a server sweeps when it begins and every hour, also after a failure',
  async ({ opened, upload, time, sweepOf, logged }) => {
    const { blobs } = opened
    const left = await received(blobs, bytesOf(5))
    await upload(1, { at: isoTime(START - 2 * DAY) })
    let fails = false
    let sweeps = 0
    const clean = (olderThanMs: number) => {
      sweeps++
      return fails ? Promise.reject(new Error('no')) : blobs.clean(olderThanMs)
    }
    const swept = async () => {
      for (const before = sweeps; sweeps === before || time.waits().length === 0; ) await new Promise(setImmediate)
    }
    const stores = {
      open: blobs.open.bind(blobs),
      size: blobs.size.bind(blobs),
      list: () => blobs.list(),
      keep: blobs.keep.bind(blobs),
    }
    const others = { incoming: blobs.incoming, free: () => blobs.free(), remove: (hash: string) => blobs.remove(hash) }
    const exclusively = blobs.exclusively.bind(blobs)
    const sweep = sweepOf({ blobs: { ...stores, ...others, exclusively, clean } })
    const first = swept()
    sweep.begin()
    await first
    assert.ok(!readdirSync(blobs.incoming).some((name) => left.path.endsWith(name)), 'received files of an earlier process go')
    assert.equal((await opened.store.find(FILE_TABLE, { filters: [], sort: [], offset: 0, limit: 1 })).total, 0)
    fails = true
    const second = swept()
    time.advance(HOUR)
    await second
    assert.deepEqual(logged, ['Files that no record has could not be removed'])
    fails = false
    const third = swept()
    time.advance(HOUR)
    await third
    await sweep.stop()
    assert.deepEqual(time.waits(), [])
  },
)
