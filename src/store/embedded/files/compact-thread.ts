import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ownFile } from '../../../util/files.ts'
import type { CompactionRunner } from './compact.ts'

// When running from source, as tests do, the thread needs the TypeScript loader.
const isSource = import.meta.url.endsWith('.ts')
const SCRIPT = pathToFileURL(
  ownFile(isSource ? 'src/store/embedded/files/compact-worker.ts' : 'dist/store/embedded/files/compact-worker.js'),
)
const BOOT = (tsx: string) =>
  new URL(
    `data:text/javascript,import{register}from${JSON.stringify(tsx)};register();await import(${JSON.stringify(SCRIPT.href)})`,
  )

/** Compacts in a worker thread, so that requests do not wait. */
export const compactInThread: CompactionRunner = async (task) => {
  const worker = new Worker(isSource ? BOOT(import.meta.resolve('tsx/esm/api')) : SCRIPT, { workerData: task })
  const exited = once(worker, 'exit').then(([code]) => {
    throw new Error(`The compaction thread exited with code ${code}`)
  })
  const [result] = await Promise.race([once(worker, 'message'), exited])
  return result
}
