import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { repetitions } from '../../../helpers/counts.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { FaultyDisk, type Step } from '../../../helpers/store/faulty-disk.ts'
import { Counting, counter, countOf } from '../counting.ts'
import { copyAsCrashed, inFolder, journalsIn, onDisk, whenOpened } from '../folder.ts'

/** The parsed `db.json`. */
function parsed(folder: string): { sequence: number; tables: Record<string, { next_id: number; records: { id: number }[] }> } {
  return JSON.parse(readFileSync(join(folder, 'db.json'), 'utf8'))
}

/** Number of finished compactions, each of which removed one journal file. */
const compactions = (disk: FaultyDisk): number => disk.count('remove')

describe('a journal that is compacted while it is written', () => {
  for (const [writers, total] of [
    [1, repetitions(200, 1500)],
    [4, repetitions(400, 3000)],
    [25, repetitions(1000, 3000)],
  ] as const) {
    test(`by ${writers} loses nothing and applies nothing twice`, async () => {
      const disk = new FaultyDisk()
      const warnings: string[] = []
      await inFolder(
        async ({ shelves, store, folder, file, reopen }) => {
          await shelves.accept([counter])
          const counting = new Counting(store)
          await counting.writeUntil(total, writers)
          const { attempted } = counting
          assert.equal(counting.acknowledged.size, attempted)
          assert.ok(compactions(disk) >= 5, `there were only ${compactions(disk)} compactions`)
          assert.equal(countOf(await shelves.everything()), attempted)
          assert.equal(countOf(await onDisk(folder)), attempted)
          await store.close()
          assert.deepEqual(readdirSync(folder), ['db.json'])
          const { sequence, tables } = parsed(folder)
          assert.equal(sequence, attempted + 1)
          assert.equal(tables.category?.next_id, attempted + 1)
          const text = readFileSync(file, 'utf8')
          const again = await reopen()
          assert.equal(countOf(await again.shelves.everything()), attempted)
          await again.store.close()
          assert.equal(readFileSync(file, 'utf8'), text, 'opening and closing changed the file')
          const last = await reopen()
          assert.equal((await last.shelves.add('category', { name: 'next' })).id, attempted + 1)
          assert.deepEqual(warnings, [])
        },
        { disk, minJournalBytes: 1500, warn: (message) => warnings.push(message) },
      )
    })
  }

  test('is not compacted while it is shorter than the snapshot', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves }) => {
        await shelves.accept([counter])
        await shelves.accept(Array.from({ length: 500 }, () => ({ kind: 'insert', table: 'category', values: { name: 'x' } })))
        // One of them starts the first compaction; afterwards the snapshot is long and the journal short.
        for (let index = 0; index < 20; index++) await shelves.add('category', { name: 'y' })
        await shelves.store.close()
        assert.ok(compactions(disk) <= 2, `there were ${compactions(disk)} compactions`)
      },
      { disk, minJournalBytes: 100 },
    )
  })

  test('accepts writes while the snapshot is being written', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves, store, folder }) => {
        await shelves.accept([counter])
        const counting = new Counting(store)
        // The compaction waits before it removes the sealed journal.
        const { reached, release } = disk.hold('remove')
        await counting.writeUntil(30, 1)
        await reached
        await counting.writeUntil(200, 3)
        assert.equal(journalsIn(folder).length, 2, 'a second compaction began before the first had ended')
        assert.equal(countOf(await onDisk(folder)), counting.attempted)
        release()
        await store.close()
        assert.deepEqual(readdirSync(folder), ['db.json'])
        assert.equal(countOf(await onDisk(folder)), counting.attempted)
      },
      { disk, minJournalBytes: 500 },
    )
  })

  test('is complete although its sealed files cannot be removed', async () => {
    const disk = new FaultyDisk()
    const warnings: string[] = []
    await inFolder(
      async ({ shelves, store, folder, reopen }) => {
        await shelves.accept([counter])
        disk.fail('EPERM', 'remove')
        const counting = new Counting(store)
        await counting.writeUntil(100, 2)
        await store.close()
        assert.ok(warnings.length > 1, 'there was no warning')
        assert.ok(journalsIn(folder).length > 1, 'nothing was left')
        assert.equal(countOf(await onDisk(folder)), counting.attempted)
        disk.mend()
        const again = await reopen()
        assert.equal(countOf(await again.shelves.everything()), counting.attempted)
        await again.shelves.add('genre', { name: 'a' })
        await again.store.close()
        assert.deepEqual(readdirSync(folder), ['db.json'])
      },
      { disk, minJournalBytes: 500, warn: (message) => warnings.push(message) },
    )
  })
})

/** Crashes are tried up to this compaction, which begins with what the former ones have left. */
const LAST_COMPACTION = repetitions(2, 4)

/** A copy of the folder at one moment, with the records that it must contain and those that it may contain. */
interface Image {
  readonly at: string
  readonly path: string
  readonly acknowledged: number
  readonly attempted: number
}

/** Asserts that a start finds the acknowledged records, also after a second crash, and that writes continue. */
async function checkImage({ at, path, acknowledged, attempted }: Image): Promise<void> {
  const count = await whenOpened(path, async (shelves, warnings) => {
    const found = countOf(await shelves.everything(), at)
    assert.ok(found >= acknowledged, `${at}: of ${acknowledged} acknowledged there are ${found}`)
    assert.ok(found <= attempted, `${at}: of ${attempted} attempted there are ${found}`)
    assert.deepEqual(warnings, [], at)
    const second = `${path}.second`
    copyAsCrashed(path, second)
    await whenOpened(second, async (other) => assert.equal(countOf(await other.everything(), `${at}, twice`), found))
    assert.equal((await shelves.add('category', { name: 'next' })).id, found + 1, at)
    return found
  })
  assert.deepEqual(readdirSync(path), ['db.json'], at)
  assert.equal(parsed(path).sequence, count + 2, `${at}: transactions were counted twice, or not at all`)
}

describe('a crash between any two steps of a compaction', () => {
  for (const writers of [1, 6]) {
    test(`loses nothing (${writers} at a time)`, async () => {
      const images: Image[] = []
      await using temporary = await temporaryFolder()
      const disk = new FaultyDisk()
      await inFolder(
        async ({ shelves, store, folder }) => {
          await shelves.accept([counter])
          const counting = new Counting(store)
          const copy = (at: string) => {
            const path = join(temporary.path, `${images.length}`)
            copyAsCrashed(folder, path)
            images.push({ at, path, acknowledged: counting.acknowledged.size, attempted: counting.attempted })
            return path
          }
          const take = (when: string) => (step: Step) => {
            if (['write', 'sync', 'read'].includes(step.kind) || compactions(disk) > LAST_COMPACTION) return
            const at = `${when} ${step.kind} ${step.name}, compaction ${compactions(disk)}`
            copy(at)
            // The same while the next snapshot is half written.
            const path = copy(`${at}, with half a snapshot`)
            writeFileSync(join(path, 'db.json.new'), '{\n"format": 1,\n"sequence": 99999,\n"tables": {')
          }
          disk.before = take('before')
          disk.after = take('after')
          await counting.writeUntil(200, writers)
          await store.close()
        },
        { disk, minJournalBytes: 700 },
      )
      const moments = new Set(images.map(({ at }) => at.replaceAll(/\d+/g, '')))
      for (const kind of ['open journal', 'syncFolder data', 'close journal', 'list data', 'remove journal']) {
        for (const when of ['before', 'after']) {
          assert.ok(
            [...moments].some((at) => at.startsWith(`${when} ${kind}`)),
            `${when} ${kind} was not tried`,
          )
        }
      }
      for (const image of images) await checkImage(image)
    })
  }

  test('or of closing loses nothing', async () => {
    const images: Image[] = []
    await using temporary = await temporaryFolder()
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves, store, folder }) => {
        await shelves.accept([counter])
        const counting = new Counting(store)
        await counting.writeUntil(50, 3)
        const take = (when: string) => (step: Step) => {
          const path = join(temporary.path, `${images.length}`)
          copyAsCrashed(folder, path)
          const { acknowledged, attempted } = counting
          images.push({ at: `${when} ${step.kind} ${step.name}`, path, acknowledged: acknowledged.size, attempted })
        }
        disk.before = take('before')
        disk.after = take('after')
        await store.close()
      },
      { disk },
    )
    assert.ok(images.length >= 6, `there were only ${images.length} moments`)
    for (const image of images) await checkImage(image)
  })
})

test('journal files that a crash left behind after their compaction are removed by the next start or close', async () => {
  await using temporary = await temporaryFolder()
  const image = join(temporary.path, 'data')
  const disk = new FaultyDisk()
  await inFolder(
    async ({ shelves, store, folder }) => {
      await shelves.accept([counter])
      disk.before = ({ kind }) => {
        if (kind === 'remove') copyAsCrashed(folder, image)
      }
      await store.close()
    },
    { disk },
  )
  assert.deepEqual(readdirSync(image), ['db.json', 'journal.1.log'])
  await whenOpened(image, async (shelves) => assert.equal(countOf(await shelves.everything()), 0))
  assert.deepEqual(readdirSync(image), ['db.json'])
})
