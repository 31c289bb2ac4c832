import assert from 'node:assert/strict'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFileStore } from '../../src/app/embedded-stores.ts'
import { checkFiles, type FileFinding } from '../../src/files/file-check.ts'
import { fileValue } from '../../src/files/file-models.ts'
import { silentLog } from '../../src/log/log.ts'
import { FILE_TABLE } from '../../src/model/files.ts'
import { expectCopies } from '../../src/project/snapshots.ts'
import type { Operation, StoredRecord } from '../../src/store/store.ts'
import { systemRandom } from '../../src/util/ids.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { bytesOf, received } from '../helpers/store/blob-contract.ts'
import { registryWithFiles } from '../helpers/store/files.ts'

/** A store with files. */
interface Place {
  readonly folder: string
  readonly opened: Awaited<ReturnType<typeof openFileStore>>
  /** Keeps bytes of a size, without a row. */
  keep(size: number): Promise<string>
  /** Keeps bytes of a size with a pending row. */
  upload(size: number): Promise<StoredRecord>
  transact(...operations: readonly Operation[]): Promise<readonly StoredRecord[]>
  /** Kinds of the findings, with the name of the model and the id of the record, or the hash. */
  check(): Promise<readonly (readonly [FileFinding['kind'], string])[]>
}

const inPlace = (name: string, body: (place: Place) => Promise<void>) =>
  test(name, async () => {
    await using temporary = await temporaryFolder()
    const folder = join(temporary.path, 'data')
    const registry = registryWithFiles()
    const opened = await openFileStore(folder, registry, 'write', { log: silentLog, random: systemRandom })
    const { store, blobs, snapshotHashes } = opened
    const transact = async (...operations: readonly Operation[]) => {
      const outcome = await store.transact(operations)
      return outcome.ok ? outcome.records : assert.fail(JSON.stringify(outcome))
    }
    const keep = async (size: number) => {
      const file = await received(blobs, bytesOf(size))
      await blobs.keep(file)
      return file.sha256
    }
    try {
      await body({
        ...{ folder, opened, transact, keep },
        async upload(size) {
          const file = { token: `token-of-file-${size}`, sha256: await keep(size), size, name: 'a.bin', type: 'text/plain' }
          const values = { ...file, model: 'photo', field: 'gallery', user_id: 1, at: '2026-01-15T12:00:00.000Z' }
          const [row] = await transact({ kind: 'insert', table: FILE_TABLE, values })
          return row ?? assert.fail()
        },
        async check() {
          const found: FileFinding[] = []
          await checkFiles({ registry, store, blobs, snapshotHashes, now: Date.now() }, (finding) => void found.push(finding))
          return found.map(({ kind, sha256, file }) => [kind, file ? `${file.model} ${file.record}` : sha256] as const)
        },
      })
    } finally {
      await opened.close()
    }
  })

const photoWith = (...rows: readonly StoredRecord[]): Operation => ({
  kind: 'insert',
  table: 'photo',
  values: { gallery: rows.map((row) => fileValue(row)) },
})

inPlace('files of records, uploads and files that were given up are no findings', async ({ upload, transact, check }) => {
  const [one, two] = [await upload(1), await upload(2)]
  await upload(3)
  await transact(photoWith(one, two))
  await transact({ kind: 'update', table: 'photo', id: 1, values: { gallery: [fileValue(one)] } })
  assert.deepEqual(await check(), [])
})

inPlace('a file that the registry does not have for its record is a finding', async ({ upload, transact, check }) => {
  const row = await upload(1)
  await upload(2)
  await transact(photoWith(row))
  await transact({ kind: 'remove', table: FILE_TABLE, id: row.id })
  assert.deepEqual(await check(), [['without_row', 'photo 1']])
})

inPlace('a row whose record does not have the file is a finding', async ({ upload, transact, check }) => {
  const [one, two] = [await upload(1), await upload(2)]
  await transact(photoWith(one))
  await transact({ kind: 'update', table: FILE_TABLE, id: two.id, values: { record_id: 1 } })
  assert.deepEqual(await check(), [['without_record', 'photo 1']])
  await transact({ kind: 'update', table: FILE_TABLE, id: two.id, values: { record_id: 7 } })
  assert.deepEqual(await check(), [['without_record', 'photo 7']])
})

inPlace('bytes that nothing has are a finding after 24 hours', async ({ folder, opened, keep, upload, check }) => {
  const age = async (sha256: string, hours: number) => {
    const at = new Date(Date.now() - hours * 3_600_000)
    await utimes(join(folder, 'files', sha256.slice(0, 2), sha256), at, at)
  }
  const left = await keep(1)
  await age(String((await upload(2)).sha256), 25)
  await age(left, 23)
  assert.deepEqual(await check(), [])
  await age(left, 25)
  assert.deepEqual(await check(), [['unreferenced', left]])
  await opened.blobs.remove(left)
  assert.deepEqual(await check(), [])
})

inPlace(
  'bytes that only a snapshot lists are none, and are missing without them',
  async ({ opened, upload, transact, check }) => {
    const row = await upload(1)
    await upload(2)
    await expectCopies(opened.snapshots).save({ name: 'monday' })
    await transact({ kind: 'remove', table: FILE_TABLE, id: row.id })
    assert.deepEqual(await check(), [])
    await opened.blobs.remove(String(row.sha256))
    assert.deepEqual(await check(), [['missing', row.sha256]])
  },
)
