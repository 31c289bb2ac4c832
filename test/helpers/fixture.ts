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

/** A copy of `fixtures/<name>`, without its data, in which `import 'admin-folder'` means this package. */
export async function copyFixture(name: FixtureName): Promise<TemporaryFolder> {
  const files = fixtures.get(name) ?? readFixture(name)
  fixtures.set(name, files)
  return makeProject(files)
}

/** Files of each fixture, read once a process. */
const fixtures = new Map<string, Readonly<Record<string, string>>>()

function readFixture(name: string): Record<string, string> {
  const from = join(ROOT, 'fixtures', name)
  const paths = readdirSync(from, { recursive: true, encoding: 'utf8' })
  const files = paths.filter((path) => !/^data(\/|$)/.test(path) && statSync(join(from, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(from, path), 'utf8')]))
}

/** A project of these files (path → content). */
export async function makeProject(files: Readonly<Record<string, string>>): Promise<TemporaryFolder> {
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
