import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { AppError } from '../../../../src/errors.ts'
import { FileStore } from '../../../../src/store/embedded/file-store.ts'
import { nodeDisk } from '../../../../src/store/embedded/files/disk.ts'
import { surveyJournal } from '../../../../src/store/embedded/files/journal.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { FaultyDisk } from '../../../helpers/store/faulty-disk.ts'
import { insert, Library, libraryRegistry, remove, update } from '../../../helpers/store/library.ts'
import { testsOf } from '../../../helpers/tests-of.ts'
import { Counting, counter, countOf } from '../counting.ts'
import { copyAsCrashed, folderTest, inFolder, journalsIn, onDisk, whenOpened } from '../folder.ts'

/** Calls `use` with a copy of a folder as a crash after some transactions leaves it. */
async function afterCrash(body: (image: string, count: number) => Promise<void>, count = 30): Promise<void> {
  await using temporary = await temporaryFolder()
  const image = join(temporary.path, 'data')
  await inFolder(async ({ shelves, store, folder }) => {
    await shelves.accept([counter])
    await new Counting(store).writeUntil(count, 1)
    copyAsCrashed(folder, image)
  })
  await body(image, count)
}

const crashTest = testsOf(afterCrash)

/** The files of a folder with their content. */
const filesOf = (folder: string): [string, string][] =>
  readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), 'latin1')])

/** Asserts that a folder can be opened neither for writing nor for reading, that the error names all words, and that no file changes. */
async function assertCorrupt(folder: string, ...words: readonly string[]): Promise<void> {
  const before = filesOf(folder)
  for (const mode of ['write', 'read'] as const) {
    await assert.rejects(FileStore.open(folder, libraryRegistry(), mode), (error: unknown) => {
      assert.ok(error instanceof AppError, String(error))
      assert.equal(error.code, 'DATA_CORRUPT')
      for (const word of words) assert.ok(error.message.includes(word), `${error.message} does not say ${word}`)
      return true
    })
    assert.deepEqual(filesOf(folder), before)
  }
}

describe('after a crash', () => {
  crashTest('all acknowledged transactions are there, also after a second crash right behind it', async (image, count) => {
    for (let crash = 1; crash <= 3; crash++) {
      await whenOpened(image, async (shelves, warnings) => {
        assert.equal(countOf(await shelves.everything(), `crash ${crash}`), count)
        assert.deepEqual(warnings, [])
        // Copied before the next write.
        copyAsCrashed(image, `${image}.${crash}`)
      })
      image = `${image}.${crash}`
    }
  })

  test('updates, removals, links, cascades and next ids are restored', async () => {
    await using temporary = await temporaryFolder()
    await inFolder(async ({ shelves, folder }) => {
      await shelves.add('series', { name: 's' })
      await shelves.accept(['a', 'b', 'c'].map((name) => insert('genre', { name })))
      await shelves.addBook({ series_id: 1, genres: [3, 1, 2], meta: { ü: [1, null, { a: '\n' }] } })
      await shelves.addBook({ genres: [2] })
      await shelves.accept([
        insert('review', { book_id: 1 }),
        insert('cover', { book_id: 1 }),
        insert('genre', { name: 'z' }, 50),
      ])
      await shelves.accept([remove('genre', 2), update('genre', 1, { name: 'b' })])
      await shelves.accept([remove('series', 1), remove('genre', 50)])
      const expected = await shelves.everything()
      copyAsCrashed(folder, temporary.path)
      await whenOpened(temporary.path, async (again) => {
        assert.deepEqual(await again.everything(), expected)
        assert.equal((await again.add('genre', { name: 'new' })).id, 51)
        assert.equal((await again.add('book', { title: 'new', isbn: 'new', author_id: 1 })).id, 3)
        await again.refuse([insert('genre', { name: 'b' })], [{ kind: 'unique', index: 0, field: 'name' }])
      })
    })
  })

  crashTest('tables of models that no longer exist are kept', async (image, count) => {
    const without = await FileStore.open(image, libraryRegistry(['category', 'series', 'book', 'cover', 'review']), 'write')
    await new Library(without).add('genre', { name: 'a' })
    copyAsCrashed(image, `${image}.second`)
    await without.close()
    for (const folder of [image, `${image}.second`]) {
      await whenOpened(folder, async (shelves) => {
        const everything = await shelves.everything()
        assert.equal(countOf(everything), count)
        assert.deepEqual(everything.genre, [{ id: 1, name: 'a' }])
      })
    }
  })

  crashTest('a journal that is truncated anywhere in its last lines starts with at most one warning', async (image, count) => {
    const bytes = readFileSync(join(image, 'journal.1.log'))
    const ends = [...bytes.keys()].filter((offset) => bytes[offset] === 0x0a).map((offset) => offset + 1)
    const path = join(image, 'journal.1.log')
    const last = ends.at(-2) ?? 0
    for (const length of [1, 17, 18, 19, last - 1, last, last + 1, last + 9, last + 18, bytes.length - 1, bytes.length]) {
      rmSync(join(image, 'db.json'), { force: true })
      writeFileSync(path, bytes.subarray(0, length))
      const whole = ends.filter((end) => end <= length).length
      const good = ends[whole - 1] ?? 0
      // Opening for reading neither warns nor locks.
      assert.equal((await onDisk(image)).author?.length, whole > 0 ? 1 : 0)
      assert.equal(readFileSync(path).length, length)
      await whenOpened(image, async (shelves, warnings) => {
        const everything = await shelves.everything()
        assert.equal(countOf(everything, `cut at ${length}`), Math.max(0, whole - 1))
        assert.equal(everything.author?.length, whole > 0 ? 1 : 0)
        assert.equal(warnings.length, good === length ? 0 : 1, warnings.join('\n'))
        for (const text of warnings) assert.ok(text.includes(path) && text.includes(` ${length - good} bytes`), text)
        await shelves.add('genre', { name: 'a' })
      })
      assert.deepEqual((await onDisk(image)).genre, [{ id: 1, name: 'a' }])
      assert.deepEqual(journalsIn(image), [])
    }
    assert.equal(ends.length, count + 1)
  })
})

const twoJournalsTest = testsOf(withTwoJournals)

describe('a damaged journal', () => {
  crashTest('with valid transactions behind the damage prevents a start, naming file and byte', async (image) => {
    const path = join(image, 'journal.1.log')
    const bytes = readFileSync(path)
    const lines = bytes.toString().trimEnd().split('\n')
    let start = 0
    for (const line of lines.slice(0, -1)) {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt8(bytes.readUInt8(start + 30) ^ 1, start + 30)
      writeFileSync(path, damaged)
      await assertCorrupt(image, path, `byte ${start},`)
      start += line.length + 1
    }
    writeFileSync(path, bytes)
    await whenOpened(image, async (shelves) => assert.equal(countOf(await shelves.everything()), lines.length - 1))
  })

  crashTest('with a missing line prevents a start', async (image) => {
    const path = join(image, 'journal.1.log')
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, lines.toSpliced(5, 1).join('\n'))
    await assertCorrupt(image, path, `byte ${lines.slice(0, 5).join('\n').length + 1},`)
  })

  twoJournalsTest('that is sealed and torn prevents a start', async (image, [sealed = '']) => {
    const path = join(image, sealed)
    truncateSync(path, readFileSync(path).length - 3)
    await assertCorrupt(image, path, 'byte ')
  })

  twoJournalsTest('with a missing file prevents a start', async (image, [sealed = '', current = '']) => {
    rmSync(join(image, sealed))
    await assertCorrupt(image, join(image, current))
  })

  crashTest('that ends before the snapshot prevents a start, since it belongs to other data', async (image) => {
    const path = join(image, 'journal.1.log')
    const bytes = readFileSync(path)
    await whenOpened(image, (shelves) => shelves.add('genre', { name: 'a' }))
    const db = readFileSync(join(image, 'db.json'))
    for (const [name, content] of [
      ['journal.1.log', bytes],
      ['journal.1.log', bytes.subarray(0, bytes.indexOf('\n') + 1)],
    ] as const) {
      writeFileSync(join(image, name), content)
      const ends = content.toString().split('\n').length - 1
      await assertCorrupt(image, path, `ends with transaction ${ends}, but db.json is at 32, so they do not belong together`)
      assert.equal((await surveyJournal(image, nodeDisk, { sequence: 32 })).findings[0]?.level, 'error')
    }
    assert.deepEqual(readFileSync(join(image, 'db.json')), db)
    rmSync(path)
    await whenOpened(image, async (shelves) => assert.deepEqual(await shelves.ids('genre'), [1]))
  })

  twoJournalsTest('that is torn before an empty file starts with a warning', async (image, [sealed = '', current = '']) => {
    truncateSync(join(image, current), 0)
    writeFileSync(join(image, sealed), '0000', { flag: 'a' })
    const { findings } = await surveyJournal(image, nodeDisk, { sequence: 0 })
    assert.deepEqual([findings.length, findings[0]?.level], [1, 'warning'])
    const count = countOf(await onDisk(image))
    await whenOpened(image, async (shelves, warnings) => {
      assert.match(warnings.join('\n'), /ended with an unfinished write of 4 bytes/)
      assert.equal(countOf(await shelves.everything()), count)
    })
    assert.deepEqual(readdirSync(image), ['db.json'])
  })

  twoJournalsTest('with a missing file before an empty one prevents a start', async (image, [sealed = '', current = '']) => {
    rmSync(join(image, sealed))
    truncateSync(join(image, current), 0)
    await assertCorrupt(image, join(image, current))
  })
})

/** The same for a crash before a sealed journal was compacted: no snapshot, and two journals that are not empty. */
async function withTwoJournals(body: (image: string, journals: string[]) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder()
  const image = join(temporary.path, 'data')
  const disk = new FaultyDisk()
  await inFolder(
    async ({ shelves, store, folder }) => {
      await shelves.accept([counter])
      const { reached, release } = disk.hold('remove')
      const counting = new Counting(store)
      await counting.writeUntil(10, 1)
      await reached
      await counting.writeUntil(20, 1)
      copyAsCrashed(folder, image)
      // The state before the snapshot was renamed into place.
      rmSync(join(image, 'db.json'))
      release()
    },
    { disk, minJournalBytes: 500 },
  )
  const journals = readdirSync(image).sort((a, b) => Number(a.split('.')[1]) - Number(b.split('.')[1]))
  assert.equal(journals.length, 2, journals.join())
  assert.equal(countOf(await onDisk(image)), 20)
  await body(image, journals)
}

describe('reading beside a writer', () => {
  test('that compacts continuously never fails, and returns all transactions acknowledged before', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves, store, folder }) => {
        await shelves.accept([counter])
        const counting = new Counting(store)
        let isWriting = true
        const write = async () => {
          await counting.writeUntil(1500, 2)
          isWriting = false
        }
        let readings = 0
        const read = async () => {
          for (; isWriting; readings++) {
            const before = counting.acknowledged.size
            const found = countOf(await onDisk(folder), `reading ${readings}`)
            assert.ok(found >= before, `${before} were acknowledged before, ${found} were seen`)
            assert.ok(found <= counting.attempted, `${found} were seen, but only ${counting.attempted} attempted`)
          }
        }
        await Promise.all([write(), read()])
        assert.ok(readings > 5, `there were only ${readings} readings`)
        assert.ok(disk.count('remove') > 5, `there were only ${disk.count('remove')} compactions`)
      },
      { disk, minJournalBytes: 300 },
    )
  })

  for (const kind of ['list', 'read'] as const) {
    folderTest(
      `that closes just before the reader's first ${kind} returns all records`,
      async ({ shelves, store, folder, registry }) => {
        await shelves.add('genre', { name: 'a' })
        const disk = new FaultyDisk()
        disk.before = async (step) => {
          if (step.kind === kind) await store.close()
        }
        const reader = await FileStore.open(folder, registry, 'read', { disk })
        assert.deepEqual(await new Library(reader).ids('genre'), [1])
        await reader.close()
      },
    )
  }

  test('that compacts after the reader has read db.json, and before it reads the journal, returns all records', async () => {
    const writer = new FaultyDisk()
    await inFolder(
      async ({ shelves, folder, registry }) => {
        await shelves.add('category', { name: '' })
        const disk = new FaultyDisk()
        disk.before = async ({ kind }) => {
          if (kind === 'list' && disk.count('list') === 0) await compact(shelves, writer, 0)
        }
        const reader = await FileStore.open(folder, registry, 'read', { disk })
        assert.deepEqual(await new Library(reader).everything(), await shelves.everything())
        await reader.close()
      },
      { disk: writer, minJournalBytes: 100 },
    )
  })

  test('that does so many times in a row repeats the read until it succeeds', async () => {
    const writer = new FaultyDisk()
    await inFolder(
      async ({ shelves, folder, registry }) => {
        await shelves.add('category', { name: '' })
        const disk = new FaultyDisk()
        disk.before = async ({ kind }) => {
          if (kind !== 'list' || disk.count('list') >= 8) return
          await compact(shelves, writer, disk.count('list'))
          await shelves.add('genre', { name: `genre ${disk.count('list')}` })
        }
        const reader = await FileStore.open(folder, registry, 'read', { disk })
        assert.deepEqual(await new Library(reader).everything(), await shelves.everything())
        await reader.close()
      },
      { disk: writer, minJournalBytes: 100 },
    )
  })
})

/** Writes a record longer than the whole journal, and resolves when the compaction that it causes has ended. */
async function compact(shelves: Library, disk: FaultyDisk, time: number): Promise<void> {
  const compacted = new Promise<void>((resolve) => {
    disk.after = ({ kind }) => {
      if (kind === 'remove') resolve()
    }
  })
  await shelves.accept([update('category', 1, { name: 'x'.repeat(1000 * 2 ** time) })])
  await compacted
}
