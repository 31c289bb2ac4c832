import { median, percentile } from '../figures.ts'
import { type Ask, type LoadResult, lasting, runLoad, type Target } from './load.ts'

const WARM_UP_PAIRS = 4
const PAIRS = 5
/** A turn that is shorter than the machine keeps its speed, in seconds. */
export const SHORT_TURN = 0.25

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

/** How long two servers are loaded, in seconds. */
export interface Pacing {
  readonly seconds: number
  /** How many pairs of so many seconds: more where little lies between the two. */
  readonly count?: number
  /** After so long it is the other's turn: as often as that divides a slice; absent, after the slice. */
  readonly turn?: number
}

/**
 * Loads two servers by turns, after both were warmed up. Who goes first changes, so that a machine that grows slower or faster
 * favours neither; on a shared one, whose speed changes within a second, turns should be shorter than that, where what a server
 * does after its turn is next to nothing.
 */
export async function measurePairs(
  ours: Side,
  bare: Side,
  { seconds, count = PAIRS, turn = seconds }: Pacing,
): Promise<PairsResult> {
  const turns = Math.max(1, Math.round(seconds / turn))
  const slices: { ours: LoadResult; bare: LoadResult }[] = []
  for (let index = 0; index < WARM_UP_PAIRS + count; index++) {
    const [requests, bareRequests] = [ours.requests(index), bare.requests(index)]
    const parts: { ours: LoadResult[]; bare: LoadResult[] } = { ours: [], bare: [] }
    for (let part = 0; part < turns; part++) {
      const load = async () => parts.ours.push(await runLoad(ours.target, requests, lasting(seconds / turns)))
      const loadBare = async () => parts.bare.push(await runLoad(bare.target, bareRequests, lasting(seconds / turns)))
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
    pairs,
    errors: all.reduce((sum, { errors }) => sum + errors, 0),
    firstError: all.find(({ firstError }) => firstError !== undefined)?.firstError,
    generatorLoad: Math.max(...all.map(({ generatorLoad }) => generatorLoad)),
  }
}

/** Several loads as one: every pause in any of them counts. */
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
  const latencies = slices.flatMap(({ samples }) => samples.map(({ begin, end }) => end - begin))
  return {
    perSecond: median(slices.map(({ perSecond }) => perSecond)),
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
  }
}
