import { readdirSync } from 'node:fs'
import { accessTokens, dataFolder, MEMBERS_PATH } from './data/project.ts'
import { integer, mulberry32 } from './data/random.ts'
import { type Figure, failureOf, percentile, type Result } from './figures.ts'
import { type Ask, CONNECTIONS, lasting, runLoad, type Sample } from './load/load.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import { say } from './report.ts'
import { createOf } from './store/rows.ts'

const SIZES = [10_000, 100_000]
/** How often the data folder is looked at, and how much before and after a fold still counts as part of it. */
const LOOK_MS = 10
const MARGIN_MS = 20
/** Folds to see, within so many slices. */
const FOLDS = 6
const MAX_SLICES = 60
/** The records that long texts are written to, over and over: the journal grows and the snapshot does not. */
const TARGETS = 50
const BAR = { is: 'at most', ratio: 3 } as const

/** A time during which the journal was being folded into the snapshot, by `performance.now()`. */
interface Fold {
  readonly begin: number
  readonly end: number
}

/** p99 of reads and of creates while the journal is being folded into the snapshot, against the times between. */
export async function compactionBench(options: BenchOptions): Promise<Result[]> {
  const results: Result[] = []
  for (const records of options.records ?? SIZES) {
    say(`compaction: ${records} records`)
    try {
      results.push(...(await benchAt(records, options)))
    } catch (error) {
      results.push(failureOf({ bench: 'compaction', name: 'p99 during a fold', records }, error))
    }
  }
  return results
}

function benchAt(records: number, { seconds, profile }: BenchOptions): Promise<Figure[]> {
  return withMembers(records, profile, async (address, folder) => {
    const target = { address, tokens: accessTokens(CONNECTIONS) }
    const requests = mixture(records)
    await runLoad(target, requests, lasting(seconds))
    const watch = watchFolds(dataFolder(folder))
    const isLate = lasting(MAX_SLICES * seconds)
    try {
      const { samples, errors, firstError } = await runLoad(target, requests, () => watch.folds.length >= FOLDS || isLate())
      if (firstError !== undefined) throw new Error(`${errors} answers were errors; the first: ${firstError}`)
      watch.stop()
      return figures(records, samples, watch.folds)
    } finally {
      watch.stop()
    }
  })
}

/** Of fifty requests 39 read, ten create, and one writes a long text, which is what makes the journal grow. */
function mixture(records: number): () => Ask {
  const random = mulberry32(29)
  // A larger snapshot takes a longer journal to outgrow, but a text that is too long would itself be what others wait for.
  const text = 'long '.repeat(Math.min(Math.max(records / 5, 4000), 12_000))
  let number = records
  let turn = 0
  return () => {
    turn++
    if (turn % 5 === 0) return createOf(++number)
    if (turn % 50 !== 1) return { method: 'GET', path: `${MEMBERS_PATH}/${integer(random, 1, records)}` }
    const body = JSON.stringify({ data: { bio: `${turn} ${text}` } })
    return { method: 'PUT', path: `${MEMBERS_PATH}/${integer(random, 1, TARGETS)}`, body }
  }
}

/** Notes when a folder has more than one journal: from the sealing of one until it is folded in and removed. */
function watchFolds(folder: string): { readonly folds: readonly Fold[]; stop(): void } {
  const folds: Fold[] = []
  let begin: number | undefined
  const end = () => {
    if (begin !== undefined) folds.push({ begin, end: performance.now() })
    begin = undefined
  }
  const timer = setInterval(() => {
    const journals = readdirSync(folder).filter((name) => /^journal\.\d+\.log$/.test(name)).length
    if (journals > 1) begin ??= performance.now()
    else end()
  }, LOOK_MS)
  return {
    folds,
    stop() {
      clearInterval(timer)
      end()
    },
  }
}

function figures(records: number, samples: readonly Sample[], folds: readonly Fold[]): Figure[] {
  if (folds.length === 0) throw new Error('The journal was never folded into the snapshot')
  const isDuring = ({ begin, end }: Sample) =>
    folds.some((fold) => begin <= fold.end + MARGIN_MS && end >= fold.begin - MARGIN_MS)
  const foldMs = folds.reduce((sum, { begin, end }) => sum + end - begin, 0) / folds.length
  const figure = (name: string, method: Ask['method']): Figure => {
    const during: number[] = []
    const between: number[] = []
    for (const sample of samples) {
      if (sample.method === method) (isDuring(sample) ? during : between).push(sample.end - sample.begin)
    }
    const ours = percentile(during, 99)
    const baseline = percentile(between, 99)
    const details = {
      folds: folds.length,
      fold_ms: foldMs,
      requests_during: during.length,
      requests_between: between.length,
      p50: percentile(during, 50),
      p99: ours,
      baseline_p50: percentile(between, 50),
      baseline_p99: baseline,
      longest: percentile(during, 100),
    }
    return { bench: 'compaction', name, records, unit: 'ms', ours, baseline, ratio: ours / baseline, bar: BAR, details }
  }
  return [figure('p99 of reads during a fold', 'GET'), figure('p99 of creates during a fold', 'POST')]
}
