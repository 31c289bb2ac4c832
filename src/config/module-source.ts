import { randomUUID } from 'node:crypto'
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
  #typescript: Promise<(url: string) => Promise<Exports>> | undefined

  /**
   * Loads the default export of a file. Each definition made by `defineModel` and its kin stands where that call stands.
   *
   * @param path the file's absolute path
   * @param file the name to show in messages
   */
  async load(path: string, file: string): Promise<{ definitions: Definition[]; faults: Faults }> {
    const faults = new Faults()
    const whole = flatSource(file)
    try {
      const exported = await this.#importDefault(path)
      if (exported === undefined) faults.add(whole, [], 'Nothing is exported as default; write `export default …`')
      const list: unknown[] = Array.isArray(exported) ? exported : [exported]
      const definitions = list.map((value) => ({ value, source: siteSource(value, path, file) }))
      return { definitions: exported === undefined ? [] : definitions, faults }
    } catch (error) {
      const { message, line, column } = loadProblem(error, path)
      faults.add(flatSource(file, line, column), [], `Cannot be loaded: ${message}`)
      return { definitions: [], faults }
    }
  }

  async #importDefault(path: string): Promise<unknown> {
    const url = pathToFileURL(path).href
    const loaded: Exports = /\.[cm]?ts$/.test(path) ? await this.#importTypescript(url) : await import(url)
    // A CommonJS project wraps the default export once more.
    const exported = loaded.default
    return isObject(exported) && exported.__esModule === true ? exported.default : exported
  }

  async #importTypescript(url: string): Promise<Exports> {
    this.#typescript ??= typescriptImporter()
    const load = await this.#typescript
    return load(url)
  }
}

type Exports = { readonly default?: unknown }

/** One registration of tsx, under a name of its own, so that a project loaded again is read again. */
async function typescriptImporter(): Promise<(url: string) => Promise<Exports>> {
  const [esm, cjs] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')])
  const namespace = randomUUID()
  cjs.register({ namespace })
  const api = esm.register({ namespace })
  return (url) => api.import(url, import.meta.url)
}

function siteSource(value: unknown, path: string, file: string): Definition['source'] {
  const site = callSiteOf(value)
  return site?.file === path ? flatSource(file, site.line, site.column) : flatSource(file)
}

/** What went wrong in loading a file, and where in it, as far as that is told. */
function loadProblem(error: unknown, path: string): { message: string; line: number; column: number } {
  const text = error instanceof Error ? error.message : String(error)
  const [firstLine = ''] = text.split('\n')
  const syntax = text.split('\n').find((line) => line.startsWith(`${path}:`))
  const [, line, column, reason] = /:(\d+):(\d+): ERROR: (.*)$/.exec(syntax ?? '') ?? []
  if (reason !== undefined) return { message: reason, line: Number(line), column: Number(column) + 1 }
  const thrown = error instanceof Error ? framesOf(error.stack ?? '').find((frame) => frame.file === path) : undefined
  const missing = /Cannot find/.test(firstLine) && /admin-backend/.test(firstLine)
  const hint = missing ? ' (run `npm install --save-dev admin-backend` in the project)' : ''
  return { message: `${firstLine}${hint}`, line: thrown?.line ?? 1, column: thrown?.column ?? 1 }
}
