import { startServer } from '../../helpers/cli/process.ts'
import { accessTokens } from '../data/project.ts'
import { ask } from '../load/ask.ts'
import { CONNECTIONS, type Target } from '../load/load.ts'
import { measurePairs, SHORT_TURN } from '../load/pairs.ts'
import type { BenchOptions } from '../options.ts'
import { onServerCore } from '../processes/cores.ts'
import { residentMemory } from '../processes/resident-memory.ts'
import { type Figure, failureOf, isFailure, limitedFigure, type Result } from '../results/figures.ts'
import { say } from '../results/report.ts'
import { atEachSize } from '../results/sizes.ts'
import { checkReads } from './check.ts'
import { cpuTime } from './cpu-time.ts'
import { type BenchDatabase, benchDatabase } from './database.ts'
import { type HandServer, startHandServer } from './hand-server.ts'
import { importFigure } from './import.ts'
import { IMPORT_KEY, SEARCH_KEY } from './keys.ts'
import { POSTGRES_ROWS, type PostgresRow, questionsOf } from './rows.ts'
import { searchFigures } from './search.ts'

const SIZES = [100_000, 1_000_000]
/** Milliseconds until the first answer, and MiB of the process, that are permitted. */
const FIRST_ANSWER = 2000
const MEMORY = 250

/** A server under load, and its process. */
interface Server extends Target {
  readonly pid: number | undefined
  /** The number of the next member that it creates. */
  next: number
  /** Number of requests. */
  asked: number
}

/**
 * Compares our server, the compiled program, with one written by hand for the same database. Each server has a core of its own while it is
 * under load; PostgreSQL and the load have the other one.
 */
export function postgresBench(options: BenchOptions): Promise<Result[]> {
  return atEachSize('postgres', ['PostgreSQL'], options.records ?? SIZES, async (records) => {
    const database = await benchDatabase(records)
    try {
      return await benchAt(database, records, options)
    } finally {
      await database.remove()
    }
  })
}

async function benchAt(database: BenchDatabase, records: number, { only, ...options }: BenchOptions): Promise<Result[]> {
  const isWanted = (key: string) => only.length === 0 || only.includes(key)
  const rows = POSTGRES_ROWS.filter(({ key }) => isWanted(key))
  const results = rows.length === 0 ? [] : await serve(database, records, rows, options)
  const add = async (key: string, name: string, work: () => Promise<Figure | Figure[]>) => {
    if (!isWanted(key)) return
    const found = await work().catch((error: unknown) => failureOf({ bench: 'postgres', name, records }, error))
    results.push(...[found].flat())
  }
  await add(SEARCH_KEY, 'search', () => searchFigures(database, records))
  // Removes the members.
  await add(IMPORT_KEY, 'import', () => importFigure(database, records))
  return results
}

async function serve(
  database: BenchDatabase,
  records: number,
  rows: readonly PostgresRow[],
  { seconds, profile }: Omit<BenchOptions, 'only'>,
): Promise<Result[]> {
  const execArgv = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  const tokens = accessTokens(CONNECTIONS)
  const begin = performance.now()
  const admin = await onServerCore(() => startServer(['--project', database.project.path], { execArgv }))
  const serverOf = (address: string, pid: number | undefined): Server => ({ address, pid, tokens, next: records + 1, asked: 0 })
  const ours = serverOf(admin.address, admin.child.pid)
  const results: Result[] = []
  let hand: HandServer | undefined
  try {
    await ask(ours, { method: 'GET', path: `/api/v1/models/member/${records}` })
    results.push(limited('from starting the program to its first answer', records, 'ms', performance.now() - begin, FIRST_ANSWER))
    hand = await onServerCore(() => startHandServer(database.url, execArgv))
    const theirs = serverOf(hand.address, hand.pid)
    let isWithoutIndex = false
    for (const row of rows) {
      try {
        const isRead = row.ours(questionsOf(records, 0, () => records + 1))().method === 'GET'
        if (isRead) await checkReads(row, ours, theirs, records)
        else if (!isWithoutIndex) {
          // Both tables now have the same indexes.
          await database.query('drop index hand.hand_first_name')
          isWithoutIndex = true
        }
        if (row.hasWebhook) await addWebhook(ours)
        results.push(await measure(row, ours, theirs, { records, seconds }))
      } catch (error) {
        results.push(failureOf({ bench: 'postgres', name: row.name, records }, error))
      }
    }
    const memory = await residentMemory(admin.child.pid)
    if (memory !== undefined) results.push(limited('memory of the process at its highest', records, 'MiB', memory.peak, MEMORY))
    return results
  } finally {
    const { code, stderr } = await admin.stop()
    await hand?.stop()
    if (code !== 0) say(`  The server ended with ${code}: ${stderr}`)
    if (results.some(isFailure)) say(stderr.slice(-2000))
  }
}

async function measure(
  row: PostgresRow,
  ours: Server,
  hand: Server,
  { records, seconds }: { records: number; seconds: number },
): Promise<Figure> {
  const side = (server: Server, requests: PostgresRow['ours']) => ({
    target: server,
    requests: (slice: number) => {
      const next = requests(questionsOf(records, slice, () => server.next++))
      return () => {
        server.asked++
        return next()
      }
    },
  })
  const before = await timesOf(ours, hand)
  const { errors, firstError, ...result } = await measurePairs(side(ours, row.ours), side(hand, row.hand ?? row.ours), {
    seconds,
    turn: SHORT_TURN,
  })
  const after = await timesOf(ours, hand)
  if (firstError !== undefined) throw new Error(`${errors} answers were errors; the first: ${firstError}`)
  const [cpu = Number.NaN, handCpu = Number.NaN] = after.map(
    ({ time, asked }, index) => (time - (before[index]?.time ?? 0)) / (asked - (before[index]?.asked ?? 0)),
  )
  const { ratio, generatorLoad } = result
  const rates = `${result.ours.perSecond.toFixed(0)}/s, by hand ${result.bare.perSecond.toFixed(0)}/s`
  say(`  ${row.name}: ${rates}, ratio ${ratio.toFixed(2)}, CPU ${cpu.toFixed(0)} and ${handCpu.toFixed(0)} µs a request`)
  return {
    bench: 'postgres',
    name: row.name,
    records,
    unit: '/s',
    ours: result.ours.perSecond,
    baseline: result.bare.perSecond,
    ratio,
    bar: { is: 'at least', ratio: row.bar(records) },
    details: {
      p50: result.ours.p50,
      p99: result.ours.p99,
      baseline_p50: result.bare.p50,
      baseline_p99: result.bare.p99,
      generator_load: generatorLoad,
      cpu_microseconds: cpu,
      baseline_cpu_microseconds: handCpu,
    },
  }
}

const timesOf = (...servers: readonly Server[]) =>
  Promise.all(servers.map(async ({ pid, asked }) => ({ time: await cpuTime(pid), asked })))

/** A figure that has an upper limit in place of a baseline. */
function limited(name: string, records: number, unit: string, ours: number, limit: number): Figure {
  say(`  ${name}: ${ours.toFixed(0)} ${unit}`)
  return limitedFigure({ bench: 'postgres', name, records, unit, ours }, limit)
}

/** A receiver that does not listen: the events are stored, and the deliveries take no time from the creates. */
const addWebhook = (server: Target) =>
  ask(server, {
    method: 'POST',
    path: '/api/v1/webhooks',
    body: JSON.stringify({ url: 'http://127.0.0.1:9/', models: ['member'] }),
  })
