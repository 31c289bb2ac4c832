import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'csv-stringify/sync'
import { accessTokens, MEMBERS_PATH } from './data/project.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import { type Bar, type Figure, median, type Result } from './results/figures.ts'
import { atEachSize } from './results/sizes.ts'

const SIZE = 100_000
const RUNS = 11
const MEBIBYTE = 2 ** 20
const MAX_MEMORY = 64
/** Duration of a reader's stall in milliseconds. By then, the server has filled its buffers. */
const STALL_MS = 3000
const BARS = {
  csv: { is: 'at least', ratio: 0.7 },
  json: { is: 'at least', ratio: 2 },
  memory: { is: 'at most', ratio: 1 },
} as const satisfies Record<string, Bar>

/** Compares exports over HTTP with csv-stringify on the same rows, and measures the memory of the server. */
export function exportBench({ records: sizes = [SIZE], profile }: BenchOptions): Promise<Result[]> {
  return atEachSize('export', ['export'], sizes, (records) =>
    withMembers(records, profile, (address, _, pid) => benchAt(records, `${address}${MEMBERS_PATH}`, pid)),
  )
}

async function benchAt(records: number, path: string, pid: number): Promise<Figure[]> {
  const url = (format: string) => `${path}/export?format=${format}`
  const rows = (JSON.parse(await read(url('json'))) as object[]).map((record) => Object.values(record))
  const times = { csv: [] as number[], json: [] as number[], alone: [] as number[] }
  for (let run = 0; run < RUNS; run++) {
    times.csv.push(await timed(() => drain(url('csv'))))
    times.alone.push(await timed(async () => stringify(rows, { record_delimiter: 'windows' }).length))
    times.json.push(await timed(() => drain(url('json'))))
  }
  const perSecond = (milliseconds: readonly number[]) => (records * 1000) / median(milliseconds)
  const baseline = perSecond(times.alone)
  const throughput = (format: 'csv' | 'json'): Figure => {
    const ours = perSecond(times[format])
    const name = `export as ${format.toUpperCase()}, beside csv-stringify alone`
    return { bench: 'export', name, records, unit: '/s', ours, baseline, ratio: ours / baseline, bar: BARS[format] }
  }
  const memory = async (name: string, work: () => Promise<void>): Promise<Figure> => {
    const ours = (await peakOver(pid, work)) / MEBIBYTE
    const common = { bench: 'export', name: `memory of the server above rest, ${name}`, records, unit: 'MiB' }
    return { ...common, ours, baseline: MAX_MEMORY, ratio: ours / MAX_MEMORY, bar: BARS.memory }
  }
  return [
    throughput('csv'),
    throughput('json'),
    await memory('while CSV is read', () => drain(url('csv'))),
    await memory('while a reader of CSV stalls', () => drain(url('csv'), STALL_MS)),
  ]
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const [token] = accessTokens(1)

async function read(url: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (response.status !== 200) throw new Error(`${url} was answered ${response.status}`)
  return response.text()
}

/** Reads a response and discards it, so that the reader costs as little as possible. */
function drain(url: string, stall = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} was answered ${response.statusCode}`))
      response.on('end', resolve).on('error', reject)
      void sleep(stall).then(() => response.resume())
    })
      .on('error', reject)
      .end()
  })
}

/** Maximum increase of a process's resident memory during `work`, in bytes. */
async function peakOver(pid: number, work: () => Promise<void>): Promise<number> {
  const rest = await resident(pid)
  let peak = rest
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      peak = Math.max(peak, await resident(pid))
      await sleep(5)
    }
  })()
  await work()
  isDone = true
  await watching
  return peak - rest
}

/** Resident memory of a process in bytes, from Linux's `/proc`. */
async function resident(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
