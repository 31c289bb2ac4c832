import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { test } from 'node:test'
import { codesIn, proseOf } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** All files and folders of the given folders, relative to the root; a folder ends with '/'. */
function pathsIn(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) => [
    `${folder}/`,
    ...readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
        .slice(ROOT.length + 1)
        .replaceAll(sep, '/')
      return entry.isDirectory() ? `${path}/` : path
    }),
  ])
}

const paths = [
  ...readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name),
  ...pathsIn('.ci', 'bin', 'docs', 'fixtures', 'src', 'test'),
]

const documents = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...paths.filter((path) => path.startsWith('src/') && path.endsWith('/README.md')),
]

/** Files that a project, a data folder, the build or an example of a lint rule has, and the project itself does not. */
const ELSEWHERE: readonly RegExp[] = [
  /^(db\.json(\.new)?|journal\.<first sequence>\.log|openapi\.json|snapshots\/|lock)$/,
  /^(models|views|seeds)\/$/,
  /^dist\/|^example\.ts$/,
]

/** Whether a code span names a file or a folder; routes begin with '/'. */
const isPath = (code: string): boolean =>
  /^[\w.@*<][\w.@*<> -]*(\/[\w.@*<> -]+)*(\/|\.(ts|tsx|md|json|css|js|log))$/.test(code) && !/^\.|^\d|^@hapi\//.test(code)

/** Whether a path exists beside the document, in src/ or in the root. `<name>` stands for any name; `*.test.ts` is the end of a name anywhere. */
function exists(path: string, document: string): boolean {
  if (path.startsWith('*')) return paths.some((each) => each.endsWith(path.slice(1)))
  return [posix.dirname(document), 'src', '.'].some((base) => {
    const wanted = posix
      .join(base, path)
      .replace(/[.+]/g, '\\$&')
      .replace(/<[^>]+>/g, '[^/]+')
    const pattern = new RegExp(`^${wanted}$`)
    return paths.some((each) => pattern.test(each))
  })
}

for (const document of documents) {
  test(`${document} names files and folders that exist`, () => {
    const named = codesIn(proseOf(read(document))).filter((code) => isPath(code) && !ELSEWHERE.some((each) => each.test(code)))
    const missing = named.filter((path) => !exists(path, document))
    assert.deepEqual(missing, [])
  })
}

test('ARCHITECTURE.md is read in ten minutes, and each folder of src/ has a README.md', () => {
  assert.ok(read('ARCHITECTURE.md').split('\n').length <= 151, 'at most 150 lines')
  const folders = paths.filter((path) => /^src\/[^/]+\/$/.test(path))
  assert.deepEqual(
    folders.filter((folder) => !paths.includes(`${folder}README.md`)),
    [],
  )
})

test('comments of src/ name files and folders that exist', () => {
  const missing = paths
    .filter((path) => /^src\/.*\.tsx?$/.test(path))
    .flatMap((path) => {
      const comments = [...read(path).matchAll(/(?:\/\*\*?|\/\/|^\s*\*) (.*)/gm)].flatMap(([, comment = '']) => codesIn(comment))
      return comments
        .filter((code) => /^[\w./-]+\.tsx?$/.test(code) && !ELSEWHERE.some((each) => each.test(code)) && !exists(code, path))
        .map((code) => `${path}: ${code}`)
    })
  assert.deepEqual(missing, [])
})

const sources = paths.filter((path) => /^(src|test)\/.*\.(tsx?|css)$/.test(path) && path !== 'test/docs/architecture.test.ts')
const words = new Set(sources.flatMap((path) => read(path).match(/[\w$]+/g) ?? []))

for (const document of documents) {
  test(`${document} names code that exists`, () => {
    const named = codesIn(proseOf(read(document))).filter((code) => /^[A-Za-z]\w*(\.\w+)*(\(\))?$/.test(code) && !isPath(code))
    const missing = named.filter((name) =>
      name
        .replace('()', '')
        .split('.')
        .some((part) => !words.has(part)),
    )
    assert.deepEqual(missing, [])
  })
}
