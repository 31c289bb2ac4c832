import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { FileStore } from '../../../../src/store/embedded/file-store.ts'
import { compactFolder } from '../../../../src/store/embedded/files/data-folder.ts'
import { examine, repairInto } from '../../../../src/store/embedded/files/doctor.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { libraryRegistry } from '../../../helpers/store/library.ts'
import { testsOf } from '../../../helpers/tests-of.ts'
import { copyAsCrashed, folderTest, genresOnDisk, inFolder, journalsIn, whenOpened } from '../folder.ts'

const LOSS = /db\.json names journal\.3\.log, which is missing, so the changes after transaction 2 are lost/

/** Calls `body` with a copy of a folder after a crash, without the journal: two transactions are in `db.json`, and one was in the journal. */
async function withoutJournal(body: (image: string, beside: string) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder()
  const image = join(temporary.path, 'data')
  await inFolder(async ({ shelves, folder, reopen }) => {
    for (const name of ['a', 'b']) await shelves.add('genre', { name })
    const again = await reopen()
    await again.shelves.add('genre', { name: 'c' })
    copyAsCrashed(folder, image)
  })
  assert.deepEqual(await genresOnDisk(image), ['a', 'b', 'c'])
  rmSync(join(image, 'journal.3.log'))
  await body(image, join(temporary.path, 'saved'))
}

const journallessTest = testsOf(withoutJournal)

const journalNamedIn = (file: string): string | undefined => /^"journal": "(.*)",$/m.exec(readFileSync(file, 'utf8'))?.[1]

describe('a journal that was removed', () => {
  journallessTest('prevents a start, which changes nothing', async (image) => {
    const before = readFileSync(join(image, 'db.json'), 'utf8')
    for (const mode of ['write', 'read'] as const) {
      await assert.rejects(FileStore.open(image, libraryRegistry(), mode), { code: 'DATA_CORRUPT', message: LOSS })
    }
    await assert.rejects(compactFolder(image, libraryRegistry()), { code: 'DATA_CORRUPT', message: LOSS })
    assert.deepEqual(readdirSync(image), ['db.json'])
    assert.equal(readFileSync(join(image, 'db.json'), 'utf8'), before)
  })

  journallessTest('is reported by doctor and by a repair, which saves the rest', async (image, saved) => {
    const { sound, findings } = await examine(image, libraryRegistry())
    assert.equal(sound, false)
    assert.match(findings.map(({ file, message }) => `${file} ${message}`).join('\n'), LOSS)
    const { leftOut, records } = await repairInto(image, saved)
    assert.match(leftOut.join('\n'), LOSS)
    assert.equal(records, 2)
    assert.deepEqual(await genresOnDisk(saved), ['a', 'b'])
  })

  journallessTest('is reported beside other damage of db.json', async (image, saved) => {
    const file = join(image, 'db.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"name":"a"', '"name":"a'))
    const { findings } = await examine(image, libraryRegistry())
    assert.match(findings.map(({ file: name, message }) => `${name} ${message}`).join('\n'), LOSS)
    const { leftOut } = await repairInto(image, saved)
    assert.equal(leftOut.length, 2)
    assert.match(leftOut.join('\n'), LOSS)
  })

  journallessTest('is accepted by `admin compact --accept`', async (image) => {
    await compactFolder(image, libraryRegistry(), { accept: true })
    assert.equal(journalNamedIn(join(image, 'db.json')), undefined)
    await whenOpened(image, async (shelves) => void (await shelves.add('genre', { name: 'd' })))
    assert.deepEqual(await genresOnDisk(image), ['a', 'b', 'd'])
  })

  test('is noticed in a folder that was new, too', async () => {
    const temporary = await temporaryFolder()
    const image = join(temporary.path, 'data')
    await inFolder(async ({ shelves, folder }) => {
      await shelves.add('genre', { name: 'a' })
      copyAsCrashed(folder, image)
    })
    rmSync(join(image, 'journal.1.log'))
    await assert.rejects(FileStore.open(image, libraryRegistry(), 'write'), {
      message: /names journal\.1\.log, which is missing/,
    })
    await temporary.remove()
  })
})

describe('db.json names no journal', () => {
  test('after a close, so that it is complete without other files', async () => {
    const temporary = await temporaryFolder()
    const other = join(temporary.path, 'cloned')
    await inFolder(async ({ shelves, file, store }) => {
      await shelves.add('genre', { name: 'a' })
      await store.close()
      assert.equal(journalNamedIn(file), undefined)
      mkdirSync(other)
      cpSync(file, join(other, 'db.json'))
    })
    assert.deepEqual(await genresOnDisk(other), ['a'])
    await whenOpened(other, async (shelves) => void (await shelves.add('genre', { name: 'b' })))
    await temporary.remove()
  })

  folderTest('in a copy of a snapshot; the next transaction names it again', async ({ shelves, store, file, folder }) => {
    await shelves.add('genre', { name: 'a' })
    assert.equal(journalNamedIn(file), 'journal.1.log')
    assert.equal(await store.withSnapshot(async (path) => journalNamedIn(path)), undefined)
    await shelves.add('genre', { name: 'b' })
    const [journal] = journalsIn(folder)
    assert.equal(journalNamedIn(file), journal)
    assert.equal(journal, 'journal.2.log')
  })
})

folderTest(
  'db.json names the next journal after a compaction beside writes',
  async ({ shelves, file, folder, reopen }) => {
    await shelves.add('genre', { name: 'first' })
    let count = 1
    while (journalNamedIn(file) === 'journal.1.log') await shelves.add('genre', { name: `genre ${count++}` })
    const named = journalNamedIn(file) ?? ''
    assert.ok(journalsIn(folder).includes(named), named)
    const { shelves: again } = await reopen()
    assert.equal((await again.ids('genre')).length, count)
  },
  { minJournalBytes: 1000 },
)
