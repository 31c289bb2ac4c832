import { readFile } from 'node:fs/promises'
import Module, { createRequire, register } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
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
   * Node.js caches imported modules. When a project is loaded again, its JavaScript goes through tsx too, under another
   * namespace. Namespaces are the same in each process, since the names of the files in the cache of tsx depend on them.
   */
  static #count = 0
  readonly #number = ModuleLoader.#count++
  readonly #importers = new Map<typeof esModuleImporter, Promise<Importer>>()

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
    const byNode = this.#number === 0 && !/\.[cm]?ts$/.test(path)
    const isModule = byNode || (await isEsModule(path))
    // It begins the query of tsx's own paths, so that tsx looks for another file.
    if (!byNode && path.includes('?'))
      throw new Error("its path contains '?', which TypeScript files cannot be loaded from; rename the folder")
    provideOwnPackage(path, isModule)
    const loaded: Exports = byNode ? await import(pathToFileURL(path).href) : await this.#importWithTsx(path, isModule)
    // Modules of a CommonJS project have the default export wrapped once more.
    const exported = loaded.default
    return isObject(exported) && exported.__esModule === true ? exported.default : exported
  }

  async #importWithTsx(path: string, isModule: boolean): Promise<Exports> {
    const make = isModule ? esModuleImporter : commonJsImporter
    const importer = this.#importers.get(make) ?? make(`admin-${this.#number}`)
    this.#importers.set(make, importer)
    return (await importer)(path)
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

/** Imports a TypeScript file by its path. */
type Importer = (path: string) => Promise<Exports>

/** Registers tsx for ES modules, which starts a thread. */
async function esModuleImporter(namespace: string): Promise<Importer> {
  const { register } = await import('tsx/esm/api')
  const modules = register({ namespace })
  return (path) => modules.import(pathToFileURL(path).href, import.meta.url)
}

/** Registers tsx for CommonJS modules. An import of one as an ES module would go through a `data:` URL and lose the line numbers of stack frames. */
async function commonJsImporter(namespace: string): Promise<Importer> {
  const { register } = await import('tsx/cjs/api')
  const modules = register({ namespace })
  return async (path) => modules.require(path, import.meta.url) as Exports
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
