import { accessTokens } from './data/project.ts'
import { CONNECTIONS } from './load/load.ts'
import { measurePairs, SHORT_TURN, type Side } from './load/pairs.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import type { Figure, Result } from './results/figures.ts'
import { atEachSize } from './results/sizes.ts'
import { createOf } from './store/rows.ts'

const SIZES = [10_000]
const NAME = 'creates with a history, beside none'
const BAR = { is: 'at least', ratio: 0.8 } as const

/** Compares creates on a server that records the history of its records with those on one that does not. */
export function historyBench(options: BenchOptions): Promise<Result[]> {
  return atEachSize('history', [NAME], options.records ?? SIZES, async (records) => [await benchAt(records, options)])
}

function benchAt(records: number, { seconds, profile }: BenchOptions): Promise<Figure> {
  const settings = 'history: { days: 90 }\n'
  return withMembers(
    records,
    profile,
    (recorded) =>
      withMembers(records, undefined, async (plain) => {
        const pacing = { seconds, turn: SHORT_TURN, count: 9 }
        const result = await measurePairs(creating(recorded, records), creating(plain, records), pacing)
        const { ours, bare, ratio, errors, firstError, generatorLoad } = result
        if (firstError !== undefined) throw new Error(`${errors} answers were errors; the first: ${firstError}`)
        const details = {
          ...{ p50: ours.p50, p99: ours.p99, baseline_p50: bare.p50, baseline_p99: bare.p99 },
          generator_load: generatorLoad,
        }
        const figures = { ours: ours.perSecond, baseline: bare.perSecond, ratio }
        return { bench: 'history', name: NAME, records, unit: '/s', ...figures, bar: BAR, details }
      }),
    { settings },
  )
}

/** Creates members that do not exist yet. */
export function creating(address: string, records: number): Side {
  let number = records
  return { target: { address, tokens: accessTokens(CONNECTIONS) }, requests: () => () => createOf(++number) }
}
