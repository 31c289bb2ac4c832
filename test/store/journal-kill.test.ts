import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../helpers/fixture.ts'
import { Child } from './child.ts'
import { onDisk, whenOpened } from './folder.ts'

const WRITERS = 5

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

/** One run of the child, which is killed after so many acknowledged records. @returns those, as `<id> <name>` */
async function run(folder: string, prefix: string, lines: number): Promise<string[]> {
  const child = new Child('journal-child.ts', folder, prefix, `${WRITERS}`)
  try {
    const told: string[] = []
    while (told.length < lines) told.push(await child.line())
    return [...told, ...(await child.kill())]
  } finally {
    await child.kill()
  }
}

/** Round after round in one folder. */
async function rounds(count: number, seed: number): Promise<void> {
  const temporary = await temporaryFolder()
  const folder = join(temporary.path, 'data')
  const random = seeded(seed)
  const expected: string[] = []
  try {
    for (let round = 0; round < count; round++) {
      const told = await run(folder, `${round}`, 1 + Math.floor(random() * 300))
      const genres = (await onDisk(folder)).genre ?? []
      const found = genres.map(({ id, name }) => `${id} ${String(name)}`)
      const at = `seed ${seed}, round ${round}`
      assert.deepEqual(found.slice(0, expected.length), expected, `${at}: earlier records are not what they were`)
      const added = found.slice(expected.length)
      const missing = told.filter((line) => !added.includes(line))
      assert.deepEqual(missing, [], `${at}: acknowledged, and not there`)
      // Each writer may have had one more under way.
      assert.ok(
        added.length <= told.length + WRITERS,
        `${at}: ${added.length} records, of which ${told.length} were acknowledged`,
      )
      assert.deepEqual(
        genres.slice(expected.length).map(({ name }) => name),
        added.map((_, index) => `${round}-${index}`),
        `${at}: not what was attempted, in order`,
      )
      assert.ok(
        genres.every(({ id }, index) => index === 0 || id > (genres[index - 1]?.id ?? 0)),
        `${at}: ids do not rise`,
      )
      expected.push(...added)
    }
    const last = Number(expected.at(-1)?.split(' ')[0])
    await whenOpened(folder, async (shelves) => {
      assert.equal(await shelves.find('genre').then(([, total]) => total), expected.length)
      assert.equal((await shelves.add('genre', { name: 'next' })).id, last + 1)
    })
    // A process that was killed while it took the folder leaves a draft of its lock behind.
    const left = readdirSync(folder).filter((name) => !name.startsWith('lock.') && name !== 'db.json.new')
    assert.deepEqual(left, ['db.json'])
  } finally {
    await temporary.remove()
  }
}

describe('a process that is killed at any moment', { concurrency: true }, () => {
  for (const [seed, count] of [
    [1, 13],
    [2, 12],
  ] as const) {
    test(`loses nothing that it acknowledged (${count} times, seed ${seed})`, { timeout: 120_000 }, () => rounds(count, seed))
  }
})
