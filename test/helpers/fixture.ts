import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export interface TemporaryFolder {
  readonly path: string
  remove(): Promise<void>
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'admin-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A copy of `fixtures/<name>`, without its data, in which `import 'admin-backend'` means this package. */
export async function copyFixture(name: 'blog' | 'minimal'): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  const from = join(ROOT, 'fixtures', name)
  await cp(from, folder.path, { recursive: true, filter: (source) => source !== join(from, 'data') })
  await linkPackage(folder.path)
  return folder
}

/** A project of these files (path → content). */
export async function makeProject(files: Readonly<Record<string, string>>): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true })
    await writeFile(join(folder.path, name), content)
  }
  await linkPackage(folder.path)
  return folder
}

async function linkPackage(project: string): Promise<void> {
  await mkdir(join(project, 'node_modules'), { recursive: true })
  await symlink(ROOT, join(project, 'node_modules/admin-backend'))
  await writeFile(join(project, 'package.json'), '{"type": "module"}\n')
}
