import Module, { createRequire, register } from 'node:module'

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
export function provideOwnPackage(path: string, isModule: boolean): void {
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
