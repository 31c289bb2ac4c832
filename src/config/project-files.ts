import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { AppError } from '../errors.ts'
import { Faults } from './fault.ts'
import { ModuleLoader } from './module-source.ts'
import { type Definition, flatSource, within } from './source.ts'
import { parseText } from './text-source.ts'

const DEFINITION_FORMATS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json', '.ts', '.js'])
const SEED_FORMATS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json', '.ndjson', '.csv'])

/** The files of a project folder, read but not yet understood. */
export interface ProjectFiles {
  readonly folder: string
  readonly config: Definition | undefined
  readonly models: readonly Definition[]
  readonly views: readonly Definition[]
  readonly seeds: readonly SeedFile[]
}

/** `seed/post.json` holds records of the model `post`; it is read only when a store is new. */
export interface SeedFile {
  readonly model: string
  readonly path: string
  /** The name to show in messages. */
  readonly file: string
}

/**
 * Reads everything in a project folder that describes it.
 *
 * @throws {AppError} USAGE when there is no such folder
 */
export async function readProjectFiles(folder: string): Promise<{ files: ProjectFiles; faults: Faults }> {
  if (!(await isFolder(folder))) {
    throw new AppError(
      'USAGE',
      `There is no project folder ${folder}; name one with --project, or make one with \`admin init ${folder}\``,
    )
  }
  const faults = new Faults()
  const reader: Reader = { folder, faults, modules: new ModuleLoader() }
  const config = await readConfig(reader)
  const models = await readDefinitions(reader, 'models')
  const views = await readDefinitions(reader, 'views')
  const seeds = await listSeeds(folder, faults)
  return { files: { folder, config, models, views, seeds }, faults }
}

interface Reader {
  readonly folder: string
  readonly faults: Faults
  readonly modules: ModuleLoader
}

async function readConfig(reader: Reader): Promise<Definition | undefined> {
  const { folder, faults } = reader
  const names = (await readdir(folder)).filter(
    (name) => basename(name, extname(name)) === 'admin.config' && DEFINITION_FORMATS.has(extname(name)),
  )
  for (const extra of names.slice(1)) {
    faults.add(flatSource(extra), [], `There is already ${names[0]}; keep one of the two`)
  }
  const [name] = names
  if (name === undefined) return undefined
  const definitions = await readDefinitionFile(reader, join(folder, name))
  return definitions[0]
}

async function readDefinitions(reader: Reader, room: 'models' | 'views'): Promise<Definition[]> {
  const { folder, faults } = reader
  const definitions: Definition[] = []
  for (const path of await listFiles(join(folder, room))) {
    if (/\.d\.ts$|\.test\.[jt]s$/.test(path)) continue
    if (!DEFINITION_FORMATS.has(extname(path))) {
      faults.add(
        flatSource(relative(folder, path)),
        [],
        `Not a definition file; expected one of ${[...DEFINITION_FORMATS].join(' ')}`,
      )
      continue
    }
    for (const { value, source } of await readDefinitionFile(reader, path)) {
      const items: Definition[] = Array.isArray(value)
        ? value.map((item: unknown, index) => ({ value: item, source: within(source, [index]) }))
        : [{ value, source }]
      definitions.push(...items)
    }
  }
  return definitions
}

async function readDefinitionFile({ folder, faults, modules }: Reader, path: string): Promise<Definition[]> {
  const file = relative(folder, path)
  const format = extname(path)
  if (format === '.ts' || format === '.js') {
    const loaded = await modules.load(path, file)
    faults.addAll(loaded.faults.list)
    return loaded.definitions
  }
  const parsed = parseText(await readFile(path, 'utf8'), file, format === '.json' ? 'json' : 'yaml')
  faults.addAll(parsed.faults.list)
  return parsed.faults.any ? [] : [parsed.definition]
}

async function listSeeds(folder: string, faults: Faults): Promise<SeedFile[]> {
  const seeds: SeedFile[] = []
  for (const path of await listFiles(join(folder, 'seed'))) {
    const file = relative(folder, path)
    const model = basename(path, extname(path))
    if (!SEED_FORMATS.has(extname(path))) {
      faults.add(flatSource(file), [], `Not a seed file; expected one of ${[...SEED_FORMATS].join(' ')}`)
    } else if (seeds.some((seed) => seed.model === model)) {
      faults.add(flatSource(file), [], `There is already a seed file for '${model}'; keep one of the two`)
    } else {
      seeds.push({ model, path, file })
    }
  }
  return seeds
}

/** The files directly in a folder, in the order of their names; none when there is no such folder. */
async function listFiles(folder: string): Promise<string[]> {
  if (!(await isFolder(folder))) return []
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.')).map((entry) => entry.name)
  return names.sort().map((name) => join(folder, name))
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
