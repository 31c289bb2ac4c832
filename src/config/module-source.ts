import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../util/json.ts'
import { callSiteOf, framesOf } from './call-site.ts'
import { Faults } from './fault.ts'
import { type Definition, flatSource } from './source.ts'

/**
 * Loads the TypeScript and JavaScript files of one project. TypeScript runs through tsx, which is loaded when the first such
 * file turns up; the files of a project see one instance of each other.
 */
export class ModuleLoader {
  /** Node keeps what it has imported, with all that it imports. Who loads a project again has tsx read its JavaScript, too. */
  static #count = 0
  readonly #isFirst = ModuleLoader.#count++ === 0
  #typescript: Promise<(path: string) => Promise<Exports>> | undefined

  /**
   * Loads the default export of a file. Each definition made by `defineModel` and its kin stands where that call stands.
   *
   * @param path the file's absolute path
   * @param file the name to show in messages
   */
  async load(path: string, file: string): Promise<{ definition: Definition | undefined; faults: Faults }> {
    const faults = new Faults()
    const whole = flatSource(file)
    const isLoaded = tellOfEnding(file)
    try {
      const exported = await this.#importDefault(path)
      if (exported === undefined) faults.add(whole, [], 'Nothing is exported as default; write `export default …`')
      const definition = { value: exported, source: siteSource(exported, path, file) }
      return { definition: exported === undefined ? undefined : definition, faults }
    } catch (error) {
      const { message, line, column } = loadProblem(error, path)
      faults.add(flatSource(file, line, column), [], `Cannot be loaded: ${message}`)
      return { definition: undefined, faults }
    } finally {
      isLoaded()
    }
  }

  async #importDefault(path: string): Promise<unknown> {
    const byNode = this.#isFirst && !/\.[cm]?ts$/.test(path)
    const loaded: Exports = byNode ? await import(pathToFileURL(path).href) : await this.#importAnew(path)
    // A CommonJS project wraps the default export once more.
    const exported = loaded.default
    return isObject(exported) && exported.__esModule === true ? exported.default : exported
  }

  async #importAnew(path: string): Promise<Exports> {
    this.#typescript ??= typescriptImporter()
    const load = await this.#typescript
    return load(path)
  }
}

/**
 * A file that ends the program, or awaits what never comes, would end it without a word, and as if all were well.
 *
 * @returns what is to be called once the file is loaded
 */
function tellOfEnding(file: string): () => void {
  const tell = () => {
    process.exitCode = 2
    process.stderr.write(
      `error ${file} ended the program while it was loaded: it calls process.exit, or awaits what never comes\n`,
    )
  }
  process.once('exit', tell)
  return () => process.off('exit', tell)
}

type Exports = { readonly default?: unknown }

/** One registration of tsx, under a name of its own, so that a project loaded again is read again. */
async function typescriptImporter(): Promise<(path: string) => Promise<Exports>> {
  const [esm, cjs] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')])
  const namespace = randomUUID()
  const [commonJs, esModules] = [cjs.register({ namespace }), esm.register({ namespace })]
  // What is CommonJS would be imported as a `data:` URL, and its stack frames would not tell its lines.
  return async (path) =>
    (await isEsModule(path))
      ? esModules.import(pathToFileURL(path).href, import.meta.url)
      : (commonJs.require(path, import.meta.url) as Exports)
}

/** What Node takes a file for: the nearest package.json decides. */
async function isEsModule(path: string): Promise<boolean> {
  const folder = dirname(path)
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  if (text !== undefined) return JSON.parse(text).type === 'module'
  return folder !== path && isEsModule(folder)
}

/** Every part of a definition stands where the definition was made; the items of a list each have a place of their own. */
function siteSource(exported: unknown, path: string, file: string): Definition['source'] {
  return {
    file,
    at([index]) {
      const site = callSiteOf(Array.isArray(exported) && typeof index === 'number' ? exported[index] : exported)
      return site?.file === path ? { file, line: site.line, column: site.column } : { file, line: 1, column: 1 }
    },
  }
}

/** What went wrong in loading a file, and where in it, as far as that is told. */
function loadProblem(error: unknown, path: string): { message: string; line: number; column: number } {
  const text = error instanceof Error ? error.message : String(error)
  const [firstLine = ''] = text.split('\n')
  const [, where, line, column, reason] = /^(\/.*):(\d+):(\d+): ERROR: (.*)$/m.exec(text) ?? []
  if (where === path) return { message: String(reason), line: Number(line), column: Number(column) + 1 }
  if (where !== undefined) return { message: `${reason} (${relative(dirname(path), where)}:${line})`, line: 1, column: 1 }
  const thrown = error instanceof Error ? framesOf(error.stack ?? '').find((frame) => frame.file === path) : undefined
  const missing = /Cannot find/.test(firstLine) && /admin-backend/.test(firstLine)
  const hint = missing ? ' (run `npm install --save-dev admin-backend` in the project)' : ''
  return { message: `${firstLine}${hint}`, line: thrown?.line ?? 1, column: thrown?.column ?? 1 }
}
