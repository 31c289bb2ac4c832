import { median, percentile } from '../figures.ts'
import { type Ask, type LoadResult, lasting, runLoad, type Target } from './load.ts'

const WARM_UP_PAIRS = 4
const PAIRS = 5
/** So long one of the two is loaded before it is the other's turn, in seconds: a shared machine changes its speed within seconds. */
const TURN = 0.25

/** One of the two servers under comparison. */
export interface Side {
  readonly target: Target
  /** The requests of a slice: the same for both sides, but that each makes creates of its own. */
  requests(slice: number): () => Ask
}

/** How a side did over all its slices. */
export interface SideResult {
  /** Median of the slices. */
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** Rates of two slices that were taken one right after the other, per second. */
export interface Pair {
  readonly ours: number
  readonly bare: number
}

export interface PairsResult {
  readonly ours: SideResult
  readonly bare: SideResult
  /** Median of the ratios of slices that were taken one right after the other. */
  readonly ratio: number
  readonly pairs: readonly Pair[]
  readonly errors: number
  readonly firstError: string | undefined
  /** The busiest that the generator was, 1 being one core. */
  readonly generatorLoad: number
}

/**
 * Loads two servers by turns, after both were warmed up. Who goes first changes, so that a machine that grows slower or faster
 * favours neither.
 *
 * @param seconds how long each is loaded, `count` times
 * @param count more where little lies between the two
 */
export async function measurePairs(ours: Side, bare: Side, seconds: number, count = PAIRS): Promise<PairsResult> {
  const turns = Math.max(1, Math.round(seconds / TURN))
  const slice = (side: Side, index: number) => runLoad(side.target, side.requests(index), lasting(seconds / turns))
  const slices: { ours: LoadResult; bare: LoadResult }[] = []
  for (let index = 0; index < (WARM_UP_PAIRS + count) * turns; index++) {
    const first = index % 2 === 0 ? await slice(ours, index) : undefined
    const bareResult = await slice(bare, index)
    slices.push({ ours: first ?? (await slice(ours, index)), bare: bareResult })
  }
  const all = slices.flatMap((slice) => [slice.ours, slice.bare])
  const measured = slices.slice(WARM_UP_PAIRS * turns)
  const pairs = measured.map(({ ours, bare }): Pair => ({ ours: ours.perSecond, bare: bare.perSecond }))
  return {
    ours: summary(measured.map((pair) => pair.ours)),
    bare: summary(measured.map((pair) => pair.bare)),
    ratio: median(pairs.map((pair) => pair.ours / pair.bare)),
    pairs,
    errors: all.reduce((sum, { errors }) => sum + errors, 0),
    firstError: all.find(({ firstError }) => firstError !== undefined)?.firstError,
    generatorLoad: Math.max(...all.map(({ generatorLoad }) => generatorLoad)),
  }
}

function summary(slices: readonly LoadResult[]): SideResult {
  const latencies = slices.flatMap(({ samples }) => samples.map(({ begin, end }) => end - begin))
  return {
    perSecond: median(slices.map(({ perSecond }) => perSecond)),
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
  }
}
