import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compiledScript } from '../helpers/compile.ts'
import { MEMBER_MODEL } from './data/members.ts'
import { accessTokens } from './data/project.ts'
import { CONNECTIONS } from './load/load.ts'
import { measurePairs, type Pair, SHORT_TURN, type Side } from './load/pairs.ts'
import { searchIndexMade } from './load/search-index.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import { type Bar, type Figure, median, percentile, type Result } from './results/figures.ts'
import { say } from './results/report.ts'
import { atEachSize } from './results/sizes.ts'
import type { EngineName } from './search/engines.ts'
import { KINDS, type Kind } from './search/questions.ts'
import { createOf } from './store/rows.ts'

const SIZES = [100_000, 1_000_000]
/** Maximum number of records for the other engines, which need too much time or memory for more. */
const MAX_OTHERS = 100_000
const RUNS = 3
const UNSEARCHED_MODEL = MEMBER_MODEL.replaceAll(/type: (string|text|email)/g, '$&, searchable: false')
const MEBIBYTE = 2 ** 20
const BARS = {
  building: { is: 'at most', ratio: 1 },
  memory: { is: 'at most', ratio: 1 },
  search: { is: 'at most', ratio: 0.8 },
  create: { is: 'at least', ratio: 0.9 },
} as const satisfies Record<string, Bar>

/** The report of a process that measured an engine. */
interface Engine {
  readonly milliseconds: number
  readonly longestPause: number
  readonly bytes: number
  readonly resident: number
  readonly searches: readonly { readonly kind: Kind; readonly found: number; readonly times: readonly number[] }[]
}

/** Compares our search index with MiniSearch (the baseline) and lunr, over the same members with the same queries. */
export async function searchBench(options: BenchOptions): Promise<Result[]> {
  const sizes = options.records ?? SIZES
  const searches = await atEachSize('search', ['search index'], sizes, benchAt)
  const creates = sizes.filter((records) => records <= MAX_OTHERS)
  return [
    ...searches,
    ...(await atEachSize('search', [CREATE], creates, async (records) => [await createFigure(records, options)])),
  ]
}

async function benchAt(records: number): Promise<Figure[]> {
  const hasOthers = records <= MAX_OTHERS
  const ours: Engine[] = []
  const minisearch: Engine[] = []
  for (let run = 0; run < (hasOthers ? RUNS : 1); run++) {
    ours.push(await runEngine('ours', records))
    if (hasOthers) minisearch.push(await runEngine('minisearch', records))
  }
  const lunr = hasOthers ? await runEngine('lunr', records) : undefined
  const figure = (name: string, unit: string, bar: Bar | undefined, value: (engine: Engine) => number): Figure => {
    const common = { bench: 'search', name, records, unit, ours: median(ours.map(value)) }
    if (minisearch.length === 0) return common
    const baseline = median(minisearch.map(value))
    const details = lunr === undefined ? {} : { lunr: value(lunr) }
    return { ...common, baseline, ratio: common.ours / baseline, ...(bar === undefined ? {} : { bar }), details }
  }
  return [
    figure('making the search index, beside MiniSearch', 'ms', BARS.building, ({ milliseconds }) => milliseconds),
    pauseFigure(records, ours),
    figure('memory of the search index, beside MiniSearch', 'MiB', BARS.memory, ({ bytes }) => bytes / MEBIBYTE),
    ...KINDS.flatMap((kind) =>
      [50, 95].map((percent) =>
        figure(`search, ${kind}, p${percent}, beside MiniSearch`, 'ms', BARS.search, (engine) => timeOf(engine, kind, percent)),
      ),
    ),
  ]
}

/** The baseline is the allowed pause, since the other engines block the event loop throughout. */
function pauseFigure(records: number, engines: readonly Engine[]): Figure {
  const ours = median(engines.map(({ longestPause }) => longestPause))
  const common = { bench: 'search', name: 'longest pause while the index is made, beside 50 ms', records, unit: 'ms', ours }
  return { ...common, baseline: 50, ratio: ours / 50, ...(records <= MAX_OTHERS ? { bar: BARS.memory } : {}) }
}

/**
 * Number of starts of both servers. On a shared machine, slices differ by a third, and two processes of the same program by a tenth. The
 * process that was started last is 1 to 2 % faster, so each server is started last equally often.
 */
const CREATE_STARTS = 4
const CREATE_PAIRS = 7

const CREATE = 'create, searched, beside no field that is'

/** Compares creates over HTTP on a server with searchable fields and on one without. */
async function createFigure(records: number, options: BenchOptions): Promise<Figure> {
  const pairs: Pair[] = []
  for (let start = 0; start < CREATE_STARTS; start++) pairs.push(...(await createPairs(records, options, start % 2 === 0)))
  const ours = median(pairs.map((pair) => pair.ours))
  const baseline = median(pairs.map((pair) => pair.bare))
  const ratio = median(pairs.map((pair) => pair.ours / pair.bare))
  return { bench: 'search', name: CREATE, records, unit: '/s', ratio, ours, baseline, bar: BARS.create }
}

type Work<T> = (address: string) => Promise<T>

function createPairs(records: number, { seconds, profile }: BenchOptions, isSearchedFirst: boolean): Promise<readonly Pair[]> {
  const withSearched = <T>(work: Work<T>) =>
    withMembers(records, profile, async (address) => {
      await searchIndexMade(createsAt(address, records).target)
      return work(address)
    })
  const withUnsearched = <T>(work: Work<T>) => withMembers(records, undefined, work, { model: UNSEARCHED_MODEL })
  const measure = async (searched: string, unsearched: string) => {
    const pacing = { seconds, count: CREATE_PAIRS, turn: SHORT_TURN }
    const { pairs, errors, firstError } = await measurePairs(createsAt(searched, records), createsAt(unsearched, records), pacing)
    if (firstError !== undefined) throw new Error(`${errors} answers were errors; the first: ${firstError}`)
    return pairs
  }
  return isSearchedFirst
    ? withSearched((searched) => withUnsearched((unsearched) => measure(searched, unsearched)))
    : withUnsearched((unsearched) => withSearched((searched) => measure(searched, unsearched)))
}

function createsAt(address: string, records: number): Side {
  let number = records
  return { target: { address, tokens: accessTokens(CONNECTIONS) }, requests: () => () => createOf(++number) }
}

const timeOf = ({ searches }: Engine, kind: Kind, percent: number): number =>
  percentile(searches.find((each) => each.kind === kind)?.times ?? [], percent)

async function runEngine(engine: EngineName, records: number): Promise<Engine> {
  const program = await compiledScript(join(import.meta.dirname, 'processes/search-engine.ts'))
  const args = ['--expose-gc', '--max-old-space-size=16384', program, engine, String(records)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * MEBIBYTE })
  const report = JSON.parse(stdout) as Engine
  const found = report.searches.map((each) => `${each.kind} ${Math.round(each.found)} found`).join(', ')
  say(`  ${engine}: made in ${report.milliseconds.toFixed(0)} ms, ${(report.bytes / MEBIBYTE).toFixed(0)} MiB; ${found}`)
  return report
}
