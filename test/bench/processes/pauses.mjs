// Preloaded by a server that is measured: appends its long turns of the event loop and its pauses for garbage collection to the file
// that PAUSES_FILE names, one JSON text a line: {kind, at, ms, cpu}, `at` in milliseconds since the Unix epoch. `cpu` is the part of `ms`
// in which the thread had a processor; on a busy machine it waits for one meanwhile. It is null where the system does not tell.
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** The shortest of each kind that is written, in milliseconds. A long turn may have several pauses for garbage collection. */
const MIN = { turn: 20, gc: 2 }
/** Interval of the timer whose delays are measured, in milliseconds. */
const INTERVAL = 2

const { PAUSES_FILE: file } = process.env

function note(kind, begin, ms, cpu = null) {
  const pause = { kind, at: Date.now() - (performance.now() - begin), ms, cpu }
  if (ms >= MIN[kind]) appendFileSync(file, `${JSON.stringify(pause)}\n`)
}

/** The processor time of the main thread since its start, in milliseconds. Of Linux: the number of nanoseconds is the first of the file. */
function processorTime() {
  try {
    const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
    const length = readSync(stat, buffer)
    closeSync(stat)
    return Number.parseInt(buffer.toString('latin1', 0, length), 10) / 1e6
  } catch {
    return null
  }
}
const buffer = Buffer.alloc(100)

// The threads of the server are preloaded with this file, too.
if (file !== undefined && isMainThread) {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) note('gc', startTime, duration)
  }).observe({ entryTypes: ['gc'] })
  let last = performance.now()
  let used = processorTime()
  setInterval(() => {
    const now = performance.now()
    const usedNow = processorTime()
    note('turn', last, now - last, used === null ? null : usedNow - used)
    last = now
    used = usedNow
  }, INTERVAL).unref()
}
