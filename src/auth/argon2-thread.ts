import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import limit from 'p-limit'
import { startThread } from '../util/own-modules.ts'
import type { Argon2, Argon2Task } from './argon2.ts'

/** The thread does one task at a time. It is started by the first one, and does not keep the program running between two. */
const oneAtATime = limit(1)
let thread: Worker | undefined

async function run<T>(task: Argon2Task): Promise<T> {
  thread ??= startThread('auth/argon2-worker')
  thread.ref()
  try {
    thread.postMessage(task)
    const [answer] = await once(thread, 'message')
    return answer
  } catch (error) {
    // An error has ended the thread. The next task starts another.
    thread = undefined
    throw error
  } finally {
    thread?.unref()
  }
}

/** argon2id in JavaScript, in a worker thread: a hash takes hundreds of milliseconds. */
export const argon2InThread: Argon2 = {
  hash: (password, cost) => oneAtATime(() => run<string>({ kind: 'hash', password, cost })),
  verify: (stored, password) => oneAtATime(() => run<boolean>({ kind: 'verify', stored, password })),
}
