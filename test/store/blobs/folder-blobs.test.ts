import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { FolderBlobs } from '../../../src/store/blobs/folder-blobs.ts'
import { ProcessLocks } from '../../../src/store/blobs/hash-locks.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { blobContract, bytesOf, received, sha256Of } from '../../helpers/store/blob-contract.ts'
import { FaultyDisk } from '../../helpers/store/faulty-disk.ts'

blobContract(
  'in a folder',
  async (options) => {
    const temporary = await temporaryFolder()
    const folder = join(temporary.path, 'data', 'files')
    const blobs = () => new FolderBlobs(folder, new ProcessLocks(folder), options)
    return { one: blobs(), other: blobs(), [Symbol.asyncDispose]: temporary.remove }
  },
  { fullAt: ['rename', 'syncFolder'] },
)

describe('a folder of bytes', () => {
  const BYTES = bytesOf(10)
  const HASH = sha256Of(BYTES)
  const PART = HASH.slice(0, 2)

  const inFolder = (name: string, body: (folder: string, blobs: FolderBlobs, disk: FaultyDisk) => Promise<void>) =>
    test(name, async () => {
      await using temporary = await temporaryFolder()
      const folder = join(temporary.path, 'data', 'files')
      const disk = new FaultyDisk()
      await body(folder, new FolderBlobs(folder, new ProcessLocks(folder), { disk }), disk)
    })

  inFolder('is for its owner only', async (folder, blobs) => {
    await blobs.keep(await received(blobs, BYTES))
    const modes = ['..', '.', 'incoming', PART, join(PART, HASH)].map((name) => statSync(join(folder, name)).mode & 0o777)
    assert.deepEqual(modes, [0o700, 0o700, 0o700, 0o700, 0o600])
  })

  inFolder('has a file whose name and folders are durable when it is kept', async (_, blobs, disk) => {
    await blobs.keep(await received(blobs, BYTES))
    const steps = () => disk.done.splice(0).map(({ kind, name }) => (kind === 'rename' ? 'rename' : `${kind} ${name}`))
    // The folder above it was made by the reception.
    assert.deepEqual(steps(), ['syncFolder files', 'rename', `syncFolder ${PART}`])
    await blobs.keep(await received(blobs, BYTES))
    // A file that is there may be that of a killed process.
    assert.deepEqual(steps(), ['rename', `syncFolder ${PART}`])
  })

  inFolder('is not created by reading', async (folder, blobs) => {
    assert.equal(await blobs.open(HASH), undefined)
    for await (const each of blobs.list()) assert.fail(each.sha256)
    await blobs.clean(0)
    assert.throws(() => statSync(folder), { code: 'ENOENT' })
  })

  inFolder('gets a file again that is damaged', async (folder, blobs) => {
    await blobs.keep(await received(blobs, BYTES))
    for (const damaged of [BYTES.subarray(1), Buffer.alloc(BYTES.length, 'x')]) {
      writeFileSync(join(folder, PART, HASH), damaged)
      await blobs.keep(await received(blobs, BYTES))
      assert.deepEqual(readFileSync(join(folder, PART, HASH)), BYTES)
    }
  })

  inFolder('lists hashes only', async (folder, blobs) => {
    await blobs.keep(await received(blobs, BYTES))
    writeFileSync(join(folder, PART, 'notes.txt'), '')
    writeFileSync(join(folder, PART, `${HASH.startsWith('0') ? '1' : '0'}${HASH.slice(1)}`), '')
    writeFileSync(join(folder, 'zz'), '')
    const found: string[] = []
    for await (const { sha256 } of blobs.list()) found.push(sha256)
    assert.deepEqual(found, [HASH])
  })

  for (const name of ['', '..', '../../x', HASH.toUpperCase(), `${HASH}0`, `${HASH}\n`]) {
    inFolder(`refuses ${JSON.stringify(name)} as a hash`, async (_, blobs) => {
      await assert.rejects(blobs.open(name), /no SHA-256/)
      await assert.rejects(blobs.size(name), /no SHA-256/)
      await assert.rejects(blobs.remove(name), /no SHA-256/)
      await assert.rejects(blobs.keep({ path: '/nowhere', size: 0, sha256: name }), /no SHA-256/)
    })
  }

  inFolder('is complete or not there after a kill between any two steps', async (folder, blobs, disk) => {
    for (const kind of ['rename', 'syncFolder'] as const) {
      for (const moment of ['before', 'after'] as const) {
        const file = await received(blobs, BYTES)
        const killed = disk.hold(kind, moment)
        // In the place of the kill, it goes on at the end.
        const keeping = blobs.keep(file).catch(() => {})
        await killed.reached
        // What another process finds.
        const next = new FolderBlobs(folder, new ProcessLocks('another'))
        const size = await next.size(HASH)
        assert.ok(size === undefined || size === BYTES.length, `${moment} ${kind}: ${size}`)
        await next.clean(0)
        assert.deepEqual(readdirSync(next.incoming), [])
        killed.release()
        await keeping
        disk.mend()
        await next.remove(HASH)
      }
    }
  })
})
