import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './helpers/fixture.ts'
import { chunksLoadedWith, compressedSize, ENTRY, filesOfFirstList, LIST_PAGE, readManifest } from './helpers/page/page-build.ts'

/** Bytes of scripts and styles before the first list, compressed by gzip. */
const BUDGET = 220_000

/** Pages that are part of the entry, since they are small and have no route of their own. */
const IN_ENTRY = ['not-found.tsx']

const manifest = readManifest()

test(`the admin page loads at most ${BUDGET} bytes of scripts and styles before its first list`, () => {
  const files = filesOfFirstList(manifest)
  assert.ok(files.some((path) => path.endsWith('.css')) && files.some((path) => /\/early-[^/]+\.js$/.test(path)))
  const sizes = files.map((path) => ({ path, bytes: compressedSize(path) })).sort((a, b) => b.bytes - a.bytes)
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0)
  assert.ok(sum <= BUDGET, `${sum} bytes: ${sizes.map(({ path, bytes }) => `${path} ${bytes}`).join(', ')}`)
})

test('each page of the admin page is a chunk of its own, which no other page loads', () => {
  const names = readdirSync(join(ROOT, 'src/ui/pages')).filter((name) => !IN_ENTRY.includes(name))
  const pages = names.map((name) => `pages/${name}`)
  assert.ok(pages.includes(LIST_PAGE))
  const onDemand = [...chunksLoadedWith(manifest, [ENTRY])].flatMap((name) => manifest[name]?.dynamicImports ?? [])
  assert.deepEqual(
    pages.filter((page) => !onDemand.includes(page)),
    [],
    'not loaded on demand',
  )
  for (const start of [ENTRY, ...pages]) {
    const loaded = chunksLoadedWith(manifest, [start])
    assert.deepEqual(
      pages.filter((page) => page !== start && loaded.has(page)),
      [],
      `loaded with ${start}`,
    )
  }
})

test('the parser of Markdown is loaded with the first text in it', () => {
  const parts = ['widgets/markdown-input.tsx', 'cells/markdown.tsx']
  const loaded = chunksLoadedWith(manifest, [ENTRY, LIST_PAGE, 'pages/record.tsx', 'pages/create.tsx'])
  for (const part of parts) assert.deepEqual([part, manifest[part]?.isDynamicEntry, loaded.has(part)], [part, true, false])
})

test('a board and a calendar are loaded when a list shows one', () => {
  const parts = ['list/layouts.tsx', 'list/board.tsx', 'list/calendar-view.tsx']
  const loaded = chunksLoadedWith(manifest, [ENTRY, LIST_PAGE])
  for (const part of parts) assert.deepEqual([part, manifest[part]?.isDynamicEntry, loaded.has(part)], [part, true, false])
})

test('the reader of workbooks is loaded with the first workbook', () => {
  const loaded = chunksLoadedWith(manifest, [ENTRY, 'pages/import.tsx'])
  const reader = manifest['import/workbook.ts']
  assert.deepEqual([reader?.isDynamicEntry, loaded.has('import/workbook.ts')], [true, false])
  const contents = [...loaded].map((name) => readFileSync(join(ROOT, 'dist/ui', manifest[name]?.file ?? ''), 'utf8'))
  assert.ok(contents.every((content) => !content.includes('sharedStrings')))
})

test('popups of the admin page are loaded after its first list', () => {
  const popups = ['dialog', 'popover', 'tooltip'].map((name) => `parts/${name}-popup.tsx`)
  assert.deepEqual(
    popups.filter((name) => manifest[name] === undefined),
    [],
    'not in a chunk of their own',
  )
  const loaded = chunksLoadedWith(manifest, [ENTRY, LIST_PAGE])
  assert.deepEqual(
    popups.filter((name) => loaded.has(name)),
    [],
  )
})
