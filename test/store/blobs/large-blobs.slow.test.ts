import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import type { BlobStore } from '../../../src/store/blobs/blob-store.ts'
import { FolderBlobs } from '../../../src/store/blobs/folder-blobs.ts'
import { ProcessLocks } from '../../../src/store/blobs/hash-locks.ts'
import { receive } from '../../../src/store/blobs/receive.ts'
import { nodeDisk } from '../../../src/store/embedded/files/disk.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { collectGarbage } from '../../helpers/garbage.ts'
import { NO_POSTGRES, sharedDatabase } from '../../helpers/postgres/server.ts'
import { inDatabase } from './database-places.ts'

const MEBIBYTE = 2 ** 20
const SIZE = 256 * MEBIBYTE
/** How much memory may be in use beyond that of the start, in bytes. */
const MAX_GROWTH = 64 * MEBIBYTE
/** How much of the file is received or read between two looks at the memory in use, in bytes. */
const BETWEEN_LOOKS = 16 * MEBIBYTE

async function* large(): AsyncGenerator<Buffer> {
  for (let part = 0; part < SIZE / 65_536; part++) {
    const bytes = Buffer.alloc(65_536, part % 251)
    bytes.writeUInt32LE(part)
    yield bytes
  }
}

/** Bytes in use, in the heap and beside it, when what is not in use is collected. What the process keeps for later is not counted. */
function inUse(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Passes a stream on, and calls a function every 16 MiB. */
async function* watched(bytes: AsyncIterable<Uint8Array>, look: () => void): AsyncGenerator<Uint8Array> {
  let passed = 0
  for await (const part of bytes) {
    passed += part.length
    if (passed >= BETWEEN_LOOKS) {
      look()
      passed = 0
    }
    yield part
  }
}

/** Receives, keeps and reads a large file, and sees how much more memory is in use meanwhile. */
async function keepsInBoundedMemory(blobs: BlobStore): Promise<void> {
  const start = inUse()
  let [peak, looks] = [start, 0]
  const look = () => {
    peak = Math.max(peak, inUse())
    looks++
  }
  const file = await receive(watched(large(), look), blobs.incoming, { maxBytes: SIZE })
  const keeping = setInterval(look, 50)
  await blobs.keep(file).finally(() => clearInterval(keeping))
  const hash = createHash('sha256')
  const kept = await blobs.open(file.sha256)
  assert.ok(kept !== undefined)
  for await (const bytes of watched(kept, look)) hash.update(bytes)
  assert.equal(hash.digest('hex'), file.sha256)
  assert.ok(looks >= 2 * (SIZE / BETWEEN_LOOKS), `${looks} looks`)
  assert.ok(peak - start < MAX_GROWTH, `${Math.round((peak - start) / MEBIBYTE)} MiB for a file of 256 MiB`)
}

describe('a file of 256 MiB takes little memory', () => {
  test('in a folder', async () => {
    await using folder = await temporaryFolder()
    await keepsInBoundedMemory(new FolderBlobs(folder.path, new ProcessLocks(folder.path)))
  })

  test('in PostgreSQL', { ...(NO_POSTGRES !== undefined && { skip: NO_POSTGRES }) }, async () => {
    const database = await sharedDatabase()
    await using opened = await inDatabase(async () => [database, database])({ disk: nodeDisk })
    await keepsInBoundedMemory(opened.one)
  })
})
