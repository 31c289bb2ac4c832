import { median, percentile } from '../results/figures.ts'
import { type Ask, type LoadResult, lasting, runLoad, type Target } from './load.ts'

const WARM_UP_PAIRS = 4
const PAIRS = 5
/** Length of a turn in seconds; the speed of a shared machine rarely changes within it. */
export const SHORT_TURN = 0.25

/** One of the two servers under comparison. */
export interface Side {
  readonly target: Target
  /** The requests of a slice: the same for both sides, but each side creates its own records. */
  requests(slice: number): () => Ask
}

/** Results of one side over all slices. */
export interface SideResult {
  /** Median rate of the slices. */
  readonly perSecond: number
  /** Milliseconds, of reads if there are any. */
  readonly p50: number
  readonly p99: number
}

/** Requests per second in two consecutive slices. */
export interface Pair {
  readonly ours: number
  readonly bare: number
}

export interface PairsResult {
  readonly ours: SideResult
  readonly bare: SideResult
  /** Median of the ratios of the pairs. */
  readonly ratio: number
  /** Median of the ratios of the 99th percentiles of the pairs. */
  readonly p99Ratio: number
  readonly pairs: readonly Pair[]
  readonly errors: number
  readonly firstError: string | undefined
  /** Maximum CPU use of the load generator, in cores. */
  readonly generatorLoad: number
}

/** Duration of the loads, in seconds. */
export interface Pacing {
  /** Length of a slice. */
  readonly seconds: number
  /** Number of pairs of slices. A small difference between the servers needs more. */
  readonly count?: number
  /** Seconds until the other server takes its turn, rounded so that turns divide a slice. Default: a whole slice. */
  readonly turn?: number
  /** Requests per second; as many as the server answers when absent. */
  readonly perSecond?: number
}

/**
 * Loads two servers in alternating turns, after a warm-up of both. The server that goes first alternates, so that a change in the
 * speed of the machine favours neither. The speed of a shared machine changes within a second, so turns should be shorter than that,
 * unless a server does much work in the background after its turn.
 */
export async function measurePairs(
  ours: Side,
  bare: Side,
  { seconds, count = PAIRS, turn = seconds, perSecond }: Pacing,
): Promise<PairsResult> {
  const turns = Math.max(1, Math.round(seconds / turn))
  const slices: { ours: LoadResult; bare: LoadResult }[] = []
  for (let index = 0; index < WARM_UP_PAIRS + count; index++) {
    const [requests, bareRequests] = [ours.requests(index), bare.requests(index)]
    const parts: { ours: LoadResult[]; bare: LoadResult[] } = { ours: [], bare: [] }
    for (let part = 0; part < turns; part++) {
      const run = (target: Target, next: () => Ask) => runLoad(target, next, lasting(seconds / turns), perSecond)
      const load = async () => parts.ours.push(await run(ours.target, requests))
      const loadBare = async () => parts.bare.push(await run(bare.target, bareRequests))
      const inOrder = (index + part) % 2 === 0 ? [load, loadBare] : [loadBare, load]
      for (const each of inOrder) await each()
    }
    slices.push({ ours: together(parts.ours), bare: together(parts.bare) })
  }
  const all = slices.flatMap((slice) => [slice.ours, slice.bare])
  const measured = slices.slice(WARM_UP_PAIRS)
  const pairs = measured.map(({ ours, bare }): Pair => ({ ours: ours.perSecond, bare: bare.perSecond }))
  return {
    ours: summary(measured.map((pair) => pair.ours)),
    bare: summary(measured.map((pair) => pair.bare)),
    ratio: median(pairs.map((pair) => pair.ours / pair.bare)),
    p99Ratio: median(measured.map((pair) => summary([pair.ours]).p99 / summary([pair.bare]).p99)),
    pairs,
    errors: all.reduce((sum, { errors }) => sum + errors, 0),
    firstError: all.find(({ firstError }) => firstError !== undefined)?.firstError,
    generatorLoad: Math.max(...all.map(({ generatorLoad }) => generatorLoad)),
  }
}

/** Combines several loads. Pauses within any of them count. */
function together(parts: readonly LoadResult[]): LoadResult {
  const samples = parts.flatMap((part) => part.samples)
  const milliseconds = parts.reduce((sum, part) => sum + part.milliseconds, 0)
  return {
    samples,
    errors: parts.reduce((sum, { errors }) => sum + errors, 0),
    firstError: parts.find(({ firstError }) => firstError !== undefined)?.firstError,
    milliseconds,
    perSecond: (samples.length * 1000) / milliseconds,
    generatorLoad: parts.reduce((sum, part) => sum + part.generatorLoad * part.milliseconds, 0) / milliseconds,
  }
}

function summary(slices: readonly LoadResult[]): SideResult {
  const samples = slices.flatMap((slice) => slice.samples)
  const reads = samples.filter(({ method }) => method === 'GET')
  const latencies = (reads.length > 0 ? reads : samples).map(({ begin, end }) => end - begin)
  return {
    perSecond: median(slices.map(({ perSecond }) => perSecond)),
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
  }
}
