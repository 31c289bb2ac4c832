import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { test } from 'node:test'
import { codesIn, rowsOf } from './docs/markdown.ts'

const SRC = join(import.meta.dirname, '../src')

const ARCHITECTURE = readFileSync(join(SRC, '../ARCHITECTURE.md'), 'utf8')

/** The folders of each layer in the picture of ARCHITECTURE.md, from the highest: a folder imports from lower layers. */
const LAYERS: readonly (readonly string[])[] = [...ARCHITECTURE.matchAll(/^ {2}\w+\["([\w, ]+)(?: — [^"]*)?"\]/gm)].map(
  ([, folders = '']) => folders.split(', '),
)

const rows = rowsOf(ARCHITECTURE)
const rowAfter = (heading: string): number => rows.findIndex(([first]) => first === heading) + 2

/** The libraries of the table in ARCHITECTURE.md, `*` for any name, with the folders or files that import them; none for a library that any may import. */
const LIBRARIES: readonly { readonly library: string; readonly folders: readonly string[] }[] = rows
  .slice(rowAfter('Library'), rowAfter('Folder') - 2)
  .flatMap(([libraries = '', places = '']) =>
    libraries.split('; ').flatMap((group, index) =>
      group
        .replace(/ \(.*\)$/, '')
        .split(', ')
        .map((library) => ({ library, folders: codesIn(places.split('; ')[index] ?? '') })),
    ),
  )

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
  assert.notEqual(layer, -1, `Folder '${folder}' is in no layer: add it to the picture of ARCHITECTURE.md`)
  return layer
}

const show = (file: string): string => relative(SRC, file)

/** False for modules of Node.js and the virtual modules of the page's build. */
const isPackage = (specifier: string): boolean => !/^(node|virtual):|^\$/.test(specifier)

const packageOf = (specifier: string): string => (/^(@[^/]+\/)?[^/]+/.exec(specifier) ?? [specifier])[0]

const namesPackage = (library: string, specifier: string): boolean =>
  library.endsWith('*') ? specifier.startsWith(library.slice(0, -1)) : packageOf(specifier) === library

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
    const allowed = folder === other || layerOf(other) > layerOf(folder)
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

test('the folders of the picture exist', () => {
  assert.ok(LAYERS.length > 10)
  const folders = new Set(files.map(folderOf))
  assert.deepEqual([...folders].sort(), LAYERS.flat().sort())
})

test('the table of ARCHITECTURE.md names every library with the folders that import it', () => {
  const isIn = (file: string, place: string): boolean => show(file) === place || show(file).startsWith(join(place, sep))
  const outside = imports.filter(({ to, specifier }) => to === undefined && isPackage(specifier))
  const faults = new Set<string>()
  for (const { from, specifier } of outside) {
    const row = LIBRARIES.find(({ library }) => namesPackage(library, specifier))
    if (row === undefined) faults.add(`${packageOf(specifier)} is not in the table; ${show(from)} imports it`)
    else if (row.folders.length > 0 && !row.folders.some((place) => isIn(from, place)))
      faults.add(`${show(from)} imports ${specifier}, which only ${row.folders.join(' and ')} may import`)
  }
  for (const { library, folders } of LIBRARIES) {
    const importers = outside.filter(({ specifier }) => namesPackage(library, specifier)).map(({ from }) => from)
    for (const place of folders)
      if (!importers.some((file) => isIn(file, place))) faults.add(`Nothing in ${place} imports ${library}`)
    if (folders.length === 0 && new Set(importers.map(folderOf)).size < 2) faults.add(`${library} has one folder: name it`)
  }
  assert.deepEqual([...faults], [])
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
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies', Readonly<Record<string, string>>>
>

/** The packages that the files import. */
function packagesOf(which: (folder: string) => boolean): string[] {
  const outside = imports.filter(({ from, to }) => to === undefined && which(folderOf(from)))
  return [...new Set(outside.flatMap(({ specifier }) => (isPackage(specifier) ? [packageOf(specifier)] : [])))].sort()
}

/** What the build runs or compiles into the package; the other folders are the program. */
const isOfBuild = (folder: string) => folder === 'ui' || folder === 'build'

test('the imported libraries are the dependencies of the package, peer and optional ones included', () => {
  const { dependencies, optionalDependencies, peerDependencies } = PACKAGE
  assert.deepEqual(
    packagesOf((folder) => !isOfBuild(folder)),
    Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).sort(),
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
    to !== undefined && folderOf(to) === 'client' && !['cli', 'client', 'code', 'mcp', 'ui'].includes(folderOf(from))
  assert.deepEqual(
    imports.filter(isUser).map(({ from }) => show(from)),
    [],
  )
})

test('the engines do not import each other', () => {
  const within = (...folder: string[]) => join('store', ...folder) + sep
  const strays = imports.filter(({ from, to = '' }) => {
    const [importer, imported] = [show(from), show(to)]
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

test('sharp, an optional dependency, is imported on demand, by the image process only', () => {
  const importers = imports.filter(({ specifier }) => specifier === 'sharp')
  const loaded = importers.filter(({ isLoaded }) => isLoaded)
  assert.deepEqual([[...new Set(importers.map(({ from }) => show(from)))], loaded], [[join('images', 'decoder.ts')], []])
  const pathsFrom = (file: string, seen: Set<string>): Set<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    for (const { to } of imports.filter(({ from, isLoaded }) => from === file && isLoaded))
      if (to !== undefined) pathsFrom(to, seen)
    return seen
  }
  const seen = new Set<string>()
  for (const file of ['images.ts', 'image-processes.ts', 'thumbnail-cache.ts']) pathsFrom(join(SRC, 'images', file), seen)
  const server = [...seen].map(show)
  assert.ok(server.includes(join('images', 'image-process.ts')))
  assert.deepEqual(
    server.filter((file) => /decoder|file-types|worker/.test(file)),
    [],
  )
})

test('no folder has an index.ts', () =>
  assert.deepEqual(
    files.map(show).filter((file) => /[/\\]index\.ts$/.test(file)),
    [],
  ))

test('only the committer changes the store, and only Records, its batches, imports and restorations use it', () => {
  const changers = files.filter(
    (file) => /\.transact(InParts)?(\?\.)?\(/.test(readFileSync(file, 'utf8')) && folderOf(file) !== 'store',
  )
  assert.deepEqual(changers.map(show), [join('records', 'committer.ts')])
  const committers = imports.filter(({ to }) => to !== undefined && show(to) === join('records', 'committer.ts'))
  assert.deepEqual(
    committers.map(({ from }) => show(from)),
    ['batches.ts', 'imports.ts', 'records.ts', 'restore.ts'].map((file) => join('records', file)),
  )
})

/** What a pattern finds in the files of folders, as `<file>: <class><<type of its key>>`. */
const mapsIn = (isIncluded: (folder: string) => boolean, pattern: RegExp): string[] => {
  const found = files
    .filter((file) => isIncluded(folderOf(file)))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, made]) => `${show(file)}: ${made}>`))
  return [...new Set(found)].sort()
}

test('the prepared queries are the only cache of reads and access, and their key is a text', () => {
  // Fields of classes and constants of modules; a map that a function makes ends with the call.
  const field = / {2}(?:(?:private|protected|static|readonly) )*#?\w+/
  const constant = /(?:export )?(?:const|let) \w+/
  const kept = new RegExp(
    `^(?:${field.source}|${constant.source})(?:: | = new )((?:Map|Set|WeakMap|WeakSet|LRUCache)<[^,>]+)`,
    'gm',
  )
  const isOfReads = (folder: string) => folder === 'reads' || folder === 'access'
  const weak = mapsIn(isOfReads, /\b((?:WeakMap|WeakSet|WeakRef)<[^,>]+)/g)
  assert.deepEqual([...mapsIn(isOfReads, kept), ...weak], ['reads/prepared-queries.ts: LRUCache<string>'])
})

test('no other tables have objects as keys than these, which know nothing of a copy', () => {
  const byObject = mapsIn((folder) => folder !== 'ui', /new ((?:WeakMap|WeakSet|LRUCache)<(?!string|number)[^,>]+)/g)
  assert.deepEqual(byObject, [
    'http/listener.ts: WeakMap<Duplex>',
    'model/build.ts: WeakMap<Definition>',
    'records/drafts.ts: WeakMap<RecordData>',
    'store/postgres/layout/layout.ts: WeakMap<StoredRecord>',
    'store/store.ts: WeakMap<StoredRecord>',
    'validate/rule-problems.ts: WeakMap<Model>',
  ])
})
