import { randomBytes } from 'node:crypto'
import { access, appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import { SYSTEM } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { withApp } from '../project/project-options.ts'
import { PACKAGE_FOLDER, SCAFFOLD } from '../project/scaffold.ts'
import type { Io } from '../terminal/io.ts'

/** `admin init`: creates a small project that is ready to run. */
export function initCommand(io: Io): Command {
  return new Command('init')
    .description('create a project folder that is ready to run')
    .argument('<dir>', 'folder of the project, without one yet; created if it does not exist')
    .option('--json', 'print {"project", "username", "password"}')
    .addHelpText('after', '\nExample:\n  $ admin init shop && admin serve --project shop\n  $ admin init .\n')
    .action(async (dir: string, options: { json?: boolean }) => {
      const folder = resolve(io.cwd, dir)
      await writeScaffold(folder)
      const password = randomBytes(15).toString('base64url')
      const data = { username: 'admin', email: 'admin@example.com', password, is_superuser: true }
      // Environment variables such as ADMIN_DATA are meant for another project.
      await withApp({ ...io, env: {} }, { project: folder }, 'write', (app) => app.records.create(SYSTEM, 'user', { data }))
      if (options.json === true) io.stdout.write(`${JSON.stringify({ project: folder, username: 'admin', password })}\n`)
      else io.stdout.write(`username: admin\npassword: ${password}\n`)
      const shown = relative(io.cwd, folder) || '.'
      io.stderr.write(
        `Created a project in ${shown}. The password is shown only once; \`admin users passwd admin\` changes it.\n`,
      )
      io.stderr.write(`Next: admin serve --project ${shown}\n`)
    })
}

async function writeScaffold(folder: string): Promise<void> {
  const existing = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new AppError('TASK_FAILED', `${folder} cannot be read: ${error.message}`)
  })
  const taken = existing.find((name) => isOfProject(name))
  if (taken !== undefined) throw new AppError('TASK_FAILED', `${folder} has ${taken} already; name a folder without a project`)
  const home = await packageHome(folder)
  for (const [name, content] of Object.entries(SCAFFOLD)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content.replaceAll(PACKAGE_FOLDER, home), { flag: 'wx' })
  }
  await ignoreData(join(folder, '.gitignore'))
}

/** True for files and folders that a project consists of; others, such as package.json, may be beside them. */
const isOfProject = (name: string): boolean => /^(models|views|seed|data|admin\.config\..*)$/.test(name)

/** Excludes the data folder from git, keeping the lines of an existing `.gitignore`. */
async function ignoreData(path: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch(() => '')
  if (/^\/?data\/?\s*$/m.test(present)) return
  const start = present === '' || present.endsWith('\n') ? '' : '\n'
  await appendFile(path, `${start}# The data folder holds the records and the signing secret.\ndata/\n`)
}

/** The path of the package as seen from a new project: in the nearest parent folder that has it installed, otherwise its own. */
async function packageHome(folder: string): Promise<string> {
  for (let above = folder; above !== dirname(above); above = dirname(above)) {
    const isThere = await access(join(above, PACKAGE_FOLDER)).then(
      () => true,
      () => false,
    )
    if (isThere) return relative(folder, join(above, PACKAGE_FOLDER)).replaceAll('\\', '/')
  }
  return PACKAGE_FOLDER
}
