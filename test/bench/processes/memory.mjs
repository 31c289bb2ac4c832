import { setTimeout as sleep } from 'node:timers/promises'

/** Reachable memory in bytes, inside and outside the heap. Needs --expose-gc. */
export async function memoryInUse() {
  // Objects of the last turns of the event loop become unreachable first.
  await sleep(10)
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
