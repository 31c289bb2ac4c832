import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The folder of this package. */
export const ROOT = join(import.meta.dirname, '../..')

/** A folder that is removed at the end of the block that declares it with `await using`. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
  remove(): Promise<void>
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'admin-test-'))
  const remove = () => rm(path, { recursive: true, force: true })
  return { path, remove, [Symbol.asyncDispose]: remove }
}

/** Name of an example project in `fixtures/`. */
export type FixtureName = 'blog' | 'clinic' | 'minimal'

/** The files of a project: content by path, as text or bytes. */
export type ProjectFiles = Readonly<Record<string, string | Uint8Array>>

/**
 * A copy of `fixtures/<name>`, without its data, in which `import 'admin-folder'` means this package.
 *
 * @param withFiles true for records with their files. Each start on a new copy inspects them in an image process, which takes longer than all else,
 *   so by default the seeds name none
 */
export async function copyFixture(name: FixtureName, { withFiles = false } = {}): Promise<TemporaryFolder> {
  const files = fixtures.get(name) ?? readFixture(name)
  fixtures.set(name, files)
  return makeProject(withFiles ? files.all : files.withoutFiles)
}

interface Fixture {
  readonly all: ProjectFiles
  readonly withoutFiles: ProjectFiles
}

/** Each fixture, read once a process. */
const fixtures = new Map<string, Fixture>()

function readFixture(name: string): Fixture {
  const from = join(ROOT, 'fixtures', name)
  const paths = readdirSync(from, { recursive: true, encoding: 'utf8' })
  const files = paths.filter((path) => !/^data(\/|$)/.test(path) && statSync(join(from, path)).isFile())
  const texts = files.filter((path) => !isRecordFile(path)).map((path) => [path, readFileSync(join(from, path), 'utf8')] as const)
  const bytes = files.filter(isRecordFile).map((path) => [path, readFileSync(join(from, path))] as const)
  const named = bytes.map(([path]) => path.slice(SEEDS.length))
  const withoutNames = texts.map(([path, text]) => [path, path.startsWith(SEEDS) ? withoutLines(text, named) : text] as const)
  return { all: Object.fromEntries([...texts, ...bytes]), withoutFiles: Object.fromEntries(withoutNames) }
}

const SEEDS = 'seed/'

/** Files of records are in folders of the seeds. */
const isRecordFile = (path: string): boolean => path.startsWith(SEEDS) && path.includes('/', SEEDS.length)

/** Leaves out the lines with one of these texts. The seeds of the fixtures have each field of files on a line of its own. */
const withoutLines = (text: string, parts: readonly string[]): string =>
  text
    .split('\n')
    .filter((line) => !parts.some((part) => line.includes(part)))
    .join('\n')

/** A project of these files. */
export async function makeProject(files: ProjectFiles): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true })
    writeFileSync(join(folder.path, name), content)
  }
  mkdirSync(join(folder.path, 'node_modules'), { recursive: true })
  symlinkSync(ROOT, join(folder.path, 'node_modules/admin-folder'))
  writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}\n')
  return folder
}
