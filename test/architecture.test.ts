import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '../src')

/** The layers, from the lowest: a folder imports from layers below its own. */
const LAYERS: readonly (readonly string[])[] = [
  ['util', 'errors'],
  ['config', 'log'],
  ['model'],
  ['query'],
  ['validate', 'views', 'limit', 'store'],
  ['auth', 'lint', 'search'],
  ['access'],
  ['reads'],
  ['records'],
  ['history', 'mock', 'webhooks'],
  ['project'],
  ['accounts'],
  ['events', 'openapi', 'transfer'],
  ['app'],
  ['http'],
  ['cli', 'index', 'build', 'client'],
  ['ui'],
]

/** Permitted imports within a layer. */
const WITHIN_LAYER: ReadonlySet<string> = new Set(['build → cli'])

/** The folders that may import a library. */
const LIBRARY_FOLDERS: readonly (readonly [RegExp, ...(readonly string[])])[] = [
  [/^@hapi\//, 'http'],
  [/^ipaddr\.js$/, 'http', 'webhooks'],
  [/^(chokidar|commander)$/, 'cli'],
  [/^lowdb(\/|$)/, 'store'],
  [/^(sorted-btree|typedfastbitset)$/, 'store'],
  [/^pg(-|$)/, 'store'],
  [/^lunr$/, 'search'],
  [/^@faker-js\//, 'mock'],
  [/^pino$/, 'log'],
  [/^csv-/, 'transfer'],
  [/^heap-js$/, 'webhooks'],
  [/^rolldown$/, 'build'],
  [/^(ra-core|@refinedev\/core)$/, 'client'],
  [/^(react|react-dom|lucide-react|vite|virtual:icons|@vitejs\/.*|@tanstack\/.*)(\/|$)/, 'ui'],
  [/^@base-ui\//, 'ui'],
]

interface Import {
  readonly from: string
  readonly specifier: string
  /** The imported file, for imports of our own. */
  readonly to: string | undefined
  /** Whether it is loaded with the file: it is neither a type nor imported on demand. */
  readonly isLoaded: boolean
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join(SRC, name))

const imports = files.flatMap(importsOf)

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8')
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^'"\n;]*?(?:\{[^}]*\}[^'"\n;]*?)?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g,
  )
  return [...found].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? ''
    const to = specifier.startsWith('.') ? resolve(dirname(file), specifier) : undefined
    return { from: file, specifier, to, isLoaded: match[2] === undefined && !/^\s*(import|export) type\b/.test(match[0]) }
  })
}

const folderOf = (file: string): string => (relative(SRC, file).split(sep)[0] ?? '').replace(/\.tsx?$/, '')

const layerOf = (folder: string): number => {
  const layer = LAYERS.findIndex((folders) => folders.includes(folder))
  assert.notEqual(layer, -1, `Folder '${folder}' is in no layer: add it to ARCHITECTURE.md and to LAYERS`)
  return layer
}

const show = (file: string): string => relative(SRC, file)

test('the imports of all files are found', () => {
  assert.ok(files.length > 50)
  assert.ok(imports.length > files.length)
  assert.ok(
    imports.some(({ from, specifier }) => show(from) === join('config', 'module-source.ts') && specifier === 'tsx/esm/api'),
  )
})

test('imports point down, never up', () => {
  const upward = imports.flatMap(({ from, to }) => {
    if (to === undefined) return []
    const [folder, other] = [folderOf(from), folderOf(to)]
    const allowed = folder === other || layerOf(other) < layerOf(folder) || WITHIN_LAYER.has(`${folder} → ${other}`)
    return allowed ? [] : [`${show(from)} → ${show(to)}`]
  })
  assert.deepEqual(upward, [])
})

test('no imports form a circle', () => {
  const targets = new Map(files.map((file) => [file, imports.filter(({ from, to }) => from === file && to !== undefined)]))
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].map(show).join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const { to } of targets.get(file) ?? []) visit(to ?? '', [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  assert.deepEqual(circles, [])
})

test('the sub-folders of a folder do not import each other in a circle', () => {
  const groupOf = (file: string): string => dirname(show(file))
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    if (to === undefined || folderOf(from) !== folderOf(to) || groupOf(from) === groupOf(to)) continue
    // A folder and a folder in it belong together: a file of rules lists the rules of its sub-folders.
    const [importer, imported] = [`${groupOf(from)}/`, `${groupOf(to)}/`]
    if (importer.startsWith(imported) || imported.startsWith(importer)) continue
    edges.set(groupOf(from), (edges.get(groupOf(from)) ?? new Set()).add(groupOf(to)))
  }
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (group: string, path: readonly string[]): void => {
    if (path.includes(group)) circles.push([...path.slice(path.indexOf(group)), group].join(' → '))
    if (done.has(group) || path.includes(group)) return
    for (const next of edges.get(group) ?? []) visit(next, [...path, group])
    done.add(group)
  }
  for (const group of edges.keys()) visit(group, [])
  assert.deepEqual(circles, [])
})

test('each library is imported by its folder only', () => {
  const strays = imports.flatMap(({ from, specifier }) => {
    const folders = LIBRARY_FOLDERS.find(([pattern]) => pattern.test(specifier))?.slice(1) ?? []
    const isAllowed = folders.length === 0 || folders.some((folder) => folder === folderOf(from))
    return isAllowed ? [] : [`${show(from)} imports ${specifier}, which only ${folders.join('/ and ')}/ may import`]
  })
  assert.deepEqual(strays, [])
})

test('commands load hapi when they need it, but for `serve`', () => {
  const pathsToHapi = (file: string, path: readonly string[], seen: Set<string>): string[] => {
    if (seen.has(file)) return []
    seen.add(file)
    const loaded = imports.filter(({ from, isLoaded }) => from === file && isLoaded)
    if (loaded.some(({ specifier }) => specifier === '@hapi/hapi')) return [[...path, file].map(show).join(' → ')]
    return loaded.flatMap(({ to }) => (to === undefined ? [] : pathsToHapi(to, [...path, file], seen)))
  }
  const commands = files.filter((file) => show(file).startsWith(join('cli', 'commands') + sep))
  const found = commands.flatMap((command) => pathsToHapi(command, [], new Set()))
  assert.deepEqual(
    found.map((path) => path.split(' → ')[0]),
    [join('cli', 'commands', 'serve.ts')],
    found.join('\n'),
  )
})

const PACKAGE = JSON.parse(readFileSync(join(SRC, '../package.json'), 'utf8')) as Readonly<
  Record<'dependencies' | 'devDependencies' | 'peerDependencies', Readonly<Record<string, string>>>
>

/** The packages that the files import, without Node.js and the virtual modules of the page's build. */
function packagesOf(which: (folder: string) => boolean): string[] {
  const outside = imports.filter(({ from, to }) => to === undefined && which(folderOf(from)))
  const specifiers = outside.map(({ specifier }) => specifier).filter((name) => !/^(node|virtual):|^\$/.test(name))
  return [...new Set(specifiers.map((name) => (/^(@[^/]+\/)?[^/]+/.exec(name) ?? [name])[0]))].sort()
}

/** What the build runs or compiles into the package; the other folders are the program. */
const isOfBuild = (folder: string) => folder === 'ui' || folder === 'build'

test('the imported libraries are the dependencies and peer dependencies of the package', () => {
  const { dependencies, peerDependencies } = PACKAGE
  assert.deepEqual(
    packagesOf((folder) => !isOfBuild(folder)),
    Object.keys({ ...dependencies, ...peerDependencies }).sort(),
  )
})

test('the libraries of the build and of the admin page need no installation, since they are used before the package is published', () => {
  const known = { ...PACKAGE.devDependencies, ...PACKAGE.dependencies }
  const strays = packagesOf(isOfBuild).filter((name) => !Object.hasOwn(known, name))
  assert.deepEqual(strays, [])
})

test('the admin page imports the client and nothing else of the project', () => {
  const ofPage = imports.filter(({ from, to }) => to !== undefined && folderOf(from) === 'ui')
  const strays = ofPage.filter(({ to = '' }) => !['ui', 'client'].includes(folderOf(to)))
  assert.deepEqual(
    strays.map(({ from, to = '' }) => `${show(from)} → ${show(to)}`),
    [],
  )
})

test('the client imports nothing of the server, of Node.js or of libraries, except types', () => {
  const ofClient = imports.filter(({ from }) => folderOf(from) === 'client')
  const outside = ofClient.filter(({ from, specifier, to }) => {
    if (to !== undefined) return folderOf(to) !== 'client'
    return !new RegExp(`^import type [^']* from '${specifier}'`, 'm').test(readFileSync(from, 'utf8'))
  })
  assert.deepEqual(
    outside.map(({ from, specifier }) => `${show(from)} imports ${specifier}`),
    [],
  )
  const isUser = ({ from, to }: Import) =>
    to !== undefined && folderOf(to) === 'client' && !['client', 'ui'].includes(folderOf(from))
  assert.deepEqual(
    imports.filter(isUser).map(({ from }) => show(from)),
    [],
  )
})

test('Base UI is imported in the parts of the admin page only', () => {
  const strays = imports.filter(
    ({ from, specifier }) => specifier.startsWith('@base-ui/') && !show(from).startsWith(join('ui', 'parts')),
  )
  assert.deepEqual(
    strays.map(({ from, specifier }) => `${show(from)} imports ${specifier}`),
    [],
  )
})

test('the driver of PostgreSQL is imported in the PostgreSQL store only, and the engines do not import each other', () => {
  const within = (...folder: string[]) => join('store', ...folder) + sep
  const strays = imports.filter(({ from, specifier, to = '' }) => {
    const [importer, imported] = [show(from), show(to)]
    if (specifier === 'pg') return !importer.startsWith(within('postgres'))
    const engines = [within('embedded'), within('postgres')]
    return engines.some(
      (engine) => importer.startsWith(engine) && engines.some((other) => other !== engine && imported.startsWith(other)),
    )
  })
  assert.deepEqual(
    strays.map(({ from, specifier }) => `${show(from)} imports ${specifier}`),
    [],
  )
})

test('Faker is loaded on first use', () => {
  const early = files.filter((file) => /^import (?!type\b)[^'\n]*'@faker-js\//m.test(readFileSync(file, 'utf8')))
  assert.deepEqual(early.map(show), [])
})

test('no folder has an index.ts', () => {
  assert.deepEqual(
    files.map(show).filter((file) => /[/\\]index\.ts$/.test(file)),
    [],
  )
})

test('only the committer changes the store, and only Records and its imports use it', () => {
  const changers = files.filter(
    (file) => /\.transact(InParts)?(\?\.)?\(/.test(readFileSync(file, 'utf8')) && folderOf(file) !== 'store',
  )
  assert.deepEqual(changers.map(show), [join('records', 'committer.ts')])
  const committers = imports.filter(({ to }) => to !== undefined && show(to) === join('records', 'committer.ts'))
  assert.deepEqual(
    committers.map(({ from }) => show(from)),
    ['imports.ts', 'records.ts'].map((file) => join('records', file)),
  )
})
