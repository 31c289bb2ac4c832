import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { BodyTooLarge, type ReceiveOptions, receive } from '../../../src/store/blobs/receive.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { bytesOf, sha256Of } from '../../helpers/store/blob-contract.ts'
import { FaultyDisk } from '../../helpers/store/faulty-disk.ts'

/** A folder that does not exist yet, and a disk. */
const inFolder = (name: string, body: (folder: string, disk: FaultyDisk) => Promise<void>) =>
  test(name, async () => {
    await using temporary = await temporaryFolder()
    await body(join(temporary.path, 'incoming'), new FaultyDisk())
  })

async function* of(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

const options = (disk: FaultyDisk, more: Partial<ReceiveOptions> = {}): ReceiveOptions => ({ maxBytes: 2 ** 30, disk, ...more })

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

const BLOCK = 262_144
for (const parts of [[], [0], [1], [5, 0, 7], [BLOCK - 1, 1], [BLOCK], [BLOCK + 1], [3 * BLOCK, 1, 2 * BLOCK - 5, 70_000, 9]]) {
  inFolder(`a body in parts of ${parts.join(', ') || 'nothing'} becomes a file of its bytes`, async (folder, disk) => {
    const bodies = parts.map(bytesOf)
    const all = Buffer.concat(bodies)
    // Parts may lie in a buffer that is used again.
    const reused = async function* () {
      const buffer = Buffer.alloc(Math.max(0, ...parts))
      for (const body of bodies) {
        buffer.set(body)
        yield buffer.subarray(0, body.length)
        buffer.fill(0)
      }
    }
    const file = await receive(reused(), folder, options(disk, { maxBytes: all.length }))
    assert.deepEqual({ ...file, path: '' }, { path: '', size: all.length, sha256: sha256Of(all) })
    assert.ok(readFileSync(file.path).equals(all))
    assert.equal(statSync(file.path).mode & 0o777, 0o600)
    assert.equal(disk.synced.get(file.path), all.length, 'it is durable')
    assert.deepEqual(disk.done.at(-1)?.kind, 'close')
  })
}

inFolder('short writes are completed', async (folder, disk) => {
  disk.bytesPerWrite = 50_000
  const bytes = bytesOf(700_001)
  const file = await receive(of(bytes), folder, options(disk))
  assert.ok(readFileSync(file.path).equals(bytes))
})

inFolder('a body with a byte too many ends at once, and leaves nothing', async (folder, disk) => {
  let given = 0
  async function* endless() {
    for (;;) {
      given += 65_536
      yield Buffer.alloc(65_536)
    }
  }
  const maxBytes = 10 * 65_536 - 1
  await assert.rejects(
    receive(endless(), folder, options(disk, { maxBytes })),
    (error) => error instanceof BodyTooLarge && error.maxBytes === maxBytes,
  )
  assert.equal(given, 10 * 65_536)
  assert.deepEqual(namesIn(folder), [])
})

inFolder('a body that ends early fails by its own error, and leaves nothing', async (folder, disk) => {
  const failure = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
  async function* early() {
    yield bytesOf(BLOCK + 1)
    throw failure
  }
  await assert.rejects(receive(early(), folder, options(disk)), (error) => error === failure)
  assert.deepEqual(namesIn(folder), [])
})

inFolder('a stream that is destroyed fails, and leaves nothing', async (folder, disk) => {
  const stream = new PassThrough()
  stream.write(bytesOf(100))
  const receiving = receive(stream, folder, options(disk))
  setImmediate(() => stream.destroy(new Error('gone')))
  await assert.rejects(receiving, /gone/)
  assert.deepEqual(namesIn(folder), [])
})

for (const kind of ['create', 'write', 'sync', 'close'] as const) {
  for (const code of ['ENOSPC', 'EDQUOT']) {
    inFolder(`a disk that is full at ${kind} (${code}) is STORAGE_FULL, and leaves nothing`, async (folder, disk) => {
      disk.fail(code, kind)
      await assert.rejects(receive(of(bytesOf(3 * BLOCK)), folder, options(disk)), { name: 'AppError', code: 'STORAGE_FULL' })
      disk.mend()
      assert.deepEqual(namesIn(folder), [])
    })
  }
}

inFolder('another fault of the disk is an error of its own, and leaves nothing', async (folder, disk) => {
  disk.fail('EIO', 'write')
  await assert.rejects(receive(of(bytesOf(3 * BLOCK)), folder, options(disk)), { code: 'EIO' })
  disk.mend()
  assert.deepEqual(namesIn(folder), [])
})

inFolder('a source waits for the disk, so that few bytes are in memory', async (folder, disk) => {
  const held = disk.hold('write')
  let given = 0
  async function* fast() {
    for (let part = 0; part < 100; part++) {
      given += BLOCK
      yield Buffer.alloc(BLOCK)
    }
  }
  const receiving = receive(fast(), folder, options(disk))
  await held.reached
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  assert.ok(given <= 3 * BLOCK, `${given} bytes were taken`)
  disk.mend()
  held.release()
  assert.equal((await receiving).size, 100 * BLOCK)
})

inFolder('bodies at once have files of their own', async (folder, disk) => {
  const all = [1, 2, 3, 4, 5].map(bytesOf)
  const files = await Promise.all(all.map((bytes) => receive(of(bytes), folder, options(disk))))
  assert.equal(new Set(files.map(({ path }) => path)).size, all.length)
  for (const [index, { path }] of files.entries()) assert.ok(readFileSync(path).equals(all[index] ?? Buffer.alloc(0)))
})
