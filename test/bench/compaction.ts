import { readdirSync } from 'node:fs'
import { accessTokens, dataFolder, MEMBERS_PATH } from './data/project.ts'
import { integer, mulberry32 } from './data/random.ts'
import { type Ask, CONNECTIONS, lasting, runLoad, type Sample } from './load/load.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import { type Figure, percentile, type Result } from './results/figures.ts'
import { atEachSize } from './results/sizes.ts'
import { createOf } from './store/rows.ts'

const SIZES = [10_000, 100_000]
/** Interval of reading the data folder. */
const LOOK_MS = 10
/** Time before and after a compaction that still counts as part of it. */
const MARGIN_MS = 20
/** Number of compactions to observe. */
const FOLDS = 6
/** Maximum duration of the observation, in slices. */
const MAX_SLICES = 60
/** Number of records that get long texts repeatedly, so that the journal grows and the snapshot does not. */
const TARGETS = 50
const BAR = { is: 'at most', ratio: 3 } as const

/** The time of one compaction of the journal into the snapshot, from `performance.now()`. */
interface Fold {
  readonly begin: number
  readonly end: number
}

/** Compares the p99 of reads and creates during compaction with the p99 between compactions. */
export function compactionBench(options: BenchOptions): Promise<Result[]> {
  return atEachSize('compaction', ['p99 during a fold'], options.records ?? SIZES, (records) => benchAt(records, options))
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

/** Of 50 requests, 39 read, 10 create, and 1 writes a long text, which makes the journal grow. */
function mixture(records: number): () => Ask {
  const random = mulberry32(29)
  // A larger snapshot needs a longer journal before compaction starts, but too long a text would delay other requests itself.
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

/** Records the times in which a folder has more than one journal: from sealing a journal until compaction removes it. */
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
