import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import type { BlobStore } from '../../../src/store/blobs/blob-store.ts'
import { FolderBlobs } from '../../../src/store/blobs/folder-blobs.ts'
import { ProcessLocks } from '../../../src/store/blobs/hash-locks.ts'
import { receive } from '../../../src/store/blobs/receive.ts'
import { nodeDisk } from '../../../src/store/embedded/files/disk.ts'
import { temporaryFolder } from '../../helpers/fixture.ts'
import { NO_POSTGRES, sharedDatabase } from '../../helpers/postgres/server.ts'
import { inDatabase } from './database-places.ts'

const MEBIBYTE = 2 ** 20
const SIZE = 256 * MEBIBYTE
/** Below the size of the file, and above what the garbage collector leaves for later beside other tests. */
const MAX_GROWTH = 192 * MEBIBYTE

async function* large(): AsyncGenerator<Buffer> {
  for (let part = 0; part < SIZE / 65_536; part++) {
    const bytes = Buffer.alloc(65_536, part % 251)
    bytes.writeUInt32LE(part)
    yield bytes
  }
}

/** Receives, keeps and reads a large file, and sees how far the memory of the process grows meanwhile. */
async function keepsInBoundedMemory(blobs: BlobStore): Promise<void> {
  const start = process.memoryUsage.rss()
  let peak = start
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const looking = setInterval(look, 5)
  try {
    const file = await receive(large(), blobs.incoming, { maxBytes: SIZE })
    await blobs.keep(file)
    const hash = createHash('sha256')
    for await (const bytes of (await blobs.open(file.sha256)) ?? []) {
      hash.update(bytes)
      look()
    }
    assert.equal(hash.digest('hex'), file.sha256)
  } finally {
    clearInterval(looking)
  }
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
