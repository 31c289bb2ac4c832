import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { isProjectFolder } from '../config/project-files.ts'
import { AppError } from '../errors.ts'
import { isFolder } from '../util/files.ts'

const run = promisify(execFile)

/** An earlier version of a project in a temporary folder. */
export interface EarlierVersion {
  readonly folder: string
  remove(): Promise<void>
}

/**
 * Finds an earlier version of a project: a project in another folder, or the project's folder at a git ref (a branch, a tag, a
 * commit). Neither the repository nor its index changes.
 *
 * @throws {AppError} USAGE when `version` is neither
 */
export async function earlierVersion(project: string, version: string, cwd: string): Promise<EarlierVersion> {
  // An unset variable would compare the project with itself.
  if (version.trim() === '') throw new AppError('USAGE', 'The version to compare with is empty; name a git ref or a folder')
  const folder = resolve(cwd, version)
  if (await isProjectFolder(folder)) return { folder, remove: async () => {} }
  const place = await mkdtemp(join(tmpdir(), 'admin-lint-'))
  const remove = () => rm(place, { recursive: true, force: true })
  try {
    // Git would read it as an option.
    if (version.startsWith('-')) throw new Error(`'${version}' is no ref`)
    const git = (...args: readonly string[]) =>
      run('git', ['-C', project, ...args], { env: { ...process.env, GIT_INDEX_FILE: join(place, 'index') } })
    const prefix = (await git('rev-parse', '--show-prefix')).stdout.trim()
    await git('read-tree', `${version}:${prefix}`)
    // Without `--work-tree` git prepends the prefix to every path.
    const tree = join(place, 'project')
    await git('--work-tree', project, 'checkout-index', '--all', `--prefix=${tree}/`)
    await linkModules(project, place)
    return { folder: tree, remove }
  } catch (error) {
    await remove()
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n').at(-1) : String(error)
    throw new AppError(
      'USAGE',
      `There is no earlier version '${version}', neither as a folder with a project nor as a git ref of ${project} (${reason})`,
    )
  }
}

/** Modules of the earlier version resolve their imports from the project's `node_modules`. */
async function linkModules(project: string, place: string): Promise<void> {
  for (let folder = project; ; folder = dirname(folder)) {
    if (await isFolder(join(folder, 'node_modules'))) return symlink(join(folder, 'node_modules'), join(place, 'node_modules'))
    if (folder === dirname(folder)) return
  }
}
