import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { compiledScript } from '../../../helpers/compile.ts'
import { repetitions } from '../../../helpers/counts.ts'
import { temporaryFolder } from '../../../helpers/fixture.ts'
import { Child } from '../child.ts'
import { onDisk, whenOpened } from '../folder.ts'

const WRITERS = 5

const script = compiledScript(join(import.meta.dirname, '../kill-child.ts'))

/** Numbers from 0 to below 1 that are the same every time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Compactions of the children in all rounds. */
const compactions = { ended: 0, cutShort: 0 }

/** When a child is killed: after a number of lines, after a line with this text, and a delay. */
interface Moment {
  readonly lines: number
  readonly word?: string
  readonly milliseconds: number
}

/** @returns the lines that the child printed before it was killed */
async function run(folder: string, prefix: string, { lines, word, milliseconds }: Moment): Promise<string[]> {
  const child = new Child(await script, folder, prefix, `${WRITERS}`)
  try {
    const told: string[] = []
    while (told.length < lines || (word !== undefined && !told.includes(word))) told.push(await child.line())
    await delay(milliseconds)
    return [...told, ...(await child.kill())]
  } finally {
    await child.kill()
  }
}

/** The records that must exist and those that may, by name: the id, or undefined if it was not acknowledged. */
class Expectation {
  readonly must = new Map<string, number>()
  readonly may = new Map<string, number | undefined>()

  constructor(before: ReadonlyMap<string, number>, told: readonly string[], prefix: string) {
    for (const [name, id] of before) this.must.set(name, id)
    let next = 0
    for (const line of told) {
      const [, sign, id, name = ''] = /^([+-])(\d+) (.+)$/.exec(line) ?? []
      if (sign === '+') {
        next = Math.max(next, Number(name.split('-')[1]) + 1)
        // All but every fifth record are removed again. The removal is uncertain until it is acknowledged.
        const isKept = Number(name.split('-')[1]) % 5 === 0
        if (isKept) this.must.set(name, Number(id))
        else this.may.set(name, Number(id))
      } else if (sign === '-') this.may.delete(name)
    }
    const acknowledged = new Set(told.map((line) => line.split(' ')[1]))
    for (let number = 0; number < next + WRITERS; number++) {
      const name = `${prefix}-${number}`
      if (!acknowledged.has(name)) this.may.set(name, undefined)
    }
  }

  check(found: ReadonlyMap<string, number>, at: string): void {
    const lost = [...this.must].filter(([name, id]) => found.get(name) !== id)
    assert.deepEqual(lost, [], `${at}: acknowledged, and not there`)
    const phantoms = [...found].filter(([name, id]) => {
      if (this.must.has(name)) return false
      return !this.may.has(name) || (this.may.get(name) ?? id) !== id
    })
    assert.deepEqual(phantoms, [], `${at}: there, and never asked for, or removed`)
  }
}

/** Some rounds end right after the start, some during a compaction or soon after it, the others during writes. */
function momentOf(round: number, random: () => number): Moment {
  if (round % 20 === 7) return { lines: 0, word: 'compaction begins', milliseconds: random() * 40 }
  if (round % 20 === 17) return { lines: 0, word: 'compaction ends', milliseconds: random() * 5 }
  if (random() < 0.15) return { lines: 0, milliseconds: random() * 150 }
  return { lines: 1 + Math.floor(random() ** 2 * 250), milliseconds: 0 }
}

/** Runs consecutive rounds in one folder. */
async function rounds(count: number, seed: number): Promise<void> {
  await using temporary = await temporaryFolder()
  const folder = join(temporary.path, 'data')
  const random = seeded(seed)
  let before = new Map<string, number>()
  let highest = 0
  for (let round = 0; round < count; round++) {
    const at = `seed ${seed}, round ${round}`
    const told = await run(folder, `${round}`, momentOf(round, random))
    const strange = told.filter((line) => !/^[+-]\d+ \S+$|^compaction (begins|ends)$|unfinished write/.test(line))
    assert.deepEqual(strange, [], `${at}: the child complained`)
    const ended = told.filter((line) => line === 'compaction ends').length
    compactions.ended += ended
    compactions.cutShort += told.filter((line) => line === 'compaction begins').length - ended
    const genres = (await onDisk(folder)).genre ?? []
    for (const genre of genres) assert.deepEqual(Object.keys(genre), ['id', 'name'], `${at}: half a record`)
    const found = new Map(genres.map(({ id, name }) => [String(name), id]))
    assert.equal(found.size, genres.length, `${at}: a name twice`)
    new Expectation(before, told, `${round}`).check(found, at)
    const fresh = [...found].filter(([name]) => !before.has(name)).map(([, id]) => id)
    assert.ok(
      fresh.every((id) => id > highest),
      `${at}: an id was given again`,
    )
    highest = Math.max(highest, ...told.map((line) => Number(/^[+-](\d+)/.exec(line)?.[1] ?? 0)), ...found.values())
    before = found
  }
  await whenOpened(folder, async (shelves) => {
    assert.equal((await shelves.find('genre'))[1], before.size)
    assert.ok((await shelves.add('genre', { name: 'next' })).id > highest, 'an id was given again')
  })
  // A process that is killed while it acquires the lock leaves its draft behind.
  const left = readdirSync(folder).filter((name) => !name.startsWith('lock.') && name !== 'db.json.new')
  assert.deepEqual(left, ['db.json'])
}

/** Rounds in several folders, so that snapshots stay small and are written often. */
const FOLDERS = repetitions(4, 10)
/** As many as there are kinds of moments. */
const ROUNDS = 20

describe('a process that is killed at any moment', () => {
  test(`loses no acknowledged transaction and contains no other (${FOLDERS * ROUNDS} times)`, { timeout: 300_000 }, async () => {
    const seeds = Array.from({ length: FOLDERS }, (_, index) => index + 1)
    // A few at a time, since most of them wait for their child.
    const work = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await rounds(ROUNDS, seed)
    }
    await Promise.all([work(), work(), work()])
    // One round of each folder waits for the end of a compaction, and one for its beginning.
    assert.ok(compactions.ended >= FOLDERS, `only ${compactions.ended} compactions ended`)
    assert.ok(compactions.cutShort >= FOLDERS / 2, `only ${compactions.cutShort} compactions were interrupted`)
  })
})
