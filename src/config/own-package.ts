import { createRequire, register } from 'node:module'
import { join } from 'node:path'

const OWN = 'admin-folder'
let isProvided = false

/**
 * Makes imports of this package work in the ES modules of a project that does not have it installed, as with a global installation
 * of the command. Node.js has no public hooks for CommonJS modules before version 22.15.
 *
 * @param folder a folder of the project
 */
export function provideOwnPackage(folder: string): void {
  if (isProvided || isInstalled(folder)) return
  register(`data:text/javascript,${encodeURIComponent(hooks(import.meta.resolve(OWN)))}`)
  isProvided = true
}

function isInstalled(folder: string): boolean {
  try {
    createRequire(join(folder, 'package.json')).resolve(OWN)
    return true
  } catch {
    return false
  }
}

/** Module customization hooks (https://nodejs.org/api/module.html#resolvespecifier-context-nextresolve), which run in their own thread. */
const hooks = (url: string): string => `export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (error) {
    if (specifier !== '${OWN}') throw error
    return { url: '${url}', format: 'module', shortCircuit: true }
  }
}`
