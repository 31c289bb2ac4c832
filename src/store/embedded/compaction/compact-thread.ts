import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CompactionRunner } from './compact.ts'

// From source, as the tests run, the thread has to be taught TypeScript first.
const isSource = import.meta.url.endsWith('.ts')
const SCRIPT = new URL(isSource ? './compact-worker.ts' : './compact-worker.js', import.meta.url)
const BOOT = (tsx: string) =>
  new URL(
    `data:text/javascript,import{register}from${JSON.stringify(tsx)};register();await import(${JSON.stringify(SCRIPT.href)})`,
  )

/** Folds in a thread of its own, so that requests do not wait for it. */
export const compactInThread: CompactionRunner = async (task) => {
  const worker = new Worker(isSource ? BOOT(import.meta.resolve('tsx/esm/api')) : SCRIPT, { workerData: task })
  const ended = once(worker, 'exit').then(([code]) => {
    throw new Error(`The thread that folds ended with ${code}`)
  })
  const [folded] = await Promise.race([once(worker, 'message'), ended])
  return folded
}
