import { setTimeout as delay } from 'node:timers/promises'
import { accessTokens, MEMBERS_PATH } from './data/project.ts'
import { integer, mulberry32, type Random } from './data/random.ts'
import { ask } from './load/ask.ts'
import { type Ask, CONNECTIONS, runLoad, type Target } from './load/load.ts'
import { measurePairs, SHORT_TURN } from './load/pairs.ts'
import { searchIndexMade } from './load/search-index.ts'
import type { BenchOptions } from './options.ts'
import { type BareServer, startBareServer } from './processes/bare-api.ts'
import { withMembers } from './processes/members.ts'
import type { Figure, Result } from './results/figures.ts'
import { say } from './results/report.ts'
import { atEachSize } from './results/sizes.ts'
import { Pauses } from './stalls/pauses.ts'
import { typicalAnswer } from './store/bench.ts'
import { filterQuestions, needleQuestions } from './store/questions.ts'
import { createOf, type Reads, ROWS, type Row } from './store/rows.ts'

const SIZES = [10_000, 100_000, 1_000_000]
/** One of so many requests writes: creates and updates by turns. */
const REQUESTS_PER_WRITE = 50
/** The first queries of each kind have all conditions, so that they need all indexes. */
const FIRST_QUERIES = 6
/** The longest that a turn of the event loop may take without its garbage collection, in milliseconds. */
const MAX_TURN = 50
/** Time until the server has noted its last pause, in milliseconds. */
const MARGIN = 300

/** The most that a 99th percentile may be of its median. */
const maxTail = (records: number): number => (records > 100_000 ? 40 : 15)

/** A kind of request that reads. */
type ReadRow = Row & { readonly reads: Reads }

/** The servers and settings for one number of records. */
interface Bench {
  readonly records: number
  readonly seconds: number
  readonly ours: Target
  readonly bare: BareServer
  readonly pauses: Pauses
  /** The number of the next member that each side creates. */
  readonly next: { ours: number; bare: number }
}

/**
 * Compares the 99th percentile of reads with their median while 2 % of the requests write, beside the bare server of `store`. Measures the
 * longest turn of the event loop meanwhile, while indexes are built, and while a snapshot is saved.
 */
export function tailsBench(options: BenchOptions): Promise<Result[]> {
  const rows = ROWS.filter((row): row is ReadRow => row.reads !== undefined).filter(
    ({ key }) => options.only.length === 0 || options.only.includes(key),
  )
  const names = rows.map(({ name }) => name)
  return atEachSize('tails', names, options.records ?? SIZES, (records) => benchAt(records, rows, options))
}

async function benchAt(records: number, rows: readonly ReadRow[], { seconds, profile }: BenchOptions): Promise<Figure[]> {
  const pauses = await Pauses.create()
  const bare = await startBareServer()
  const work = async (address: string): Promise<Figure[]> => {
    const ours = { address, tokens: accessTokens(CONNECTIONS) }
    const bench = { records, seconds, ours, bare, pauses, next: { ours: records + 1, bare: records + 1 } }
    const figures = [await turnDuring(bench, 'building indexes', () => indexesMade(ours, records))]
    for (const row of rows) {
      const turn = await turnDuring(bench, row.key, async () => {
        figures.push(await measure(row, bench))
      })
      figures.push(turn, await turnDuring(bench, `${row.key} while a snapshot is saved`, () => saveSnapshot(row, bench)))
    }
    return figures
  }
  try {
    return await withMembers(records, profile, work, { execArgv: pauses.execArgv, env: pauses.env })
  } finally {
    await bare.stop()
    await pauses.remove()
  }
}

/** Does some work and returns the longest turn meanwhile. */
async function turnDuring({ pauses, records }: Bench, name: string, work: () => Promise<unknown>): Promise<Figure> {
  const since = Date.now()
  await work()
  await delay(MARGIN)
  const { turn, own, gc } = await pauses.longestSince(since)
  say(
    `  ${name}: longest turn ${own.toFixed(0)} ms, with garbage collection and waits ${turn.toFixed(0)}; longest collection ${gc.toFixed(0)}`,
  )
  return {
    ...{ bench: 'tails', name: `${name}: longest turn without garbage collection, beside the allowed one`, records },
    ...{ unit: 'ms', ours: own, baseline: MAX_TURN, ratio: own / MAX_TURN, bar: { is: 'at most', ratio: 1 } },
    details: { turn, gc },
  }
}

async function indexesMade(target: Target, records: number): Promise<void> {
  await searchIndexMade(target)
  for (const questions of [filterQuestions(), needleQuestions(records)])
    for (const { path } of questions.slice(0, FIRST_QUERIES)) await ask(target, { method: 'GET', path })
}

async function measure(row: ReadRow, { records, seconds, ours, bare, next }: Bench): Promise<Figure> {
  const read = await typicalAnswer(row.reads, records, ours)
  await bare.answerWith({ read, created: await ask(ours, createOf(next.ours++)) })
  const side = (name: 'ours' | 'bare', target: Target) => ({
    target,
    requests: (slice: number) => mixture(row, records, mulberry32(100 + slice), () => next[name]++),
  })
  const sides = [side('ours', ours), side('bare', { address: bare.address, tokens: ours.tokens })] as const
  const { errors, firstError, ...result } = await measurePairs(...sides, { seconds, turn: SHORT_TURN })
  if (firstError !== undefined) throw new Error(`${errors} answers of '${row.name}' were errors; the first: ${firstError}`)
  const { p50, p99 } = result.ours
  const bareRatio = result.bare.p99 / result.bare.p50
  say(`  ${row.key}: p99 is ${(p99 / p50).toFixed(1)} times p50, bare ${bareRatio.toFixed(1)}`)
  return {
    ...{ bench: 'tails', name: `${row.key}: p99 beside p50, 2 % writes`, records, unit: 'ms' },
    ...{ ours: p99, baseline: p50, ratio: p99 / p50, bar: { is: 'at most', ratio: maxTail(records) } },
    details: {
      ...{ p50, p99, baseline_p50: result.bare.p50, baseline_p99: result.bare.p99, baseline_ratio: bareRatio },
      ...{ per_second: result.ours.perSecond, generator_load: result.generatorLoad },
    },
  }
}

/** The reads of a row with writes among them. */
function mixture({ reads }: ReadRow, records: number, random: Random, nextNumber: () => number): () => Ask {
  const read = reads(records, random)
  let count = 0
  return () => {
    if (++count % REQUESTS_PER_WRITE > 0) return read()
    if (count % (2 * REQUESTS_PER_WRITE) === 0) return createOf(nextNumber())
    const body = JSON.stringify({ data: { age: integer(random, 18, 90), score: integer(random, 0, 10_000) / 100 } })
    return { method: 'PUT', path: `${MEMBERS_PATH}/${integer(random, 1, records)}`, body }
  }
}

/** Saves a snapshot, which compacts `db.json`, during a row. */
async function saveSnapshot(row: ReadRow, { records, ours, next }: Bench): Promise<void> {
  let isSaved = false
  const body = JSON.stringify({ name: 'bench', force: true })
  const saved = ask(ours, { method: 'POST', path: '/api/v1/snapshots', body }).finally(() => {
    isSaved = true
  })
  const requests = mixture(row, records, mulberry32(7), () => next.ours++)
  await Promise.all([saved, runLoad(ours, requests, () => isSaved)])
}
