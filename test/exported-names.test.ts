import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '../src')

/** Names that both provider packages publish: each is imported from its own package, `admin-folder/react-admin` or `admin-folder/refine`. */
const PUBLISHED_TWICE: ReadonlySet<string> = new Set(['authProvider', 'dataProvider', 'DataProviderOptions', 'HttpError'])

/** The names that a file declares and exports. A name that it exports on behalf of another file is not one of them. */
function exportedNames(text: string): Set<string> {
  const declared = text.matchAll(
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|interface|type|enum|namespace) (\w+)/gm,
  )
  const unpacked = text.matchAll(/^export const [[{]([^\]}]*)[\]}]/gm)
  const listed = text.matchAll(/^export (?:type )?\{([^}]*)\}(?! from)/gm)
  const lists = [...unpacked, ...listed].flatMap(([, names = '']) => names.split(','))
  const inLists = lists.map((name) => (/(\w+)\s*$/.exec(name) ?? [])[1] ?? '').filter((name) => name !== '')
  return new Set([...[...declared].map(([, name = '']) => name), ...inLists])
}

function filesByName(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))) {
    for (const name of exportedNames(readFileSync(join(SRC, file), 'utf8'))) found.set(name, [...(found.get(name) ?? []), file])
  }
  return found
}

test('each exported name exists once', () => {
  const found = [...filesByName()]
  assert.ok(found.length > 1000)
  const twice = found.filter(([name, files]) => files.length > 1 && !PUBLISHED_TWICE.has(name))
  assert.deepEqual(
    twice.map(([name, files]) => `${name}: ${files.join(', ')}`),
    [],
    'Name the thing by what distinguishes it, or export it from one file',
  )
})

test('the exceptions are exported by both provider packages', () => {
  const found = filesByName()
  for (const name of PUBLISHED_TWICE) assert.equal(found.get(name)?.length, 2, name)
})

test('declarations and lists are found, exports from other files are not', () => {
  const text = `export type { A } from './a.ts'
export async function b() {}
export abstract class C {}
export { d, e as f }
export const { g, h } = make()
const hidden = 1`
  assert.deepEqual([...exportedNames(text)].sort(), ['C', 'b', 'd', 'f', 'g', 'h'])
})
