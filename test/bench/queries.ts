import { type App, openApp } from '../../src/app.ts'
import { type Actor, ANONYMOUS, SYSTEM } from '../../src/auth/permissions.ts'
import { jwtCodec } from '../../src/http/jwt-codec.ts'
import { loadProject } from '../../src/project/project.ts'
import { DAY_MS, isoTime } from '../../src/util/clock.ts'
import type { JsonObject } from '../../src/util/json.ts'
import { makeProject } from '../helpers/fixture.ts'
import { mulberry32 } from './data/random.ts'
import type { BenchOptions } from './options.ts'
import { type Bar, type Figure, failureOf, median, type Result } from './results/figures.ts'
import { say } from './results/report.ts'

const SIZES = [10_000, 100_000]
/** A figure is the median of so many turns. */
const TURNS = 5
const TEAMS = 1000
const USERS = 100
const BATCH = 5000
/** The tasks are due within two years from here. */
const DUE_FROM = Date.parse('2024-01-01T00:00:00.000Z')
const DUE_WITHIN = 2 * 365 * DAY_MS
/** Aggregates of all records per second that are required. */
const REQUIRED_TOTALS = 20
/** Share of the rate of the plain list that is required. */
const REQUIRED_SHARE = 0.5

const TASK = (access: string): string => `name: Task${access === '' ? '' : 'Owned'}
fields:
  - { name: title, type: string }
  - { name: score, type: integer }
  - { name: cost, type: decimal }
  - { name: is_public, type: boolean }
  - { name: due_at, type: datetime }
  - { name: team_id, type: foreignkey, model: team }
  - { name: owner_id, type: foreignkey, model: user }
${access}`

const FILES = {
  'models/team.yaml': 'name: Team\nfields:\n  - { name: name, type: string }\n',
  'models/task.yaml': TASK(''),
  'models/owned.yaml': TASK('access: { view: self.is_public || self.owner_id == user.id }\n'),
}

/** Asks one question of `app`; `round` varies it, so that no cache answers. */
type Question = (app: App, round: number) => Promise<unknown>

interface Row {
  readonly name: string
  readonly ours: Question
  /** Absent if a rate is required rather than a share. */
  readonly baseline?: Question
  readonly bar: Bar
}

const EDITOR: Actor = { ...SYSTEM }
const OWNER: Actor = {
  ...ANONYMOUS,
  userId: 7,
  permissions: new Set(['view_task', 'view_team']),
  user: { id: 7, username: 'user7' },
}

/** Beyond every id; a bound that excludes nothing varies the query. */
const LAST_ID = 1_000_000_000
/** Rounds of a row, so that no row asks what another has asked. */
const ROUNDS = 1_000_000

/** A thousand values, so that each round asks with another one. */
const score = (round: number): string => (((round * 7919) % 1000) / 10).toFixed(0)
const page = (round: number): number => 1 + (round % 50)

const list =
  (query: (round: number) => string, { actor = EDITOR, model = 'task' } = {}): Question =>
  (app, round) =>
    app.reads.list(actor, model, query(round))
const totals =
  (query: (round: number) => string): Question =>
  (app, round) =>
    app.reads.aggregate(EDITOR, 'task', query(round))

const plain = (round: number) => `filters=score__gte=${score(round)}&page=${page(round)}&filters=id__lt=${LAST_ID - round}`
const AT_LEAST_HALF: Bar = { is: 'at least', ratio: REQUIRED_SHARE }

const ROWS: readonly Row[] = [
  {
    name: 'list with a group of filters',
    ours: list(
      (round) => `any=score__gte=${score(round)}|team_id=${round % TEAMS}&page=${page(round)}&filters=id__lt=${LAST_ID - round}`,
    ),
    baseline: list(plain),
    bar: AT_LEAST_HALF,
  },
  {
    name: 'list with a row condition',
    ours: list(plain, { actor: OWNER, model: 'taskowned' }),
    baseline: list(plain, { actor: OWNER }),
    bar: AT_LEAST_HALF,
  },
  {
    name: 'list sorted through a relation',
    ours: list((round) => `${plain(round)}&sort_by=team.name`),
    baseline: list(plain),
    bar: AT_LEAST_HALF,
  },
  {
    name: 'totals of 1 % of the records',
    ours: totals((round) => `filters=score=${score(round)}&filters=id__lt=${LAST_ID - round}&group_by=is_public&sum=score`),
    baseline: list((round) => `filters=score=${score(round)}&filters=id__lt=${LAST_ID - round}`),
    bar: AT_LEAST_HALF,
  },
  {
    name: 'totals of all records by week, beside the required rate',
    ours: totals((round) => `group_by=due_at:week&count&sum=score,cost&filters=id__gt=${round % 7}`),
    bar: { is: 'at least', ratio: 1 },
  },
  {
    name: 'totals of all records by group, beside the required rate',
    ours: totals((round) => `group_by=team_id&count&sum=score,cost&max=score&filters=id__gt=${round % 7}`),
    bar: { is: 'at least', ratio: 1 },
  },
]

/** Measures lists with groups, conditions and related sort keys beside plain filtered lists, and totals. Within one process. */
export async function queriesBench({ records: sizes = SIZES, seconds }: BenchOptions): Promise<Result[]> {
  const results: Result[] = []
  for (const records of sizes) {
    say(`queries: ${records} records`)
    const folder = await makeProject(FILES)
    const project = await loadProject({ folder: folder.path, env: {}, flags: {} })
    const app = await openApp(project, 'ephemeral', { tokenCodec: jwtCodec })
    try {
      await fill(app, records)
      for (const row of ROWS) {
        results.push(
          await measure(app, row, { records, seconds }).catch((error) =>
            failureOf({ bench: 'queries', name: row.name, records }, error),
          ),
        )
      }
    } finally {
      await app.close()
      await folder.remove()
    }
  }
  return results
}

async function fill({ store }: App, records: number): Promise<void> {
  const random = mulberry32(5)
  const upTo = (end: number) => Math.floor(random() * end)
  const insert = async (table: string, count: number, values: (index: number) => JsonObject): Promise<void> => {
    for (let from = 0; from < count; from += BATCH) {
      const operations = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => {
        return { kind: 'insert', table, values: values(from + index) } as const
      })
      const outcome = await store.transact(operations)
      if (!outcome.ok) throw new Error(`The records of the bench are invalid: ${JSON.stringify(outcome.violations[0])}`)
    }
  }
  const at = '2024-01-01T00:00:00.000Z'
  await insert('user', USERS, (index) => {
    const username = `user${index + 1}`
    return {
      username,
      email: `${username}@example.org`,
      password: 'x',
      is_active: true,
      is_superuser: false,
      created_at: at,
      updated_at: at,
    }
  })
  await insert('team', TEAMS, (index) => ({ name: `Team ${(index * 7919) % TEAMS}` }))
  const task = (index: number) => ({
    title: `Task ${index}`,
    score: upTo(100),
    cost: `${upTo(1000)}.25`,
    is_public: upTo(2) === 0,
    due_at: isoTime(DUE_FROM + upTo(DUE_WITHIN)),
    team_id: 1 + upTo(TEAMS),
    owner_id: 1 + upTo(USERS),
  })
  await insert('task', records, task)
  await insert('taskowned', records, task)
}

async function measure(
  app: App,
  { name, ours, baseline, bar }: Row,
  { records, seconds }: { records: number; seconds: number },
): Promise<Figure> {
  const rates: Record<'ours' | 'baseline', number[]> = { ours: [], baseline: [] }
  let round = ROUNDS * ROWS.findIndex((row) => row.name === name)
  const turn = async (question: Question, rate: number[]): Promise<void> => {
    const begun = performance.now()
    let answers = 0
    for (; performance.now() - begun < seconds * 1000; answers++) await question(app, ++round)
    rate.push((answers * 1000) / (performance.now() - begun))
  }
  // The first question builds the indexes.
  await ours(app, 0)
  await baseline?.(app, 0)
  for (let index = 0; index < TURNS; index++) {
    await turn(ours, rates.ours)
    if (baseline !== undefined) await turn(baseline, rates.baseline)
  }
  const [rate, beside] = [median(rates.ours), baseline === undefined ? REQUIRED_TOTALS : median(rates.baseline)]
  return {
    bench: 'queries',
    name,
    records,
    unit: '/s',
    ours: rate,
    baseline: beside,
    ratio: rate / beside,
    ...(records >= 100_000 ? { bar } : {}),
  }
}
