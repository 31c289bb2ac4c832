import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ownFile } from './files.ts'

// When running from source, the TypeScript loader is needed.
const isSource = import.meta.url.endsWith('.ts')

/** A module of this package that a process or a thread of its own runs. */
export interface OwnModule {
  /** Its absolute path. */
  readonly path: string
  /** True if it is TypeScript, which needs the loader `tsx`. */
  readonly isSource: boolean
}

/**
 * Finds a module: the built one, or its source where the program runs from source.
 *
 * @param name its path below `src/` without its extension; one of those that `build.ts` names, since it is a file of its own in the built package
 */
export const ownModule = (name: string): OwnModule => ({
  path: ownFile(isSource ? `src/${name}.ts` : `dist/${name}.js`),
  isSource,
})

/**
 * Starts a worker thread that runs a module of this package.
 *
 * @param name as of `ownModule`
 * @param workerData plain data for the module
 */
export function startThread(name: string, workerData?: unknown): Worker {
  const script = pathToFileURL(ownModule(name).path)
  return new Worker(isSource ? withLoader(script, import.meta.resolve('tsx/esm/api')) : script, { workerData })
}

const withLoader = (script: URL, tsx: string): URL =>
  new URL(
    `data:text/javascript,import{register}from${JSON.stringify(tsx)};register();await import(${JSON.stringify(script.href)})`,
  )
