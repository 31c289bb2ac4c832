import { pathToFileURL } from 'node:url'
import { AppError } from '../errors.ts'
import { isObject } from '../util/json.ts'
import { callSiteOf } from './call-site.ts'
import { Faults } from './fault.ts'
import { type Definition, flatSource } from './source.ts'

/**
 * Loads the default export of a TypeScript or JavaScript file. TypeScript runs through tsx, loaded only when it is needed.
 * Each definition made by `defineModel` and its kin stands where that call stands.
 *
 * @param path the file's absolute path
 * @param file the name to show in messages
 */
export async function loadModule(path: string, file: string): Promise<{ definitions: Definition[]; faults: Faults }> {
  const faults = new Faults()
  const whole = flatSource(file)
  try {
    const exported = await importDefault(path)
    if (exported === undefined) faults.add(whole, [], 'Nothing is exported as default; write `export default …`')
    const list = Array.isArray(exported) ? exported : [exported]
    const definitions = list.map((value) => ({ value, source: siteSource(value, path, file) }))
    return { definitions: exported === undefined ? [] : definitions, faults }
  } catch (error) {
    faults.add(whole, [], `Cannot be loaded: ${loadProblem(error)}`)
    return { definitions: [], faults }
  }
}

async function importDefault(path: string): Promise<unknown> {
  const url = pathToFileURL(path).href
  const loaded: { default?: unknown } = /\.[cm]?ts$/.test(path)
    ? await (await import('tsx/esm/api')).tsImport(url, import.meta.url)
    : await import(`${url}?loaded=${Date.now()}`)
  // A CommonJS project wraps the default export once more.
  const exported = loaded.default
  return isObject(exported) && exported.__esModule === true ? exported.default : exported
}

function siteSource(value: unknown, path: string, file: string): Definition['source'] {
  const site = callSiteOf(value)
  return site?.file === path ? flatSource(file, site.line, site.column) : flatSource(file)
}

function loadProblem(error: unknown): string {
  if (error instanceof AppError) return error.message
  const message = error instanceof Error ? error.message : String(error)
  const firstLine = message.split('\n')[0] ?? message
  return /admin-backend/.test(firstLine) && /Cannot find/.test(firstLine)
    ? `${firstLine} (run \`npm install --save-dev admin-backend\` in the project)`
    : firstLine
}
