import { startServer } from '../helpers/cli/process.ts'
import { MEMBER_MODEL, memberValues } from './data/members.ts'
import { accessTokens, MEMBERS_PATH } from './data/project.ts'
import type { BenchOptions } from './options.ts'
import { postgresProject } from './postgres/database.ts'
import { withMembers } from './processes/members.ts'
import { type Figure, failureOf, median, type Result } from './results/figures.ts'
import { say } from './results/report.ts'
import { atEachSize } from './results/sizes.ts'

const SIZES = [10_000]

/** Number of operations of a batch, and of records of a bulk create. */
const MANY = 1000

/** Number of pairs of requests. */
const PAIRS = 25

/** A batch takes at most one and a half times as long as a bulk create. */
const BAR = { is: 'at least', ratio: 0.67 } as const

const STAY = `name: Stay
fields:
  - { name: member_id, type: foreignkey, model: member, required: true }
  - { name: text, type: string }
`

const FILES = { 'models/stay.yaml': STAY }

/** A path below the API, and the body. */
type Request = readonly [path: string, body: object]

interface Row {
  readonly name: string
  /** @param from the number of the first new record */
  readonly batch: (from: number) => Request
  readonly bulk: (from: number) => Request
}

const numbers = (from: number) => Array.from({ length: MANY }, (_, index) => from + index)
const create = (model: string, data: object, ref?: string) => ({ method: 'create', model, data, ref })

const ROWS: readonly Row[] = [
  {
    name: `a batch of ${MANY} creates, beside a bulk create`,
    batch: (from) => ['/batch', { operations: numbers(from).map((number) => create('member', memberValues(number))) }],
    bulk: (from) => ['/models/member/bulk', { records: numbers(from).map(memberValues) }],
  },
  {
    name: `a batch of ${MANY} with references to the first, beside a bulk create`,
    batch: (from) => {
      const [first = 0, ...others] = numbers(from)
      const stays = others.map((number) => create('stay', { member_id: { $ref: 'member' }, text: `Stay ${number}` }))
      return ['/batch', { operations: [create('member', memberValues(first), 'member'), ...stays] }]
    },
    bulk: (from) => ['/models/stay/bulk', { records: numbers(from).map((number) => ({ member_id: 1, text: `Stay ${number}` })) }],
  },
]

/** Compares batches with bulk creates of as many records on the same server. Then the same on PostgreSQL. */
export async function batchBench(options: BenchOptions): Promise<Result[]> {
  const names = ROWS.map(({ name }) => name)
  const embedded = await atEachSize('batch', names, options.records ?? SIZES, (records) =>
    withMembers(records, options.profile, (address) => measureRows(address, records), { files: FILES }),
  )
  return [...embedded, ...(await inDatabase())]
}

async function measureRows(address: string, records: number): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [index, row] of ROWS.entries()) figures.push(await measure(row, address, records * (index * 100 + 2)))
  return figures
}

async function inDatabase(): Promise<Result[]> {
  const name = 'batches on PostgreSQL'
  say(`batch: ${name}`)
  const database = await postgresProject(MEMBER_MODEL, '', FILES)
  const server = await startServer(['--project', database.project.path])
  try {
    const figures = await measureRows(server.address, 10_000)
    return figures.map((figure) => ({ ...figure, name: `${figure.name}, on PostgreSQL` }))
  } catch (error) {
    return [failureOf({ bench: 'batch', name }, error)]
  } finally {
    await server.stop()
    await database.remove()
  }
}

/** Sends a batch and a bulk create in turn, after one of each that warms up. The ratio is that of the median pair. */
async function measure({ name, batch, bulk }: Row, address: string, first: number): Promise<Figure> {
  const [token = ''] = accessTokens(1)
  let from = first
  const timed = async (requestOf: (from: number) => Request): Promise<number> => {
    const [path, body] = requestOf(from)
    from += MANY
    const text = JSON.stringify(body)
    const begin = performance.now()
    const response = await fetch(address + MEMBERS_PATH.replace('/models/member', path), {
      method: 'POST',
      body: text,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${response.status}: ${answer.slice(0, 500)}`)
    return (performance.now() - begin) / 1000
  }
  const ours: number[] = []
  const others: number[] = []
  for (let number = 0; number <= PAIRS; number++) {
    const isFirst = number % 2 === 0
    const [one, two] = isFirst ? [await timed(batch), await timed(bulk)] : [await timed(bulk), await timed(batch)]
    if (number === 0) continue
    ours.push(isFirst ? one : two)
    others.push(isFirst ? two : one)
  }
  const ratio = median(ours.map((time, index) => (others[index] ?? 0) / time))
  const rates = { ours: 1 / median(ours), baseline: 1 / median(others), ratio }
  return { bench: 'batch', name, records: MANY, unit: '/s', ...rates, bar: BAR }
}
