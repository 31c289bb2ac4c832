import { randomBytes } from 'node:crypto'
import { access, appendFile, mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import { hasData, placeOf } from '../../app/open-store.ts'
import { SYSTEM } from '../../auth/permissions.ts'
import { isProjectFolder } from '../../config/project-files.ts'
import { AppError } from '../../errors.ts'
import { loadProject, type Project } from '../../project/project.ts'
import { callSucceeds } from '../../util/files.ts'
import type { JsonObject } from '../../util/json.ts'
import type { Io } from '../io.ts'
import { withAppOf } from '../project-options.ts'
import { shellWord } from '../style.ts'

/** The folder of the installed package, relative to the project. */
const PACKAGE_FOLDER = 'node_modules/admin-folder'

/** The first line of a YAML file, by which editors find its JSON Schema. */
const schemaComment = (up: string, schema: string) =>
  `# yaml-language-server: $schema=${up}${PACKAGE_FOLDER}/schemas/${schema}.json\n`

/** The files of a new project: one model with a form, a list and a few records. */
export const SCAFFOLD: Readonly<Record<string, string>> = {
  '.gitignore': `# The data folder holds the records and the signing secret.
data/
`,
  'admin.config.yaml': `${schemaComment('', 'config')}# Every setting has a default; these are the ones most often changed.
port: 8000
# Origins of front ends that browsers may call from:
cors: [http://localhost:5173]
`,
  'models/article.yaml': `${schemaComment('../', 'model')}name: Article
label: Articles
group: Content
icon: newspaper
display_field: title
timestamps: true
fields:
  - { name: title, type: string, required: true, min_length: 3, max_length: 200 }
  - { name: slug, type: slug, required: true, unique: true }
  - { name: body, type: text }
  - { name: status, type: choice, choices: [draft, published], default: draft }
  - { name: published_at, type: datetime }
  - { name: author_id, type: foreignkey, model: user, on_delete: set_null }
`,
  'views/article.yaml': `${schemaComment('../', 'view')}- name: ArticleForm
  view_type: form
  model: Article
  fields:
    - { name: id, title: ID, field_type: primarykey, readonly: true, disabled: true, is_primary_key: true }
    - { name: title, title: Title, field_type: string, widget: text, required: true, placeholder: A short headline }
    - { name: slug, title: Slug, field_type: slug, widget: text, required: true, help_text: The last part of the address }
    - { name: body, title: Text, field_type: text, widget: textarea }
    - { name: status, title: Status, field_type: choice, widget: select, default_value: draft, options: { choices: [draft, published] } }
    - { name: published_at, title: Published, field_type: datetime, widget: datetime }
    - { name: author_id, title: Author, field_type: foreignkey, widget: relation }
  creation_fields: [title, slug, body, status, published_at, author_id]
  allowed_update_fields: [title, body, status, published_at, author_id]
  rules:
    - rule: self.status != "published" || self.published_at != null
      field: published_at
      message: A published article needs a publication date
- name: ArticleList
  view_type: list
  model: Article
  fields:
    - { name: id, title: ID, field_type: primarykey, is_primary_key: true }
    - { name: title, title: Title, field_type: string }
    - { name: status, title: Status, field_type: choice }
    - { name: published_at, title: Published, field_type: datetime }
`,
  'seed/article.yaml': `- { title: Hello, slug: hello, body: The first article., status: published, published_at: 2024-01-15T09:00:00Z }
- { title: Work in progress, slug: work-in-progress, status: draft }
`,
}

/** The files of a new project without a model. */
const EMPTY_SCAFFOLD: typeof SCAFFOLD = Object.fromEntries(
  Object.entries(SCAFFOLD).filter(([name]) => !/^(models|views|seed)\//.test(name)),
)

/** `admin init`: creates a small project that is ready to run. */
export function initCommand(io: Io): Command {
  return new Command('init')
    .description('create a project folder that is ready to run')
    .argument('<dir>', 'folder of the project, which is created if it does not exist; existing files stay as they are')
    .option('--empty', 'without the sample model, its views and its records')
    .option('--json', 'print {"project", "username", "password"}')
    .addHelpText('after', '\nExample:\n  $ admin init shop && admin serve --project shop\n  $ admin init . && admin serve\n')
    .action(async (dir: string, options: { empty?: boolean; json?: boolean }) => {
      const folder = resolve(io.cwd, dir)
      const files = options.empty === true ? EMPTY_SCAFFOLD : SCAFFOLD
      const { isInstalled } = await writeScaffold(folder, files)
      const password = randomBytes(15).toString('base64url')
      const data = { username: 'admin', email: 'admin@example.com', password, is_superuser: true }
      const project = await createAccount(io, folder, data).catch(async (error: unknown) => {
        await removeScaffold(folder, files)
        throw error
      })
      if (options.json === true) io.stdout.write(`${JSON.stringify({ project: folder, username: 'admin', password })}\n`)
      else io.stdout.write(`username: admin\npassword: ${password}\n`)
      const shown = relative(io.cwd, folder)
      const program = programIn(io.env, isInstalled)
      const option = shown === '' ? '' : ` --project ${shellWord(shown)}`
      const where = project.settings.store === 'embedded' ? '' : ` Its account is in ${placeOf(project)}.`
      io.stderr.write(
        `Created a project in ${shown || 'the current folder'}.${where} The password is shown only once; \`${program} users passwd admin${option}\` changes it.\n`,
      )
      if (!isInstalled) io.stderr.write(`${SCHEMA_HINT}\n`)
      if (options.empty === true) io.stderr.write(`${MODEL_HINT}\n`)
      io.stderr.write(`Next: ${program} serve${option} --watch\n`)
    })
}

/**
 * Stores the first account of a new project in the store that the environment names, as `admin serve` will. Other variables, such as
 * ADMIN_DATA, are meant for another project.
 *
 * @throws {AppError} CONFIG_INVALID without a secret key for a database, STORE_UNAVAILABLE, TASK_FAILED if the database has records
 */
async function createAccount(io: Io, folder: string, data: JsonObject): Promise<Project> {
  const names = Object.keys(io.env).filter((name) => /^ADMIN_STORE(__|$)/.test(name))
  const ofStore = names.length === 0 || io.env.ADMIN_STORE === 'embedded' ? [] : [...names, 'ADMIN_SECRET_KEY']
  const env = Object.fromEntries(ofStore.map((name) => [name, io.env[name]]))
  const project = await loadProject({ folder, env, flags: {} })
  if (project.settings.store !== 'embedded' && (await hasData(project))) {
    const remedy = 'set ADMIN_STORE to another database, or ADMIN_STORE__SCHEMA to another schema'
    throw new AppError('TASK_FAILED', `${placeOf(project)} has the records of a project already; ${remedy}`)
  }
  await withAppOf(io, project, 'write', (app) => app.records.create(SYSTEM, 'user', { data }))
  return project
}

/** Shown after `--empty`. */
const MODEL_HINT =
  'Add models as files in models/, such as models/product.yaml; `admin generate view --all -o views` makes their views'

/** The program as the reader can call it again: `npx admin` names another package where this one is not installed. */
function programIn(env: Io['env'], isInstalled: boolean): string {
  if (env.npm_command !== 'exec') return 'admin'
  return isInstalled ? 'npx admin' : 'npx --package … admin'
}

/** Shown where the package is not installed, as with `npx` and global installs. */
const SCHEMA_HINT = `For completion in editors, install the package in this folder, too: the files name its schemas in ${PACKAGE_FOLDER}`

const IGNORE_FILE = '.gitignore'

/**
 * Writes the files of a new project. Existing files stay, and a `.gitignore` gets the missing line.
 *
 * @returns whether the package is installed above the folder, where editors find its schemas
 * @throws {AppError} TASK_FAILED if the folder holds a project already, or one of the files; then nothing is written
 */
async function writeScaffold(folder: string, files: typeof SCAFFOLD): Promise<{ isInstalled: boolean }> {
  await checkFree(folder, files)
  const home = await packageHome(folder)
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    if (name === IGNORE_FILE) await addIgnored(path, content)
    else await writeFile(path, content.replaceAll(PACKAGE_FOLDER, home ?? PACKAGE_FOLDER), { flag: 'wx' })
  }
  return { isInstalled: home !== undefined }
}

/** Removes the files that `writeScaffold` has written, and the folders that are then empty. A `.gitignore` stays. */
async function removeScaffold(folder: string, files: typeof SCAFFOLD): Promise<void> {
  const written = Object.keys(files).filter((name) => name !== IGNORE_FILE)
  for (const name of written) await rm(join(folder, name), { force: true })
  for (const name of new Set(written.map(dirname))) if (name !== '.') await callSucceeds(rmdir(join(folder, name)))
}

/** @throws {AppError} TASK_FAILED */
async function checkFree(folder: string, files: typeof SCAFFOLD): Promise<void> {
  await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new AppError('TASK_FAILED', `${folder} cannot be read: ${error.message}`)
  })
  if (await isProjectFolder(folder))
    throw new AppError('TASK_FAILED', `There is already a project in ${folder}; name another folder`)
  for (const name of [...Object.keys(files).filter((each) => each !== IGNORE_FILE), 'data']) {
    if (await callSucceeds(access(join(folder, name)))) {
      throw new AppError(
        'TASK_FAILED',
        `${join(folder, name)} exists already and is not overwritten; move it, or name another folder`,
      )
    }
  }
}

/** Appends the lines to a `.gitignore`, unless it ignores the data folder already. */
async function addIgnored(path: string, lines: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new AppError('TASK_FAILED', `${path} cannot be read: ${error.message}`)
  })
  if (/^\/?data\/?\s*$/m.test(present)) return
  await appendFile(path, `${present === '' || present.endsWith('\n') ? '' : '\n'}${lines}`)
}

/** The path of the package as seen from a new project, in the nearest parent folder that has it installed. */
async function packageHome(folder: string): Promise<string | undefined> {
  for (let above = folder; above !== dirname(above); above = dirname(above)) {
    if (await callSucceeds(access(join(above, PACKAGE_FOLDER))))
      return relative(folder, join(above, PACKAGE_FOLDER)).replaceAll('\\', '/')
  }
  return undefined
}
