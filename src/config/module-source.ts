import { readFile } from 'node:fs/promises'
import Module, { createRequire, register } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ownFile } from '../util/files.ts'
import { isObject } from '../util/json.ts'
import { callSiteOf, framesOf } from './call-site.ts'
import { Faults } from './fault.ts'
import { type Definition, flatSource } from './source.ts'

/**
 * Loads the TypeScript and JavaScript files of one project. TypeScript runs through tsx, which is loaded with the first such
 * file. Modules shared by several files are loaded once.
 */
export class ModuleLoader {
  /**
   * Version of the files that are loaded: 0 at the first load of the process. Node.js keeps ES modules, so each reload imports them by another
   * address. Packages keep their address, so they are loaded once.
   */
  static #versions = 0
  readonly #version = ModuleLoader.#versions++

  /** @param folder the absolute path of the project */
  constructor(folder: string) {
    if (this.#version > 0) forgetCommonJs(folder)
  }

  /**
   * Loads the default export of a file. Definitions made by `defineModel` and its siblings have the position of that call.
   *
   * @param path the file's absolute path
   * @param file the name to show in messages
   */
  async load(path: string, file: string): Promise<{ definition: Definition | undefined; faults: Faults }> {
    const faults = new Faults()
    const whole = flatSource(file)
    const stopReporting = reportEarlyExit(file)
    try {
      const exported = await this.#importDefault(path)
      if (exported === undefined) faults.add(whole, [], 'The file has no default export; write `export default …`')
      const definition = { value: exported, source: callSiteSource(exported, path, file) }
      return { definition: exported === undefined ? undefined : definition, faults }
    } catch (error) {
      const { message, line, column } = loadProblem(error, path)
      faults.add(flatSource(file, line, column), [], `Cannot be loaded: ${message}`)
      return { definition: undefined, faults }
    } finally {
      stopReporting()
    }
  }

  async #importDefault(path: string): Promise<unknown> {
    const byNode = !/\.[cm]?ts$/.test(path)
    const isModule = byNode || (await isEsModule(path))
    // It begins the query of tsx's own paths, so that tsx looks for another file.
    if (!byNode && path.includes('?'))
      throw new Error("its path contains '?', which TypeScript files cannot be loaded from; rename the folder")
    provideOwnPackage(path, isModule)
    const url = pathToFileURL(path).href
    const versioned = byNode && this.#version === 0 ? url : `${url}?${VERSION}=${this.#version}`
    const loaded: Exports = byNode
      ? await importByNode(versioned)
      : isModule
        ? await importByTsx(versioned)
        : await requireByTsx(path)
    // Modules of a CommonJS project have the default export wrapped once more.
    const exported = loaded.default
    return isObject(exported) && exported.__esModule === true ? exported.default : exported
  }
}

/**
 * Reports a module that ends the process while it is loaded, or never finishes loading; Node.js would exit without a message.
 *
 * @returns a function that ends this, to be called when the file is loaded
 */
function reportEarlyExit(file: string): () => void {
  const report = () => {
    process.exitCode = 2
    process.stderr.write(
      `error ${file} ended the process while it was loaded: it calls process.exit, or awaits a promise that never settles\n`,
    )
  }
  process.once('exit', report)
  return () => process.off('exit', report)
}

type Exports = { readonly default?: unknown }

/** The namespace in which tsx loads the files of projects. Others are left as they are, also where this package itself runs through tsx. */
const NAMESPACE = 'admin'

/** The query parameter of an ES module that has the version of its project. */
const VERSION = 'admin-version'

/** Where the files of packages are, which are not loaded again with a project: those of dependencies, and of this package. */
const OWN_FOLDERS = [ownFile('dist') + sep, ownFile('src') + sep]

const isInPackage = (path: string): boolean =>
  path.includes(`${sep}node_modules${sep}`) || OWN_FOLDERS.some((folder) => path.startsWith(folder))

/** Makes the value of a function once. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Imports a file as it is. */
async function importByNode(url: string): Promise<Exports> {
  if (url.includes(VERSION)) passVersions()
  return import(url)
}

/** Registers tsx for ES modules, which starts a thread. */
const esModules = once(async () => {
  const { register: registerTsx } = await import('tsx/esm/api')
  const modules = registerTsx({ namespace: NAMESPACE })
  // Hooks that are registered later run first: tsx gets paths without versions, on which the names of the files in its cache depend.
  registerVersions()
  return modules
})

const importByTsx = async (url: string): Promise<Exports> => (await esModules()).import(url, import.meta.url)

/** Registers tsx for CommonJS modules. An import of one as an ES module would go through a `data:` URL and lose the line numbers of stack frames. */
const commonJs = once(async () => (await import('tsx/cjs/api')).register({ namespace: NAMESPACE }))

const requireByTsx = async (path: string): Promise<Exports> => (await commonJs()).require(path, import.meta.url) as Exports

/** Forgets the CommonJS modules of projects, but for those of packages, so that they are loaded again. */
function forgetCommonJs(folder: string): void {
  for (const [key, module] of Object.entries(ownRequire.cache)) {
    const isOfProject = key.includes(`namespace=${NAMESPACE}`) || key.startsWith(join(folder, sep))
    if (module === undefined || !isOfProject || isInPackage(key)) continue
    delete ownRequire.cache[key]
    // A module that stays would keep it in memory.
    const siblings = module.parent?.children ?? []
    siblings.splice(siblings.indexOf(module), 1)
  }
}

const passVersions = once(registerVersions)

/**
 * Imports the files of a project with the version in which they last changed: when a project is loaded again, those that have changed since and
 * those that import them get the new version. If no module has changed, all get it, since they may have read another file. The hook runs in
 * the thread of the module loader, so it is source text.
 */
function registerVersions(): void {
  const hook = `import { statSync } from 'node:fs'
  const VERSION = /([?&])${VERSION}=(\\d+)(?:&|$)/
  const OWN = ${JSON.stringify(OWN_FOLDERS.map((path) => pathToFileURL(path).href))}
  const isInPackage = (url) => url.includes('/node_modules/') || OWN.some((folder) => url.startsWith(folder))
  const files = new Map()
  let present = -1

  const versionOf = (url = '') => VERSION.exec(url)?.[2]
  const withoutVersion = (url) => url.replace(VERSION, '$1').replace(/[?&]$/, '')
  const stampOf = (url) => {
    const { mtimeMs, size, ino } = statSync(new URL(url.replace(/([?#]|%3F).*/i, '')), { throwIfNoEntry: false }) ?? {}
    return [mtimeMs, size, ino].join()
  }

  function begin(version) {
    present = version
    const changed = [...files.keys()].filter((url) => stampOf(url) !== files.get(url).stamp)
    if (changed.length === 0) files.clear()
    for (const url of changed) {
      changed.push(...files.get(url)?.importers ?? [])
      files.delete(url)
    }
  }

  export async function resolve(specifier, context, next) {
    const importer = versionOf(context.parentURL) && withoutVersion(context.parentURL)
    let resolved
    try {
      resolved = await next(specifier, context)
    } catch (error) {
      // The missing file may be there at the next load.
      if (files.has(importer)) files.get(importer).stamp = 'failed'
      throw error
    }
    const { url } = resolved
    const version = versionOf(url)
    if ((version ?? importer) === undefined || !url.startsWith('file:') || isInPackage(url)) return resolved
    if (version > present) begin(Number(version))
    const plain = withoutVersion(url)
    const file = files.get(plain) ?? { version: present, stamp: stampOf(plain), importers: new Set() }
    files.set(plain, file)
    if (importer !== undefined) file.importers.add(importer)
    return { ...resolved, url: plain + (plain.includes('?') ? '&' : '?') + '${VERSION}=' + file.version }
  }

  export const load = (url, context, next) => next(versionOf(url) ? withoutVersion(url) : url, context)`
  register(`data:text/javascript,${encodeURIComponent(hook)}`)
}

/** The nearest package.json decides, as in Node.js. */
async function isEsModule(path: string): Promise<boolean> {
  const folder = dirname(path)
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  if (text !== undefined) return JSON.parse(text).type === 'module'
  return folder !== path && isEsModule(folder)
}

/** Every part of a definition has the position of its call site; the items of a list each have their own. */
function callSiteSource(exported: unknown, path: string, file: string): Definition['source'] {
  return {
    file,
    at([index]) {
      const site = callSiteOf(Array.isArray(exported) && typeof index === 'number' ? exported[index] : exported)
      return site?.file === path ? { file, line: site.line, column: site.column } : { file, line: 1, column: 1 }
    },
  }
}

/** The message of a loading error, and its position if known. */
function loadProblem(error: unknown, path: string): { message: string; line: number; column: number } {
  const text = error instanceof Error ? error.message : String(error)
  const [firstLine = ''] = text.split('\n')
  const [, where, line, column, reason] = /^(\/.*):(\d+):(\d+): ERROR: (.*)$/m.exec(text) ?? []
  if (where === path) return { message: String(reason), line: Number(line), column: Number(column) + 1 }
  if (where !== undefined) return { message: `${reason} (${relative(dirname(path), where)}:${line})`, line: 1, column: 1 }
  const thrown = error instanceof Error ? framesOf(error.stack ?? '').find((frame) => frame.file === path) : undefined
  const missing = /Cannot find/.test(firstLine) && /admin-folder/.test(firstLine)
  const hint = missing ? ' (install the package admin-folder in the project)' : ''
  return { message: `${firstLine}${hint}`, line: thrown?.line ?? 1, column: thrown?.column ?? 1 }
}

/** The package's own name, as project files import it. */
const OWN_NAME = /^admin-folder(?:\/|$)/

/** Resolves the name of this package to itself (Node.js, "Self-referencing a package using its name"). */
const ownRequire = createRequire(import.meta.url)

/** What has been done already. */
const provided = new Set<() => void>()

/**
 * Lets a project file import this package by its name where the project does not have it: with a global install, or `npx`. A
 * package that the project has takes precedence.
 *
 * @param path absolute path of the file
 * @param isModule true if it may be an ES module, or import one: their imports take a thread to resolve, which takes 80 ms to start
 */
function provideOwnPackage(path: string, isModule: boolean): void {
  const missing = [provideToCommonJs, ...(isModule ? [provideToEsModules] : [])].filter((provide) => !provided.has(provide))
  if (missing.length === 0 || hasPackage(path)) return
  for (const provide of missing) {
    provided.add(provide)
    provide()
  }
}

function hasPackage(path: string): boolean {
  try {
    createRequire(path).resolve('admin-folder')
    return true
  } catch {
    return false
  }
}

/** The hook runs in the thread of the module loader, so it is source text. It repeats a failed import as one of this package. */
function provideToEsModules(): void {
  const hook = `export async function resolve(specifier, context, next) {
    try {
      return await next(specifier, context)
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND' || !${OWN_NAME}.test(specifier)) throw error
      return next(specifier, { ...context, parentURL: ${JSON.stringify(import.meta.url)} })
    }
  }`
  register(`data:text/javascript,${encodeURIComponent(hook)}`)
}

function provideToCommonJs(): void {
  const { require: original } = Module.prototype
  Module.prototype.require = Object.assign(function (this: NodeJS.Module, id: string): unknown {
    try {
      return original.call(this, id)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND' || !OWN_NAME.test(id)) throw error
      return original.call(this, ownRequire.resolve(id))
    }
  }, original)
}
