import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import type { BlobStore, ByteRange, KeptBlob, ReceivedFile } from '../../../src/store/blobs/blob-store.ts'
import { receive } from '../../../src/store/blobs/receive.ts'
import type { Disk } from '../../../src/store/embedded/files/disk.ts'
import { FaultyDisk, type StepKind } from './faulty-disk.ts'

/** Stores of a test on the same bytes. */
export interface OpenedBlobs extends AsyncDisposable {
  readonly one: BlobStore
  /** As in another process. */
  readonly other: BlobStore
}

/** Opens stores on bytes of their own, of which there are none. */
export type OpenBlobs = (options: { readonly disk: Disk }) => Promise<OpenedBlobs>

const MEBIBYTE = 2 ** 20

/** Bytes that look like those of no other size, and in which no two chunks are equal. */
export function bytesOf(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at++) bytes[at] = (at ^ (at >> 7) ^ (at >> 15) ^ (at >> 20) ^ size) & 0xff
  return bytes
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function* inParts(bytes: Buffer, partBytes = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes)
}

/** Receives bytes for a store. */
export const received = (blobs: BlobStore, bytes: Buffer): Promise<ReceivedFile> =>
  receive(inParts(bytes), blobs.incoming, { maxBytes: bytes.length })

async function keep(blobs: BlobStore, bytes: Buffer): Promise<string> {
  const file = await received(blobs, bytes)
  await blobs.keep(file)
  return file.sha256
}

async function read(blobs: BlobStore, sha256: string, range?: ByteRange): Promise<Buffer | undefined> {
  const stream = await blobs.open(sha256, range)
  return stream && (await buffer(stream))
}

async function listed(blobs: BlobStore): Promise<KeptBlob[]> {
  const found: KeptBlob[] = []
  for await (const each of blobs.list()) found.push(each)
  return found
}

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/**
 * What every store of bytes must do.
 *
 * @param fullAt steps of a disk at which `keep` may find it full
 * @param excludes false if two stores cannot exclude each other, since their database has one connection
 */
export function blobContract(
  name: string,
  open: OpenBlobs,
  {
    skip,
    fullAt,
    excludes = true,
  }: { readonly skip?: string | undefined; readonly fullAt: readonly StepKind[]; readonly excludes?: boolean },
): void {
  const it = (title: string, body: (opened: OpenedBlobs, disk: FaultyDisk) => Promise<void>) =>
    test(title, async () => {
      const disk = new FaultyDisk()
      await using opened = await open({ disk })
      await body(opened, disk)
    })

  describe(`bytes of files: ${name}`, { ...(skip !== undefined && { skip }) }, () => {
    for (const size of [0, 1, 100_000, MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE + 5]) {
      it(`${size} bytes are read as they were kept, in another process too`, async ({ one, other }) => {
        const bytes = bytesOf(size)
        const sha256 = await keep(one, bytes)
        assert.equal(sha256, sha256Of(bytes))
        for (const blobs of [one, other]) {
          assert.ok((await read(blobs, sha256))?.equals(bytes))
          assert.equal(await blobs.size(sha256), size)
        }
        assert.deepEqual(filesIn(one.incoming), [])
      })
    }

    it('ranges are parts of the bytes', async ({ one }) => {
      const bytes = bytesOf(3 * MEBIBYTE + 5)
      const sha256 = await keep(one, bytes)
      const last = bytes.length - 1
      const ranges: readonly (readonly [number, number])[] = [
        ...([
          [0, 0],
          [1, 1],
          [last, last],
          [0, last],
          [5, 99],
        ] as const),
        ...([
          [MEBIBYTE - 1, MEBIBYTE],
          [MEBIBYTE, MEBIBYTE],
          [MEBIBYTE - 1, MEBIBYTE - 1],
        ] as const),
        ...([
          [MEBIBYTE, 2 * MEBIBYTE - 1],
          [10, 2 * MEBIBYTE + 10],
          [3 * MEBIBYTE, last],
          [MEBIBYTE + 7, last],
        ] as const),
      ]
      for (const [start, end] of ranges) {
        const part = await read(one, sha256, { start, end })
        assert.ok(part?.equals(bytes.subarray(start, end + 1)), `${start}-${end}: ${part?.length} bytes`)
      }
    })

    it('a hash that is not kept has no bytes and no size, and may be removed', async ({ one }) => {
      const unknown = sha256Of(Buffer.from('unknown'))
      assert.equal(await one.open(unknown), undefined)
      assert.equal(await one.open(unknown, { start: 0, end: 0 }), undefined)
      assert.equal(await one.size(unknown), undefined)
      await one.remove(unknown)
      assert.deepEqual(await listed(one), [])
    })

    it('bytes that are kept twice are there once, also if both are kept at the same time', async ({ one, other }) => {
      const bytes = bytesOf(2 * MEBIBYTE + 1)
      await Promise.all([keep(one, bytes), keep(other, bytes), keep(one, bytes)])
      const sha256 = await keep(other, bytes)
      assert.deepEqual(
        (await listed(one)).map(({ sha256: hash, size }) => [hash, size]),
        [[sha256, bytes.length]],
      )
      assert.ok((await read(one, sha256))?.equals(bytes))
      assert.deepEqual([...filesIn(one.incoming), ...filesIn(other.incoming)], [])
    })

    it('a list has every hash with its size and when it was kept, in their order', async ({ one, other }) => {
      const before = Date.now()
      const all = [0, 1, 10, MEBIBYTE + 1].map(bytesOf)
      for (const bytes of all) await keep(one, bytes)
      const found = await listed(other)
      const expected = all.map((bytes) => [sha256Of(bytes), bytes.length] as const).sort(([a], [b]) => (a < b ? -1 : 1))
      assert.deepEqual(
        found.map(({ sha256, size }) => [sha256, size]),
        expected,
      )
      // The clock of a database need not be that of the process to the second.
      for (const { keptAt } of found) assert.ok(keptAt > before - 60_000 && keptAt < Date.now() + 60_000, String(keptAt))
    })

    it('removed bytes are gone, and can be kept again', async ({ one, other }) => {
      const [gone, stays] = [bytesOf(MEBIBYTE + 1), bytesOf(5)]
      const sha256 = await keep(one, gone)
      await keep(one, stays)
      await other.exclusively(sha256, () => other.remove(sha256))
      assert.equal(await one.open(sha256), undefined)
      assert.equal(await one.size(sha256), undefined)
      assert.deepEqual(
        (await listed(one)).map(({ size }) => size),
        [5],
      )
      await keep(one, gone)
      assert.ok((await read(other, sha256))?.equals(gone))
    })

    it('a stream may be left before its end', async ({ one }) => {
      const bytes = bytesOf(4 * MEBIBYTE)
      const stream = (await one.open(await keep(one, bytes))) ?? assert.fail('There are no bytes')
      for await (const part of stream) {
        assert.ok(part.length > 0)
        break
      }
      assert.ok(stream.destroyed)
    })

    it('free space is known before the first file, and later', async ({ one }) => {
      assert.ok((await one.free()) > 0)
      await keep(one, bytesOf(1))
      assert.ok((await one.free()) > 0)
    })

    it('received files are removed when they are old enough', async ({ one }) => {
      await one.clean(0)
      await received(one, bytesOf(1))
      await one.clean(3_600_000)
      assert.equal(filesIn(one.incoming).length, 1)
      await one.clean(0)
      assert.deepEqual(filesIn(one.incoming), [])
    })

    it('work for a hash excludes other work for it, in another process too; work for another hash goes on', async ({
      one,
      other,
    }) => {
      const [hash, another] = [sha256Of(bytesOf(1)), sha256Of(bytesOf(2))]
      const events: string[] = []
      let leave = () => {}
      const left = new Promise<void>((resolve) => {
        leave = resolve
      })
      let enter = () => {}
      const entered = new Promise<void>((resolve) => {
        enter = resolve
      })
      const first = one.exclusively(hash, async () => {
        enter()
        await left
        events.push('first')
      })
      await entered
      const waiting = [one, other].map((blobs) => blobs.exclusively(hash, async () => events.push('later')))
      if (excludes) await other.exclusively(another, async () => events.push('another'))
      const both = other.exclusively([another, hash], async () => events.push('later'))
      if (excludes) await one.exclusively(sha256Of(bytesOf(3)), async () => events.push('another'))
      leave()
      await Promise.all([first, ...waiting, both])
      const laters = ['later', 'later', 'later']
      assert.deepEqual(events, excludes ? ['another', 'another', 'first', ...laters] : ['first', ...laters])
    })

    it('work that fails ends its exclusion, and its error is that of the caller', async ({ one, other }) => {
      const hash = sha256Of(bytesOf(1))
      const failure = new Error('no')
      await assert.rejects(
        one.exclusively(hash, () => Promise.reject(failure)),
        (error) => error === failure,
      )
      assert.equal(await other.exclusively(hash, async () => 'yes'), 'yes')
    })

    it('more work at once than there are connections comes to its end', async ({ one, other }) => {
      const counts = new Map<number, number>()
      const run = async (index: number) => {
        const bytes = bytesOf(10 + (index % 7))
        const blobs = index % 2 === 0 ? one : other
        await blobs.exclusively(sha256Of(bytes), async () => {
          const before = counts.get(bytes.length) ?? 0
          assert.equal(before, 0)
          counts.set(bytes.length, 1)
          if (index % 3 === 0) await blobs.remove(sha256Of(bytes))
          else await keep(blobs, bytes)
          counts.set(bytes.length, 0)
        })
      }
      await Promise.all(Array.from({ length: 60 }, (_, index) => run(index)))
    })

    it('a full disk at keep is STORAGE_FULL, and leaves nothing behind', async ({ one }, disk) => {
      const bytes = bytesOf(10)
      for (const kind of fullAt) {
        const file = await received(one, bytes)
        disk.fail('ENOSPC', kind)
        await assert.rejects(one.keep(file), { name: 'AppError', code: 'STORAGE_FULL' }, kind)
        disk.mend()
        assert.deepEqual(filesIn(one.incoming), [], kind)
        // After a sync that failed the bytes may be there, as after a kill.
        if (kind !== 'syncFolder') assert.equal(await one.size(file.sha256), undefined, kind)
      }
      const sha256 = await keep(one, bytes)
      assert.ok((await read(one, sha256))?.equals(bytes))
    })
  })
}
