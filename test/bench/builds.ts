import { join } from 'node:path'
import { accessTokens } from './data/project.ts'
import { mulberry32 } from './data/random.ts'
import { CONNECTIONS, type Target } from './load/load.ts'
import { measurePairs, type Pair, SHORT_TURN, type Side } from './load/pairs.ts'
import { searchIndexMade } from './load/search-index.ts'
import type { BenchOptions } from './options.ts'
import { keepOn, OTHER_CORE, SERVER_CORE } from './processes/cores.ts'
import { withMembers } from './processes/members.ts'
import { type Bar, median, type Result } from './results/figures.ts'
import { say } from './results/report.ts'
import { atEachSize } from './results/sizes.ts'
import { ROWS, type Row, requestsOf } from './store/rows.ts'

const SIZES = [10_000, 100_000, 1_000_000]
/** Two processes of one build differ by 4 %, so each round has new ones. */
const ROUNDS = 6
const PAIRS_PER_ROUND = 8
const BAR: Bar = { is: 'at least', ratio: 0.97 }

/** What one row has measured so far. */
interface Measured {
  readonly row: Row
  readonly pairs: Pair[]
}

/**
 * Compares the requests per second of this build with those of another one, such as that before a change. Both have the same members. The
 * server under load has a core of its own. Does nothing unless the option `--beside` names the other build.
 */
export async function buildsBench(options: BenchOptions): Promise<Result[]> {
  const { beside, only, records = SIZES } = options
  if (beside === undefined) return []
  keepOn(OTHER_CORE, process.pid)
  say(`Beside ${beside}`)
  const rows = ROWS.filter(({ key }) => only.length === 0 || only.includes(key))
  const names = rows.map(({ name }) => name)
  return atEachSize('builds', names, records, (count) => benchAt(count, rows, join(beside, 'bin/admin.js'), options))
}

async function benchAt(
  records: number,
  rows: readonly Row[],
  bin: string,
  { seconds, profile }: BenchOptions,
): Promise<Result[]> {
  const measured = rows.map((row): Measured => ({ row, pairs: [] }))
  for (let round = 1; round <= ROUNDS; round++) {
    await withMembers(records, profile, (ours, _, pid) =>
      withMembers(
        records,
        undefined,
        async (theirs, _, otherPid) => {
          for (const each of [pid, otherPid]) keepOn(SERVER_CORE, each)
          const [mine, other] = [serverAt(ours, records), serverAt(theirs, records)]
          await Promise.all([mine, other].map(({ target }) => searchIndexMade(target)))
          for (const { row, pairs } of measured) pairs.push(...(await measureRound(row, mine, other, records, seconds)))
        },
        { bin },
      ),
    )
  }
  return measured.map(({ row, pairs }) => {
    const [ours, baseline] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.bare))]
    const ratio = median(pairs.map((pair) => pair.ours / pair.bare))
    return { bench: 'builds', name: row.name, records, unit: '/s', ours, baseline, ratio, bar: BAR }
  })
}

/** A server under load. */
interface Server {
  readonly target: Target
  /** The number of the next member that it creates. */
  next: number
}

const serverAt = (address: string, records: number): Server => ({
  target: { address, tokens: accessTokens(CONNECTIONS) },
  next: records + 1,
})

async function measureRound(row: Row, ours: Server, theirs: Server, records: number, seconds: number): Promise<readonly Pair[]> {
  const side = (server: Server): Side => ({
    target: server.target,
    requests: (slice) => requestsOf(row, records, mulberry32(100 + slice), () => server.next++),
  })
  const pacing = { seconds, turn: SHORT_TURN, count: PAIRS_PER_ROUND }
  const { pairs, ratio, errors, firstError } = await measurePairs(side(ours), side(theirs), pacing)
  if (firstError !== undefined) throw new Error(`${errors} answers of '${row.name}' were errors; the first: ${firstError}`)
  say(`  ${row.name}: ratio ${ratio.toFixed(3)}`)
  return pairs
}
