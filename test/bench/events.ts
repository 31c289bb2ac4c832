import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { accessTokens } from './data/project.ts'
import { creating } from './history.ts'
import { measurePairs } from './load/pairs.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import { type Figure, failureOf, median, type Result } from './results/figures.ts'
import { say } from './results/report.ts'

const RECORDS = 10_000
const SUBSCRIBERS = 100
const STREAMS_OF_USER = 5
const USERS = SUBSCRIBERS / STREAMS_OF_USER
const WRITES_PER_SECOND = 1000
const LATENCY_BAR = { is: 'at most', ratio: 1.3 } as const
/** Length in seconds of the slices whose latencies are compared. Two servers without subscribers differ by 1.4 in slices of 5 s. */
const LATENCY_SLICE = 10
const RUNS = 5
/** Milliseconds by which open streams may delay a reload or a shutdown. */
const ALLOWED_DELAY = 100

/** Compares a server with many subscribers to its changes with one that has none: latency of creates, reload, shutdown. */
export async function eventsBench(options: BenchOptions): Promise<Result[]> {
  const benches: Readonly<Record<string, (name: string) => Promise<Figure>>> = {
    [`p99 of ${WRITES_PER_SECOND} creates/s with ${SUBSCRIBERS} subscribers, beside none`]: (name) => latency(name, options),
    [`delay of a loaded snapshot by ${SUBSCRIBERS} subscribers, beside the allowed one`]: (name) => delayOf(name, loadSnapshot),
    [`delay of a shutdown by ${SUBSCRIBERS} subscribers, beside the allowed one`]: (name) => delayOf(name, shutDown),
  }
  const results: Result[] = []
  for (const [name, bench] of Object.entries(benches)) {
    say(`events: ${name}`)
    results.push(await bench(name).catch((error: unknown) => failureOf({ bench: 'events', name, records: RECORDS }, error)))
  }
  return results
}

/**
 * Creates on a server with 100 open streams beside those on one with none, at a rate that both answer.
 *
 * Servers, load and subscribers share the cores of one machine, and no process is pinned to a core: the garbage collector and the file
 * operations of a server have threads of their own. So the latency with subscribers includes the cores that reading takes, which is why
 * `subscribers.mjs` does not parse. Idle streams are no baseline: the bar is beside no subscribers at all.
 *
 * A turn is a whole slice, since the last batch of a turn is sent during the next, which belongs to the other server. A pause of 20 ms
 * within a slice of 2 s decides its 99th percentile, so slices are longer, and only a quiet machine gives a figure.
 */
function latency(name: string, { seconds, profile }: BenchOptions): Promise<Figure> {
  return withMembers(
    RECORDS,
    profile,
    (told) =>
      withMembers(RECORDS, undefined, async (plain) => {
        const subscribers = await subscribe(told)
        const pacing = { seconds: Math.max(seconds, LATENCY_SLICE), perSecond: WRITES_PER_SECOND, count: 9 }
        const result = await measurePairs(creating(told, RECORDS), creating(plain, RECORDS), pacing)
        const { ours, bare, p99Ratio: ratio, errors, firstError, generatorLoad } = result
        const bytes = await subscribers.bytes()
        subscribers.stop()
        if (firstError !== undefined) throw new Error(`${errors} answers were errors; the first: ${firstError}`)
        const details = {
          ...{ p50: ours.p50, p99: ours.p99, baseline_p50: bare.p50, baseline_p99: bare.p99 },
          ...{ per_second: ours.perSecond, baseline_per_second: bare.perSecond, generator_load: generatorLoad },
          bytes_each: bytes / SUBSCRIBERS,
        }
        const figures = { ours: ours.p99, baseline: bare.p99, ratio }
        return { bench: 'events', name, records: RECORDS, unit: 'ms', ...figures, bar: LATENCY_BAR, details }
      }),
    { users: USERS },
  )
}

/** An event that subscribers may delay. Resolves with its duration in milliseconds. */
type Timed = (address: string, pid: number) => Promise<number>

/** The difference between durations with subscribers and without. */
async function delayOf(name: string, timed: Timed): Promise<Figure> {
  const [quiet, told]: [number[], number[]] = [[], []]
  for (let run = 0; run < RUNS; run++) {
    quiet.push(await withMembers(RECORDS, undefined, (address, _, pid) => timed(address, pid), { users: USERS }))
    const work = async (address: string, _: string, pid: number) => {
      const subscribers = await subscribe(address)
      const duration = await timed(address, pid)
      subscribers.stop()
      return duration
    }
    told.push(await withMembers(RECORDS, undefined, work, { users: USERS }))
  }
  const details = { with: median(told), without: median(quiet) }
  const ours = details.with - details.without
  const figures = { ours, baseline: ALLOWED_DELAY, ratio: ours / ALLOWED_DELAY }
  return { bench: 'events', name, records: RECORDS, unit: 'ms', ...figures, bar: { is: 'at most', ratio: 1 }, details }
}

async function loadSnapshot(address: string): Promise<number> {
  await post(address, '/api/v1/snapshots', { name: 'bench' })
  const begin = performance.now()
  await post(address, '/api/v1/snapshots/bench/load', {})
  return performance.now() - begin
}

/** From the signal until the process has ended. */
async function shutDown(_: string, pid: number): Promise<number> {
  const begin = performance.now()
  process.kill(pid, 'SIGINT')
  while (isRunning(pid)) await delay(1)
  return performance.now() - begin
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function post(address: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${accessTokens(1)[0]}`, 'content-type': 'application/json' }
  const response = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${(await response.text()).slice(0, 500)}`)
}

/** Opens the streams in a separate process, which reads them with as little CPU as possible. */
async function subscribe(address: string): Promise<{ bytes(): Promise<number>; stop(): void }> {
  const tokens = accessTokens(USERS).flatMap((token) => Array<string>(STREAMS_OF_USER).fill(token))
  const child = fork(join(import.meta.dirname, 'processes/subscribers.mjs'), [address, ...tokens])
  await once(child, 'message')
  return {
    async bytes() {
      child.send('bytes')
      const [{ bytes }] = (await once(child, 'message')) as [{ bytes: number }]
      return bytes
    },
    stop: () => child.disconnect(),
  }
}
