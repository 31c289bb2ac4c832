import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { accessTokens } from './data/project.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import { type Figure, failureOf, isFailure, percentile, type Result } from './results/figures.ts'
import { say } from './results/report.ts'
import { Pauses } from './stalls/pauses.ts'
import { PEOPLE_MODEL, STALL_FILES, STALL_SETTINGS } from './stalls/project.ts'
import { prepare, type Shape, type ShapeResponse, type StallTarget, send } from './stalls/requests.ts'
import { SHAPES } from './stalls/shapes.ts'

const RECORDS = 100_000
/** The longest that an answer of `/healthz` may take, in milliseconds. */
const MAX_WAIT = 300
/** A measurement begins so long before the requests of a shape and ends so long after them, in milliseconds. */
const MARGIN = 300
/** Time in which a shape is prepared and answered, in milliseconds. */
const TIMEOUT = 60_000
const PASSWORD = 'a password of the bench'

/**
 * Measures the longest wait of a parallel `GET /healthz` while the server deals with large and hostile requests, beside its waits in
 * as much time without any, and beside the longest turn of the server's event loop and its longest pause for garbage collection. The server is a process of its own, and the waits are measured by a thread of their own. A server that does
 * not answer a shape in time, or ends, is replaced for the shapes after it.
 */
export async function stallsBench({ records: [records = RECORDS] = [], profile, only }: BenchOptions): Promise<Result[]> {
  const shapes = SHAPES.filter(({ key }) => only.length === 0 || only.includes(key))
  const pauses = await Pauses.create()
  const { execArgv, env } = pauses
  const project = { users: 1, model: PEOPLE_MODEL, files: STALL_FILES, settings: STALL_SETTINGS, execArgv, env }
  const results: Result[] = []
  say(`stalls: ${records} records`)
  while (results.length < shapes.length) {
    const work = (address: string, _: string, pid: number) =>
      measureShapes(address, pid, shapes.slice(results.length), { records, results, pauses })
    const before = results.length
    try {
      await withMembers(records, profile, work, project)
    } catch (error) {
      // A server that does not start measures nothing.
      const left = results.length === before ? shapes.slice(before) : []
      results.push(...left.map(({ name }) => failureOf({ bench: 'stalls', name, records }, error)))
    }
  }
  await pauses.remove()
  return results
}

/** What the measurements share. */
interface Run {
  readonly records: number
  readonly results: Result[]
  readonly pauses: Pauses
}

/** Measures shapes until a server no longer answers. */
async function measureShapes(address: string, pid: number, shapes: readonly Shape[], run: Run): Promise<void> {
  const { records, results } = run
  const target = await targetAt(address)
  const probe = new Worker(join(import.meta.dirname, 'processes/health-probe.mjs'), { workerData: address })
  try {
    for (const shape of shapes) {
      const result = await inTime(pid, () => measure(target, probe, shape, run)).catch((error: unknown) =>
        failureOf({ bench: 'stalls', name: shape.name, records }, error),
      )
      results.push(result)
      if (isFailure(result) && !(await isHealthy(address))) return
    }
  } finally {
    await probe.terminate()
  }
}

/** Ends a server whose work takes too long. */
async function inTime<T>(pid: number, work: () => Promise<T>): Promise<T> {
  const measured = new AbortController()
  const late = delay(TIMEOUT, undefined, { signal: measured.signal }).then(() => {
    process.kill(pid, 'SIGKILL')
    throw new Error(`The server did not answer within ${TIMEOUT / 1000} s`)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    measured.abort()
    late.catch(() => {})
  }
}

const isHealthy = (address: string): Promise<boolean> =>
  fetch(`${address}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Logs in as a user without permissions, besides the superuser of the snapshot. */
async function targetAt(address: string): Promise<StallTarget> {
  const [superuser = ''] = accessTokens(1)
  const target = { address, superuser, powerless: '' }
  const data = { username: 'powerless', email: 'powerless@example.com', password: PASSWORD }
  await prepare(target, { method: 'POST', path: '/api/v1/models/user', body: JSON.stringify({ data }) })
  const login = JSON.stringify({ username: 'powerless', password: PASSWORD })
  const { text } = await prepare(target, { method: 'POST', path: '/api/v1/auth/token', token: 'none', body: login })
  return { ...target, powerless: (JSON.parse(text) as { access_token: string }).access_token }
}

async function measure(target: StallTarget, probe: Worker, shape: Shape, { records, pauses }: Run): Promise<Figure> {
  const requests = await shape.requests(target)
  const begin = performance.now()
  const since = Date.now()
  let responses: readonly ShapeResponse[] = []
  const waits = await waitsDuring(probe, async () => {
    responses = await Promise.all(requests.map((request) => send(target, request)))
  })
  const took = performance.now() - begin
  const { turn, cpu, gc } = await pauses.longestSince(since)
  const idle = await waitsDuring(probe, () => delay(Math.min(took, 2000)))
  const ours = Math.max(...waits)
  const processor = cpu === null ? '' : `, processor ${cpu.toFixed(0)}`
  const parts = `turn ${turn.toFixed(0)}${processor}, garbage collection ${gc.toFixed(0)}`
  const statuses = [...new Set(responses.map(({ status }) => status))].join(' and ')
  const times = `${(took / 1000).toFixed(1)} s, beside ${Math.max(...idle).toFixed(0)} ms`
  say(`  ${shape.key}: ${statuses}, ${ours.toFixed(0)} ms (${parts}) in ${times}`)
  for (const { status, text } of responses)
    if (!shape.expects.includes(status)) throw new Error(`The answer is ${status}: ${text.slice(0, 300)}`)
  return {
    ...{ bench: 'stalls', name: `longest wait during ${shape.name}, beside the allowed one`, records, unit: 'ms' },
    ...{ ours, baseline: MAX_WAIT, ratio: ours / MAX_WAIT, bar: { is: 'at most', ratio: 1 } },
    details: {
      ...{ p50: percentile(waits, 50), p99: percentile(waits, 99) },
      ...{ baseline_p50: percentile(idle, 50), baseline_p99: percentile(idle, 99) },
      ...{ idle: Math.max(...idle), seconds: took / 1000, turn, gc, ...(cpu === null ? {} : { cpu }) },
    },
  }
}

/** The waits of `/healthz` during some work, in milliseconds. */
async function waitsDuring(probe: Worker, work: () => Promise<unknown>): Promise<number[]> {
  probe.postMessage('start')
  await once(probe, 'message')
  const outcome = await work().then(
    () => delay(MARGIN),
    (error: unknown) => error,
  )
  probe.postMessage('stop')
  const [waits] = (await once(probe, 'message')) as [number[]]
  if (outcome !== undefined) throw outcome
  return waits
}
