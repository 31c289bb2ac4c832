import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { AppError } from '../errors.ts'
import { isFolder, isNoFile } from '../util/files.ts'
import { wrongEncoding } from '../util/text.ts'
import { Faults } from './fault.ts'
import { ModuleLoader } from './module-source.ts'
import { type Definition, flatSource, within } from './source.ts'
import { parseText } from './text-source.ts'

const DEFINITION_FORMATS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json', '.ts', '.js'])
const CODE_FORMATS: ReadonlySet<string> = new Set(['.ts', '.js'])
/** Formats that may be mistaken for a supported one. Other files (a README, an editor's backup) are ignored. */
const SIMILAR_FORMATS: ReadonlySet<string> = new Set([
  '.toml',
  '.json5',
  '.jsonc',
  '.mjs',
  '.cjs',
  '.mts',
  '.cts',
  '.tsx',
  '.jsx',
  '.xml',
  '.ini',
])
const SEED_FORMATS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json', '.ndjson', '.csv'])

/** The parsed files of a project folder; nothing is validated yet. */
export interface ProjectFiles {
  readonly folder: string
  readonly config: Definition | undefined
  readonly models: readonly Definition[]
  readonly views: readonly Definition[]
  readonly roles: readonly Definition[]
  readonly hooks: readonly Definition[]
  readonly actions: readonly Definition[]
  readonly endpoints: readonly Definition[]
  readonly jobs: readonly Definition[]
  /** Undefined for a project without a dashboard. */
  readonly dashboard: Definition | undefined
  readonly seeds: readonly SeedFile[]
  /** Texts of these files by name, except seeds. */
  readonly texts: ReadonlyMap<string, string>
}

/** `seed/post.json` holds records of the model `post`; it is read only when a store is new. */
export interface SeedFile {
  readonly model: string
  readonly path: string
  /** The name to show in messages. */
  readonly file: string
}

/**
 * Reads all definitions in a project folder.
 *
 * @throws {AppError} USAGE if there is no such folder
 */
export async function readProjectFiles(folder: string): Promise<{ files: ProjectFiles; faults: Faults }> {
  if (!(await isFolder(folder))) {
    throw new AppError(
      'USAGE',
      `There is no project folder ${folder}; name one with --project, or create one with \`admin init ${folder}\``,
    )
  }
  const faults = new Faults()
  const texts = new Map<string, string>()
  const reader: Reader = { folder, faults, texts, modules: new ModuleLoader(folder) }
  const config = await readSingle(reader, 'admin.config', 'settings')
  const models = await readDefinitions(reader, 'models')
  const views = await readDefinitions(reader, 'views')
  const roles = await readDefinitions(reader, 'roles')
  const hooks = await readDefinitions(reader, 'hooks')
  const actions = await readDefinitions(reader, 'actions')
  const endpoints = await readDefinitions(reader, 'endpoints')
  const jobs = await readDefinitions(reader, 'jobs')
  const dashboard = await readSingle(reader, 'dashboard', 'a dashboard')
  const seeds = await listSeeds(folder, faults)
  for (const [misspelt, meant] of Object.entries(MISSPELT_FOLDERS)) await checkFolder(folder, misspelt, meant, faults)
  return { files: { folder, config, models, views, roles, hooks, actions, endpoints, jobs, dashboard, seeds, texts }, faults }
}

/** Names of folders that other programs use, or that are one letter off. */
const MISSPELT_FOLDERS: Readonly<Record<string, string>> = {
  model: 'models',
  schemas: 'models',
  view: 'views',
  forms: 'views',
  role: 'roles',
  hook: 'hooks',
  action: 'actions',
  endpoint: 'endpoints',
  job: 'jobs',
  seeds: 'seed',
  fixtures: 'seed',
}

/** Reports a folder of definitions or records that is not read, where the folder that is read does not exist. */
async function checkFolder(folder: string, misspelt: string, meant: string, faults: Faults): Promise<void> {
  if ((await isFolder(join(folder, meant))) || !(await isFolder(join(folder, misspelt)))) return
  const { files } = await listFolder(join(folder, misspelt))
  const formats = meant === 'seed' ? SEED_FORMATS : DEFINITION_FORMATS
  if (!files.some((path) => formats.has(extname(path).toLowerCase()))) return
  faults.add(flatSource(misspelt), [], `The folder ${misspelt}/ is not read; rename it to ${meant}/`)
}

/** True for a folder with models, views or settings. */
export async function isProjectFolder(folder: string): Promise<boolean> {
  const names = (await isFolder(folder)) ? await readdir(folder, { withFileTypes: true }) : []
  return names.some((entry) => {
    const isConfig = basename(entry.name, extname(entry.name)) === 'admin.config' && DEFINITION_FORMATS.has(extname(entry.name))
    return isConfig || (/^(models|views)$/.test(entry.name) && entry.isDirectory())
  })
}

interface Reader {
  readonly folder: string
  readonly faults: Faults
  readonly texts: Map<string, string>
  readonly modules: ModuleLoader
}

/** The formats of files of which a project has one. A dashboard is data: another program may have a module of this name. */
const SINGLE_FORMATS = {
  'admin.config': DEFINITION_FORMATS,
  dashboard: new Set(['.yaml', '.yml', '.json']),
} as const satisfies Readonly<Record<string, ReadonlySet<string>>>

/** Reads the file of a name of which a project has one. @param what it holds */
async function readSingle(reader: Reader, name: keyof typeof SINGLE_FORMATS, what: string): Promise<Definition | undefined> {
  const { folder, faults } = reader
  const candidates = (await readdir(folder)).filter((file) => basename(file, extname(file)) === name).sort()
  const formats: ReadonlySet<string> = SINGLE_FORMATS[name]
  const isRead = (file: string) =>
    name === 'admin.config' ? isReadable(file, formats, what, faults) : formats.has(extname(file).toLowerCase())
  const [first, ...others] = candidates.filter(isRead)
  for (const extra of others) faults.add(flatSource(extra), [], `There is already ${first}; keep one of the two`)
  if (first === undefined) return undefined
  const definition = await readDefinitionFile(reader, join(folder, first), name)
  const isList = Array.isArray(definition?.value)
  const [start = '', ...rest] = what.replace(/^a /, 'A ')
  if (isList)
    faults.add(flatSource(first), [], `${start.toUpperCase()}${rest.join('')} must be a mapping of names to values, not a list`)
  return isList ? undefined : definition
}

/** The folders of definitions, and what each file of them has. */
const DEFINITIONS = {
  models: 'a model',
  views: 'a view',
  roles: 'a role',
  hooks: 'hooks',
  actions: 'an action',
  endpoints: 'an endpoint',
  jobs: 'a job',
} as const

/** What each file has that may not be empty. Settings may: all have defaults. */
const CONTENTS: Readonly<Record<DefinitionFolder | keyof typeof SINGLE_FORMATS, string | undefined>> = {
  ...DEFINITIONS,
  dashboard: "'panels'",
  'admin.config': undefined,
}

type DefinitionFolder = keyof typeof DEFINITIONS

async function readDefinitions(reader: Reader, kind: DefinitionFolder): Promise<Definition[]> {
  const { folder, faults } = reader
  const definitions: Definition[] = []
  const { files, folders } = await listFolder(join(folder, kind))
  for (const path of folders) {
    faults.add(flatSource(relative(folder, path)), [], `${kind}/ cannot contain folders; move the files directly into ${kind}/`)
  }
  for (const path of files) {
    if (/\.d\.ts$|\.test\.[jt]s$/.test(path)) continue
    const isCode = kind === 'hooks' || kind === 'endpoints' || kind === 'jobs'
    const [formats, what] = isCode ? ([CODE_FORMATS, kind] as const) : ([DEFINITION_FORMATS, 'definitions'] as const)
    if (!isReadable(relative(folder, path), formats, what, faults)) continue
    const definition = await readDefinitionFile(reader, path, kind)
    if (definition !== undefined) definitions.push(...itemsOf(definition))
  }
  return definitions
}

/** A file may hold one definition or a list of them. */
function itemsOf({ value, source }: Definition): Definition[] {
  if (!Array.isArray(value)) return [{ value, source }]
  return value.map((item: unknown, index) => ({ value: item, source: within(source, [index]) }))
}

async function readDefinitionFile(
  { folder, faults, texts, modules }: Reader,
  path: string,
  kind: keyof typeof CONTENTS,
): Promise<Definition | undefined> {
  const file = relative(folder, path)
  const format = extname(path).toLowerCase()
  if (format === '.ts' || format === '.js') {
    if (await isNoFile(path)) return void faults.add(flatSource(file), [], NOT_A_FILE)
    const loaded = await modules.load(path, file)
    texts.set(file, await readFile(path, 'utf8').catch(() => ''))
    faults.addAll(loaded.faults.list)
    return loaded.definition
  }
  const text = await readTextFile(path, file, faults)
  if (text === undefined) return undefined
  texts.set(file, text)
  const content = CONTENTS[kind]
  if (content !== undefined && isEmptyText(text, format)) {
    return void faults.add(flatSource(file), [], `The file is empty; write ${content}, or remove the file`)
  }
  const parsed = parseText(text, file, format === '.json' ? 'json' : 'yaml')
  faults.addAll(parsed.faults.list)
  return parsed.faults.any ? undefined : parsed.definition
}

/** True for a text of blank lines and, in YAML, comments. */
const isEmptyText = (text: string, format: string): boolean =>
  text.split('\n').every((line) => /^\uFEFF?\s*$/.test(line) || (format !== '.json' && /^\s*#/.test(line)))

/** Reads a text file; a failure is reported as a fault. */
export async function readTextFile(path: string, file: string, faults: Faults): Promise<string | undefined> {
  if (await isNoFile(path)) return void faults.add(flatSource(file), [], NOT_A_FILE)
  try {
    const bytes = await readFile(path)
    if (isUtf8(bytes)) return bytes.toString()
    return void faults.add(flatSource(file), [], `The file ${wrongEncoding(bytes)}`)
  } catch (error) {
    faults.add(flatSource(file), [], unreadable(error))
    return undefined
  }
}

export const NOT_A_FILE = 'Cannot be read: it is not a regular file'

/** The fault of a file that the system cannot read. */
export const unreadable = (error: unknown): string => `Cannot be read: ${error instanceof Error ? error.message : String(error)}`

/** True for a supported format. A format that may be mistaken for one is a fault, so that no file is ignored by accident. */
function isReadable(file: string, formats: ReadonlySet<string>, what: string, faults: Faults): boolean {
  const format = extname(file).toLowerCase()
  const isKnown = DEFINITION_FORMATS.has(format) || SEED_FORMATS.has(format) || SIMILAR_FORMATS.has(format)
  if (isKnown && !formats.has(format)) {
    faults.add(flatSource(file), [], `No ${what} are read from ${format} files; use one of ${[...formats].join(' ')}`)
  }
  return formats.has(format)
}

/** The seed files of a project folder as they are now. Files that are no seed files are faults. */
export async function listSeeds(folder: string, faults: Faults): Promise<SeedFile[]> {
  const seeds: SeedFile[] = []
  const { files } = await listFolder(join(folder, 'seed'))
  for (const path of files) {
    const file = relative(folder, path)
    const model = basename(path, extname(path))
    if (!isReadable(file, SEED_FORMATS, 'seed records', faults)) continue
    if (seeds.some((seed) => seed.model === model)) {
      faults.add(flatSource(file), [], `There is already a seed file for '${model}'; keep one of the two`)
    } else {
      seeds.push({ model, path, file })
    }
  }
  return seeds
}

/** The entries of a folder by name, without hidden ones; empty if the folder does not exist. */
async function listFolder(folder: string): Promise<{ files: string[]; folders: string[] }> {
  if (!(await isFolder(folder))) return { files: [], folders: [] }
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => !entry.name.startsWith('.'))
  const paths = (isWanted: (entry: Dirent) => boolean) => {
    const names = entries.filter(isWanted).map((entry) => entry.name)
    return names.sort().map((name) => join(folder, name))
  }
  return { files: paths((entry) => !entry.isDirectory()), folders: paths((entry) => entry.isDirectory()) }
}
