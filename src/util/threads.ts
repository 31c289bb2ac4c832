import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ownFile } from './files.ts'

// When running from source, as tests do, a thread needs the TypeScript loader.
const isSource = import.meta.url.endsWith('.ts')

/**
 * Starts a worker thread that runs a module of this package.
 *
 * @param module path below `src/` without its extension; one of those that `build.ts` names, since it is a file of its own in the built package
 * @param workerData plain data for the module
 */
export function startThread(module: string, workerData?: unknown): Worker {
  const script = pathToFileURL(ownFile(isSource ? `src/${module}.ts` : `dist/${module}.js`))
  return new Worker(isSource ? withLoader(script, import.meta.resolve('tsx/esm/api')) : script, { workerData })
}

const withLoader = (script: URL, tsx: string): URL =>
  new URL(
    `data:text/javascript,import{register}from${JSON.stringify(tsx)};register();await import(${JSON.stringify(script.href)})`,
  )
