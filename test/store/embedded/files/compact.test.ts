import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { compactFiles } from '../../../../src/store/embedded/files/compact.ts'
import { nodeDisk } from '../../../../src/store/embedded/files/disk.ts'
import { encodeEntry } from '../../../../src/store/embedded/files/journal-format.ts'
import type { Change, StoredRecord } from '../../../../src/store/store.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../helpers/fixture.ts'
import { diskError, FaultyDisk, type StepKind } from '../../../helpers/store/faulty-disk.ts'
import { Counting, counter, countOf } from '../counting.ts'
import { genresOnDisk, inFolder, journalsIn, onDisk } from '../folder.ts'

/** Reproducible numbers from 0 to below `limit` (a linear congruential generator, Numerical Recipes). */
function seeded(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const TABLES = ['a', 'b', 'c']

/** Compacts random journals one after the other, and compares the file with tables in memory. */
class Model {
  readonly #tables = new Map<string, Map<number, StoredRecord>>()
  readonly #folder: TemporaryFolder
  readonly #random: (limit: number) => number
  #sequence = 0

  constructor(folder: TemporaryFolder, seed: number) {
    this.#folder = folder
    this.#random = seeded(seed)
  }

  async round(transactions: number, ids: number): Promise<void> {
    const first = this.#sequence + 1
    const lines = Array.from({ length: transactions }, () => {
      const changes = Array.from({ length: this.#random(4) }, () => this.#change(ids))
      return [...encodeEntry(++this.#sequence, changes, new Map())].join('')
    })
    writeFileSync(join(this.#folder.path, `journal.${first}.log`), lines.join(''))
    await compactFiles({ folder: this.#folder.path }, nodeDisk)
  }

  #change(ids: number): Change {
    const table = TABLES[this.#random(TABLES.length)] ?? 'a'
    const records = this.#tables.get(table) ?? new Map<number, StoredRecord>()
    this.#tables.set(table, records)
    const id = 1 + this.#random(ids)
    const name = 'ü€'.repeat(this.#random(40))
    const record = [{ id, name }, { name, id }, { id }][this.#random(3)] ?? { id }
    const after = this.#random(4) === 0 ? undefined : record
    if (after === undefined) records.delete(id)
    else records.set(id, after)
    return { table, id, before: undefined, after }
  }

  check(): void {
    const { path } = this.#folder
    assert.deepEqual(readdirSync(path), ['db.json'])
    const { sequence, tables } = JSON.parse(readFileSync(join(path, 'db.json'), 'utf8'))
    assert.equal(sequence, this.#sequence)
    for (const [name, records] of this.#tables) {
      assert.deepEqual(
        tables[name].records,
        [...records.values()].sort((a, b) => a.id - b.id),
      )
    }
  }
}

describe('compaction', () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    test(`of one journal after another equals applying them in memory (seed ${seed})`, async () => {
      const folder = await temporaryFolder()
      const model = new Model(folder, seed)
      for (let round = 0; round < 25; round++) {
        // Ids in the middle, in front, behind; a handful and nearly all.
        await model.round(1 + (round % 7) * 20, [10, 300, 3000][round % 3] ?? 10)
        model.check()
      }
      await folder.remove()
    })
  }

  test('copies unchanged records byte by byte', async () => {
    const folder = await temporaryFolder()
    const changes = Array.from({ length: 5000 }, (_, index) => {
      const table = index % 2 === 0 ? 'stranger' : 'a'
      return { table, id: index + 1, before: undefined, after: { id: index + 1, text: 'ü'.repeat(300) } }
    })
    writeFileSync(join(folder.path, 'journal.1.log'), [...encodeEntry(1, changes, new Map([['stranger', 90_000]]))].join(''))
    await compactFiles({ folder: folder.path }, nodeDisk)
    const before = readFileSync(join(folder.path, 'db.json'), 'utf8').split('\n')
    const one = { table: 'a', id: 2002, before: undefined, after: undefined }
    writeFileSync(join(folder.path, 'journal.2.log'), [...encodeEntry(2, [one], new Map())].join(''))
    await compactFiles({ folder: folder.path }, nodeDisk)
    const after = readFileSync(join(folder.path, 'db.json'), 'utf8').split('\n')
    const gone = before.filter((line) => !after.includes(line))
    assert.deepEqual(
      gone.map((line) => line.slice(0, 14)),
      ['"sequence": 1,', '{"id":2002,"te', before.at(-3)?.slice(0, 14)],
    )
    assert.equal(after.length, before.length - 1)
    await folder.remove()
  })

  test('syncs the new file before the rename, and the folder before it removes the journal', async () => {
    const folder = await temporaryFolder()
    const line = [...encodeEntry(1, [{ table: 'a', id: 1, before: undefined, after: { id: 1 } }], new Map())].join('')
    writeFileSync(join(folder.path, 'journal.1.log'), line)
    const disk = new FaultyDisk()
    await compactFiles({ folder: folder.path }, disk)
    const steps = disk.done.map(({ kind, name }) => `${kind} ${name}`)
    const changing = steps.filter((step) => !/^(look|list|read|write) /.test(step))
    assert.deepEqual(changing, [
      'create db.json.new',
      'sync db.json.new',
      'close db.json.new',
      'rename db.json.new',
      `syncFolder ${basename(folder.path)}`,
      'remove journal.1.log',
    ])
    assert.ok(steps.lastIndexOf('write db.json.new') < steps.indexOf('sync db.json.new'), steps.join())
    await folder.remove()
  })

  test('removes journal files oldest first, and syncs each removal before the next', async () => {
    const folder = await temporaryFolder()
    for (const sequence of [1, 2, 10]) {
      const lines = Array.from({ length: sequence === 2 ? 8 : 1 }, (_, index) =>
        [...encodeEntry(sequence + index, [], new Map())].join(''),
      )
      writeFileSync(join(folder.path, `journal.${sequence}.log`), lines.join(''))
    }
    const disk = new FaultyDisk()
    await compactFiles({ folder: folder.path }, disk)
    const steps = disk.done.slice(disk.done.findIndex(({ kind }) => kind === 'rename')).map(({ kind, name }) => `${kind} ${name}`)
    const sync = `syncFolder ${basename(folder.path)}`
    const removed = ['remove journal.1.log', sync, 'remove journal.2.log', sync, 'remove journal.10.log']
    assert.deepEqual(
      steps.filter((step) => /^(sync|remove)/.test(step)),
      [sync, ...removed],
    )
    await folder.remove()
  })

  test('of a journal that the snapshot already contains only removes it', async () => {
    const folder = await temporaryFolder()
    const line = [...encodeEntry(1, [{ table: 'a', id: 1, before: undefined, after: { id: 1 } }], new Map())].join('')
    for (let time = 0; time < 2; time++) {
      writeFileSync(join(folder.path, 'journal.1.log'), line)
      await compactFiles({ folder: folder.path }, nodeDisk)
      assert.deepEqual(readdirSync(folder.path), ['db.json'])
    }
    assert.equal(JSON.parse(readFileSync(join(folder.path, 'db.json'), 'utf8')).sequence, 1)
    await folder.remove()
  })
})

/** Failures of writing a snapshot. */
const FAULTS: readonly (readonly [name: string, kind: StepKind, code: string])[] = [
  ['cannot be made', 'create', 'EACCES'],
  ['finds no room', 'write', 'ENOSPC'],
  ['cannot be confirmed', 'sync', 'EIO'],
  ['cannot be closed', 'close', 'EIO'],
  ['cannot be put in place', 'rename', 'EXDEV'],
]

describe('a new db.json that', () => {
  for (const [name, kind, code] of FAULTS) {
    test(`${name} (${code}) leaves the journal, and the store continues`, async () => {
      const disk = new FaultyDisk()
      const warnings: string[] = []
      await inFolder(
        async ({ shelves, store, folder, file }) => {
          await shelves.accept([counter])
          const counting = new Counting(store)
          await counting.writeUntil(20, 1)
          disk.before = (step) => {
            if (step.kind === kind && step.name === 'db.json.new') throw diskError(code)
          }
          await counting.writeUntil(120, 3)
          assert.equal(counting.acknowledged.size, counting.attempted)
          assert.ok(journalsIn(folder).length > 1, 'nothing was tried')
          assert.equal(countOf(await onDisk(folder)), counting.attempted)
          assert.ok(warnings.length > 0 && warnings.every((text) => text.includes(code)), warnings.join('\n'))
          disk.mend()
          await store.close()
          assert.deepEqual(readdirSync(folder), ['db.json'])
          assert.equal(countOf(await onDisk(folder)), counting.attempted)
          assert.equal(JSON.parse(readFileSync(file, 'utf8')).sequence, counting.attempted + 1)
        },
        { disk, minJournalBytes: 500, warn: (message) => warnings.push(message) },
      )
    })
  }

  test('accepts few bytes at a time is complete', async () => {
    const disk = new FaultyDisk()
    await inFolder(
      async ({ shelves, store, folder }) => {
        await shelves.add('genre', { name: 'ü'.repeat(50) })
        disk.bytesPerWrite = 3
        await store.close()
        assert.deepEqual(await genresOnDisk(folder), ['ü'.repeat(50)])
      },
      { disk },
    )
  })
})
