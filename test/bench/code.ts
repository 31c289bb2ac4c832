import { creating } from './history.ts'
import { measurePairs, SHORT_TURN } from './load/pairs.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import type { Figure, Result } from './results/figures.ts'
import { atEachSize } from './results/sizes.ts'

const SIZES = [10_000]

/** The hooks of a row, and the least ratio of creates with them to creates of a project without code. */
interface Row {
  readonly name: string
  readonly hooks: string
  readonly ratio: number
}

const ROWS: readonly Row[] = [
  {
    name: 'creates with a synchronous hook, beside none',
    hooks: '{ beforeCreate: ({ record }) => ({ last_name: record.first_name }) }',
    ratio: 0.9,
  },
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
]

const fileOf = (hooks: string): string =>
  `import { defineHooks } from 'admin-folder'\nlet number = 0\nexport default defineHooks('member', ${hooks})\n`

/** Compares creates on a server of a project with hooks with those of one without code. */
export function codeBench(options: BenchOptions): Promise<Result[]> {
  const names = ROWS.map(({ name }) => name)
  return atEachSize('code', names, options.records ?? SIZES, async (records) => {
    const figures: Figure[] = []
    for (const row of ROWS) figures.push(await benchAt(row, records, options))
    return figures
  })
}

function benchAt({ name, hooks, ratio: least }: Row, records: number, { seconds, profile }: BenchOptions): Promise<Figure> {
  return withMembers(
    records,
    profile,
    (coded) =>
      withMembers(records, undefined, async (plain) => {
        const pacing = { seconds, turn: SHORT_TURN, count: 9 }
        const result = await measurePairs(creating(coded, records), creating(plain, records), pacing)
        const { ours, bare, ratio, errors, firstError } = result
        if (firstError !== undefined) throw new Error(`${errors} answers were errors; the first: ${firstError}`)
        const details = { p50: ours.p50, p99: ours.p99, baseline_p50: bare.p50, baseline_p99: bare.p99 }
        const figures = { ours: ours.perSecond, baseline: bare.perSecond, ratio }
        return { bench: 'code', name, records, unit: '/s', ...figures, bar: { is: 'at least', ratio: least }, details }
      }),
    { files: { 'hooks/member.js': fileOf(hooks) } },
  )
}
