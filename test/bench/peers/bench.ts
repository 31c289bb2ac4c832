import assert from 'node:assert/strict'
import { startServer } from '../../helpers/cli/process.ts'
import { accessTokens } from '../data/project.ts'
import { mulberry32 } from '../data/random.ts'
import { askJson } from '../load/ask.ts'
import { type Ask, CONNECTIONS, type Target } from '../load/load.ts'
import { measurePairs, SHORT_TURN } from '../load/pairs.ts'
import type { BenchOptions } from '../options.ts'
import { type BenchDatabase, benchDatabase } from '../postgres/database.ts'
import { POSTGRES_ROWS, type PostgresRow, questionsOf } from '../postgres/rows.ts'
import { onServerCore } from '../processes/cores.ts'
import { type Figure, failureOf, type Result } from '../results/figures.ts'
import { say } from '../results/report.ts'
import { atEachSize } from '../results/sizes.ts'
import { FEATHERS } from './feathers.ts'
import { type Found, type Peer, type RunningPeer, workOf } from './peer.ts'
import { installPeer, removePeer, startPeer } from './run.ts'
import { STRAPI } from './strapi.ts'

const PEERS: readonly Peer[] = [FEATHERS, STRAPI]
const SIZES = [100_000, 1_000_000]
/** Minimum ratio of each row. */
const BAR = 5
/** Number of compared answers of each row. */
const EXAMPLES = 6

/** Rows that have no other path at the server written by hand. */
const ROWS = POSTGRES_ROWS.filter(({ hand }) => hand === undefined)

/** The members that all servers have. */
interface Members {
  readonly database: BenchDatabase
  readonly records: number
  readonly numbers: { next: number }
}

/** Compares our server with those of other projects, on the same database. The packages of the others come from the registry of npm. */
export function peersBench(options: BenchOptions): Promise<Result[]> {
  return atEachSize('peers', ['peers'], options.records ?? SIZES, (records) => benchAt(records, options))
}

async function benchAt(records: number, options: BenchOptions): Promise<Result[]> {
  const database = await benchDatabase(records)
  // Numbers of created members are used once for all servers.
  const numbers = { next: records + 1 }
  const results: Result[] = []
  try {
    for (const peer of PEERS) {
      try {
        results.push(...(await beside(peer, { database, records, numbers }, options)))
      } catch (error) {
        results.push(failureOf({ bench: 'peers', name: peer.name, records }, error))
      }
    }
  } finally {
    await database.remove()
  }
  return results
}

async function beside(peer: Peer, members: Members, options: BenchOptions): Promise<Result[]> {
  const { database } = members
  const folder = await installPeer(peer)
  const execute = async (statements: readonly string[]) => {
    for (const statement of statements) await database.query(statement)
  }
  try {
    await execute(peer.prepare)
    const theirs = await startPeer(peer, folder, database.url)
    try {
      await execute(peer.fill)
      return await measureRows(peer, theirs, members, options)
    } finally {
      await theirs.stop()
    }
  } finally {
    await removePeer(folder)
  }
}

async function measureRows(
  peer: Peer,
  theirs: RunningPeer,
  { database, records, numbers }: Members,
  { seconds, only }: BenchOptions,
): Promise<Result[]> {
  const admin = await onServerCore(() => startServer(['--project', database.project.path]))
  const ours: Target = { address: admin.address, tokens: accessTokens(CONNECTIONS) }
  const results: Result[] = []
  try {
    for (const row of ROWS.filter(({ key }) => only.length === 0 || only.includes(key))) {
      const requests = (slice: number) => row.ours(questionsOf(records, slice, () => numbers.next++))
      if (peer.translate(workOf(requests(0)())) === undefined) continue
      try {
        await checkReads(peer, row, { ours, theirs }, records)
        results.push(await measure(peer, row, { ours, theirs, requests }, records, seconds))
      } catch (error) {
        results.push(failureOf({ bench: 'peers', name: `${peer.name}: ${row.name}`, records }, error))
      }
    }
    return results
  } finally {
    await admin.stop()
  }
}

interface Sides {
  readonly ours: Target
  readonly theirs: Target
}

/** Compares what both servers find. */
async function checkReads(peer: Peer, row: PostgresRow, { ours, theirs }: Sides, records: number): Promise<void> {
  const next = row.ours({ records, random: mulberry32(29), nextNumber: () => 0 })
  for (let count = 0; count < EXAMPLES; count++) {
    const request = next()
    if (request.method !== 'GET') return
    const [found, foundByPeer] = [
      foundByUs(await askJson(ours, request)),
      peer.found(await askJson(theirs, translated(peer, request))),
    ]
    assert.deepEqual(foundByPeer, found, `${peer.name}: ${request.path}`)
  }
}

function foundByUs(answer: unknown): Found {
  const { data, total } = answer as { data: { id: number } | { id: number }[]; total?: number }
  return { ids: [data].flat().map(({ id }) => id), total }
}

function translated(peer: Peer, request: Ask): Ask {
  const asked = peer.translate(workOf(request))
  if (asked === undefined) throw new Error(`${peer.name} has no request for ${request.method} ${request.path}`)
  return asked
}

async function measure(
  peer: Peer,
  { name }: PostgresRow,
  { ours, theirs, requests }: Sides & { readonly requests: (slice: number) => () => Ask },
  records: number,
  seconds: number,
): Promise<Figure> {
  const ofPeer = (slice: number) => {
    const next = requests(slice)
    return () => translated(peer, next())
  }
  const sides = [
    { target: ours, requests },
    { target: theirs, requests: ofPeer },
  ] as const
  const { errors, firstError, ratio, ...result } = await measurePairs(...sides, { seconds, turn: SHORT_TURN })
  if (firstError !== undefined) throw new Error(`${errors} answers were errors; the first: ${firstError}`)
  const [perSecond, baseline] = [result.ours.perSecond, result.bare.perSecond]
  say(`  ${name}: ${perSecond.toFixed(0)}/s, ${peer.name} ${baseline.toFixed(0)}/s, ratio ${ratio.toFixed(2)}`)
  return {
    bench: 'peers',
    name: `${peer.name}: ${name.replace(/, beside.*/, '')}`,
    records,
    unit: '/s',
    ours: perSecond,
    baseline,
    ratio,
    bar: { is: 'at least', ratio: BAR },
    details: { p50: result.ours.p50, p99: result.ours.p99, baseline_p50: result.bare.p50, baseline_p99: result.bare.p99 },
  }
}
