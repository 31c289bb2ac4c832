import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { recipeKey, ThumbnailCache } from '../../src/images/thumbnail-cache.ts'
import { systemRandom } from '../../src/util/ids.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { PREVIEW_RECIPE } from './pictures.ts'

const hash = (digit: string): string => digit.repeat(64)
const NOW = Date.UTC(2026, 0, 10)
const DAY = 24 * 3600 * 1000

const cacheIn = (path: string, maxBytes?: number): ThumbnailCache =>
  new ThumbnailCache(path, { clock: () => NOW, random: systemRandom, ...(maxBytes === undefined ? {} : { maxBytes }) })

async function add(cache: ThumbnailCache, digit: string, length = 10, recipe = PREVIEW_RECIPE) {
  const draft = await cache.draft()
  await writeFile(draft, digit.repeat(length))
  return cache.add(hash(digit), recipe, draft)
}

const kept = async (cache: ThumbnailCache, digits: string): Promise<string> => {
  const found = await Promise.all([...digits].map((digit) => cache.find(hash(digit), PREVIEW_RECIPE)))
  return [...digits].filter((_, index) => found[index] !== undefined).join('')
}

const filesIn = async (path: string): Promise<number> => {
  const names = await readdir(path, { recursive: true, withFileTypes: true })
  return names.filter((entry) => entry.isFile()).length
}

for (const [recipe, key] of [
  [PREVIEW_RECIPE, '256x256-inside.webp'],
  [{ width: 640, height: 360, fit: 'cover', format: 'webp' }, '640x360-cover.webp'],
  [{ width: 640, fit: 'inside', format: 'png' }, '640x-inside.png'],
  [{ height: 360, fit: 'inside', format: 'jpeg', quality: 70 }, 'x360-inside-70.jpeg'],
] as const) {
  test(`the key of a recipe: ${key}`, () => assert.equal(recipeKey(recipe), key))
}

test('a thumbnail is found by hash and recipe; another recipe is another key', async () => {
  await using folder = await temporaryFolder()
  const cache = cacheIn(folder.path)
  assert.equal(await cache.find(hash('a'), PREVIEW_RECIPE), undefined)
  const added = await add(cache, 'a')
  assert.deepEqual(added, { path: join(folder.path, 'aa', `${hash('a')}-256x256-inside.webp`), size: 10, type: 'image/webp' })
  assert.deepEqual(await cache.find(hash('a'), PREVIEW_RECIPE), added)
  assert.equal(await readFile(added.path, 'utf8'), 'aaaaaaaaaa')
  assert.equal(await cache.find(hash('a'), { ...PREVIEW_RECIPE, quality: 50 }), undefined)
  assert.equal(await cache.find(hash('b'), PREVIEW_RECIPE), undefined)
})

test('above the size, thumbnails that were not used for the longest time are removed', async () => {
  await using folder = await temporaryFolder()
  const cache = cacheIn(folder.path, 30)
  for (const digit of 'abc') await add(cache, digit)
  assert.equal(await kept(cache, 'a'), 'a')
  await add(cache, 'd')
  assert.equal(await kept(cache, 'abcd'), 'acd')
  assert.equal(await filesIn(folder.path), 3)
  await add(cache, 'e', 20)
  assert.equal(await kept(cache, 'acde'), 'de')
})

test('another start goes on with the thumbnails of the folder, in the order of their use', async () => {
  await using folder = await temporaryFolder()
  const first = cacheIn(folder.path, 30)
  for (const [index, digit] of [...'abc'].entries()) {
    const { path } = await add(first, digit)
    await utimes(path, (NOW - (10 - index) * DAY) / 1000, (NOW - (10 - index) * DAY) / 1000)
  }
  // A use of this one says that it was used, so that it is the last one to go.
  assert.equal(await kept(first, 'a'), 'a')
  const second = cacheIn(folder.path, 30)
  await add(second, 'd')
  assert.equal(await kept(second, 'abcd'), 'acd')
})

test('uses within a day write nothing', async () => {
  await using folder = await temporaryFolder()
  const cache = cacheIn(folder.path)
  const { path } = await add(cache, 'a')
  await utimes(path, (NOW - DAY / 2) / 1000, (NOW - DAY / 2) / 1000)
  await cache.find(hash('a'), PREVIEW_RECIPE)
  assert.equal((await stat(path)).mtimeMs, NOW - DAY / 2)
})

test('the thumbnails of an image are removed when it is forgotten', async () => {
  await using folder = await temporaryFolder()
  const cache = cacheIn(folder.path)
  await add(cache, 'a')
  await add(cache, 'a', 10, { ...PREVIEW_RECIPE, width: 10 })
  await add(cache, 'b')
  await cache.forget(hash('a'))
  await cache.forget(hash('c'))
  assert.equal(await kept(cache, 'abc'), 'b')
  assert.equal(await filesIn(folder.path), 1)
})

test('a thumbnail that another process has made or removed is seen', async () => {
  await using folder = await temporaryFolder()
  const [first, second] = [cacheIn(folder.path), cacheIn(folder.path)]
  await add(second, '0')
  await add(first, 'a')
  assert.equal(await kept(second, 'a'), 'a')
  await first.forget(hash('a'))
  assert.equal(await kept(second, 'a'), '')
})

test('an empty file, as a crash of the machine may leave it, is no thumbnail', async () => {
  await using folder = await temporaryFolder()
  const cache = cacheIn(folder.path)
  await add(cache, 'a', 0)
  assert.equal(await kept(cache, 'a'), '')
})

test('old drafts of an earlier process are removed, those of another process that runs stay', async () => {
  await using folder = await temporaryFolder()
  await mkdir(join(folder.path, 'drafts'))
  for (const [name, age] of [
    ['old', 2 * 3600],
    ['new', 600],
  ] as const) {
    await writeFile(join(folder.path, 'drafts', name), 'x')
    await utimes(join(folder.path, 'drafts', name), NOW / 1000 - age, NOW / 1000 - age)
  }
  await cacheIn(folder.path).draft()
  assert.deepEqual(await readdir(join(folder.path, 'drafts')), ['new'])
})

test('a text that is no hash names no file', async () => {
  await using folder = await temporaryFolder()
  await assert.rejects(cacheIn(folder.path).find('../../etc/passwd', PREVIEW_RECIPE), /64 hexadecimal digits/)
})
