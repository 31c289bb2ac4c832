import { setTimeout as sleep } from 'node:timers/promises'

/** Bytes that are reachable, in the heap and outside of it. Needs --expose-gc. */
export async function memoryInUse() {
  // What the last turns left behind goes first.
  await sleep(10)
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
