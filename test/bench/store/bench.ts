import { accessTokens } from '../data/project.ts'
import { mulberry32 } from '../data/random.ts'
import { ask } from '../load/ask.ts'
import { CONNECTIONS, type Target } from '../load/load.ts'
import { measurePairs, SHORT_TURN } from '../load/pairs.ts'
import { searchIndexMade } from '../load/search-index.ts'
import type { BenchOptions } from '../options.ts'
import { type BareServer, startBareServer } from '../processes/bare-api.ts'
import { withMembers } from '../processes/members.ts'
import { type Figure, failureOf, isFailure, type Result } from '../results/figures.ts'
import { say } from '../results/report.ts'
import { atEachSize } from '../results/sizes.ts'
import { checkAnswers, checkTotals } from './check.ts'
import { createOf, type Reads, ROWS, type Row, requestsOf } from './rows.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const EXAMPLES = 25

/** The servers and settings for one number of records. */
interface Bench {
  readonly records: number
  readonly seconds: number
  readonly ours: Target
  readonly bare: BareServer
  /** The number of the next member that each side creates. */
  readonly next: { ours: number; bare: number }
}

/** Compares our server, the compiled program with tokens and rate limits, with a bare server that returns the same bytes from a constant. */
export function storeBench(options: BenchOptions): Promise<Result[]> {
  const rows = ROWS.filter(({ key }) => options.only.length === 0 || options.only.includes(key))
  const names = rows.map(({ name }) => name)
  // Without a server, or with wrong responses, no figure is valid.
  return atEachSize('store', names, options.records ?? SIZES, (records) => benchAt(records, rows, options))
}

/** @throws {AssertionError} if a response is wrong, before or after the measurements */
function benchAt(records: number, rows: readonly Row[], { seconds, profile }: BenchOptions): Promise<Result[]> {
  return withMembers(records, profile, async (address) => {
    const ours = { address, tokens: accessTokens(CONNECTIONS) }
    const bare = await startBareServer()
    try {
      await searchIndexMade(ours)
      const first = records + (await checkAnswers(ours, records)) + 1
      const next = { ours: first, bare: first }
      const results: Result[] = []
      for (const row of rows) {
        const measured = measure(row, { records, seconds, ours, bare, next })
        results.push(await measured.catch((error: unknown) => failureOf({ bench: 'store', name: row.name, records }, error)))
      }
      // After a failed row, the number of created members is unknown.
      if (!results.some(isFailure)) await checkTotals(ours, records, next.ours - 1)
      return results
    } finally {
      await bare.stop()
    }
  })
}

async function measure(row: Row, bench: Bench): Promise<Figure> {
  const { records, seconds, ours, bare, next } = bench
  const read = row.reads === undefined ? '{}' : await typicalAnswer(row.reads, records, ours)
  await bare.answerWith({ read, created: await ask(ours, createOf(next.ours++)) })
  const side = (name: 'ours' | 'bare', target: Target) => ({
    target,
    requests: (slice: number) => requestsOf(row, records, mulberry32(100 + slice), () => next[name]++),
  })
  const { errors, firstError, ...result } = await measurePairs(
    side('ours', ours),
    side('bare', { address: bare.address, tokens: ours.tokens }),
    { seconds, turn: SHORT_TURN },
  )
  if (firstError !== undefined) throw new Error(`${errors} answers of '${row.name}' were errors; the first: ${firstError}`)
  const { generatorLoad, ratio } = result
  say(
    `  ${row.name}: ${result.ours.perSecond.toFixed(0)}/s, bare ${result.bare.perSecond.toFixed(0)}/s, ratio ${ratio.toFixed(2)}`,
  )
  const bar = row.bars[records]
  return {
    bench: 'store',
    name: row.name,
    records,
    unit: '/s',
    ours: result.ours.perSecond,
    baseline: result.bare.perSecond,
    ratio,
    ...(bar === undefined ? {} : { bar: { is: 'at least', ratio: bar } }),
    details: {
      p50: result.ours.p50,
      p99: result.ours.p99,
      baseline_p50: result.bare.p50,
      baseline_p99: result.bare.p99,
      generator_load: generatorLoad,
    },
  }
}

/** The response whose length is nearest to the mean of several, so that both servers send about the same number of bytes. */
export async function typicalAnswer(reads: Reads, records: number, ours: Target): Promise<string> {
  const next = reads(records, mulberry32(23))
  const answers: string[] = []
  while (answers.length < EXAMPLES) answers.push(await ask(ours, next()))
  const mean = answers.reduce((sum, { length }) => sum + length, 0) / EXAMPLES
  const distance = (answer: string) => Math.abs(answer.length - mean)
  return answers.reduce((best, answer) => (distance(answer) < distance(best) ? answer : best))
}
