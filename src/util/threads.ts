import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ownModule } from './own-modules.ts'

/**
 * Starts a worker thread that runs a module of this package.
 *
 * @param module path below `src/` without its extension; one of those that `build.ts` names, since it is a file of its own in the built package
 * @param workerData plain data for the module
 */
export function startThread(module: string, workerData?: unknown): Worker {
  const { path, isSource } = ownModule(module)
  const script = pathToFileURL(path)
  return new Worker(isSource ? withLoader(script, import.meta.resolve('tsx/esm/api')) : script, { workerData })
}

const withLoader = (script: URL, tsx: string): URL =>
  new URL(
    `data:text/javascript,import{register}from${JSON.stringify(tsx)};register();await import(${JSON.stringify(script.href)})`,
  )
