import { memberValues } from './data/members.ts'
import { accessTokens, MEMBERS_PATH } from './data/project.ts'
import { creating } from './history.ts'
import { measurePairs, SHORT_TURN } from './load/pairs.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import { type Figure, median, type Result } from './results/figures.ts'
import { atEachSize } from './results/sizes.ts'

const SIZES = [10_000]

/** Number of records of a row that writes many in one request: the most that a request by filters may change. */
const MANY = 100_000

/** Number of pairs of requests that write many records. */
const LARGE_PAIRS = 5

/** Writes many records by one request: the next of its kind. */
type WriteMany = (address: string, token: string, number: number) => Promise<Response>

/** The hooks of a row, and the least ratio of writes with them to those of a project without code. */
interface Row {
  readonly name: string
  readonly hooks: string
  readonly ratio: number
  /** Absent for creates, one a request. */
  readonly writeMany?: WriteMany
}

const SYNCHRONOUS = 'beforeCreate: ({ record }) => ({ last_name: record.last_name })'

const ROWS: readonly Row[] = [
  { name: 'creates with a synchronous hook, beside none', hooks: `{ ${SYNCHRONOUS} }`, ratio: 0.9 },
  {
    name: 'creates with a hook that reads and updates another record, beside none',
    // Each hook takes another record, so that no two of them write the same.
    hooks: `{ async beforeCreate(_, tx) {
      const members = tx.system.model('member')
      const { id, age } = await members.read((number++ % 5000) + 1)
      members.update(id, { age: (age + 1) % 100 })
    } }`,
    ratio: 0.45,
  },
  {
    name: 'updates by filters with a synchronous hook, beside none',
    hooks: '{ beforeUpdate: ({ record }) => ({ last_name: record.last_name }) }',
    ratio: 0.8,
    writeMany: (address, token, number) => {
      const body = { filters: [`id__lte=${MANY}`], expected_total: MANY, data: { age: number % 100 } }
      return send('PUT', `${address}${MEMBERS_PATH}/bulk`, token, 'application/json', JSON.stringify(body))
    },
  },
  {
    name: 'imports with a synchronous hook, beside none',
    hooks: `{ ${SYNCHRONOUS} }`,
    ratio: 0.8,
    writeMany: (address, token, number) => {
      const values = Array.from({ length: MANY / 5 }, (_, index) => memberValues(1_000_000 + (number * MANY) / 5 + index))
      const lines = values.map((each) => JSON.stringify(each)).join('\n')
      return send('POST', `${address}${MEMBERS_PATH}/import`, token, 'application/x-ndjson', lines)
    },
  },
]

const send = (method: string, url: string, token: string, type: string, body: string): Promise<Response> =>
  fetch(url, { method, body, headers: { Authorization: `Bearer ${token}`, 'Content-Type': type } })

const fileOf = (hooks: string): string =>
  `import { defineHooks } from 'admin-folder'\nlet number = 0\nexport default defineHooks('member', ${hooks})\n`

/** Compares writes on a server of a project with hooks with those of one without code. */
export function codeBench(options: BenchOptions): Promise<Result[]> {
  const names = ROWS.map(({ name }) => name)
  return atEachSize('code', names, options.records ?? SIZES, async (records) => {
    const figures: Figure[] = []
    for (const row of ROWS) figures.push(await benchAt(row, records, options))
    return figures
  })
}

function benchAt(row: Row, given: number, { seconds, profile }: BenchOptions): Promise<Figure> {
  const { name, hooks, ratio: least, writeMany } = row
  const records = writeMany === undefined ? given : MANY
  return withMembers(
    records,
    profile,
    (coded) =>
      withMembers(records, undefined, async (plain) => {
        const common = { bench: 'code', name, records, bar: { is: 'at least', ratio: least } } as const
        if (writeMany !== undefined) return { ...common, ...(await measureMany(writeMany, coded, plain)) }
        const pacing = { seconds, turn: SHORT_TURN, count: 9 }
        const result = await measurePairs(creating(coded, records), creating(plain, records), pacing)
        const { ours, bare, ratio, errors, firstError } = result
        if (firstError !== undefined) throw new Error(`${errors} answers were errors; the first: ${firstError}`)
        const details = { p50: ours.p50, p99: ours.p99, baseline_p50: bare.p50, baseline_p99: bare.p99 }
        return { ...common, unit: '/s', ours: ours.perSecond, baseline: bare.perSecond, ratio, details }
      }),
    { files: { 'hooks/member.js': fileOf(hooks) } },
  )
}

/** Sends both servers the same requests in turn, after one of each that warms up. The rates are of requests; the ratio is that of the median pair. */
async function measureMany(
  write: WriteMany,
  coded: string,
  plain: string,
): Promise<Pick<Figure, 'unit' | 'ours' | 'baseline' | 'ratio'>> {
  const [token = ''] = accessTokens(1)
  const timed = async (address: string, number: number): Promise<number> => {
    const begin = performance.now()
    const response = await write(address, token, number)
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 500)}`)
    return (performance.now() - begin) / 1000
  }
  const ours: number[] = []
  const others: number[] = []
  for (let number = 0; number <= LARGE_PAIRS; number++) {
    const pair =
      number % 2 === 0
        ? [await timed(coded, number), await timed(plain, number)]
        : [await timed(plain, number), await timed(coded, number)].reverse()
    if (number === 0) continue
    ours.push(pair[0] ?? 0)
    others.push(pair[1] ?? 0)
  }
  const ratio = median(ours.map((time, index) => (others[index] ?? 0) / time))
  return { unit: '/s', ours: 1 / median(ours), baseline: 1 / median(others), ratio }
}
