import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ADMIN_BIN, startServer } from '../../helpers/cli/process.ts'
import { makeProject } from '../../helpers/fixture.ts'
import { accessTokens, MEMBERS_PATH } from '../data/project.ts'
import { askJson } from '../load/ask.ts'
import type { Target } from '../load/load.ts'
import { onServerCore } from '../processes/cores.ts'
import { type Figure, limitedFigure } from '../results/figures.ts'
import { say } from '../results/report.ts'
import { type BenchDatabase, memberSettings } from './database.ts'

/** Number of rows that the statement changes, at most. */
const CHANGED = 200_000
/** Milliseconds that a search may take meanwhile, and seconds after which searches must miss nothing. */
const ANSWER = 1000
const COMPLETE = 60
/** Milliseconds between two searches. */
const INTERVAL = 200

const SCHEMA = 'searched'
const MODEL = `name: Member
timestamps: true
fields:
  - { name: first_name, type: string }
  - { name: last_name, type: string }
  - { name: bio, type: text }
`
const COLUMNS = 'id, first_name, last_name, bio, created_at, updated_at'

/** A word of all changed rows, of one in fifty, and of the rows before the change. */
const QUERIES = ['harbour', 'harbour%20greta', 'greta']

/** Measures searches while a statement of another program changes many rows, with one process that serves them. */
export async function searchFigures(database: BenchDatabase, records: number): Promise<Figure[]> {
  await using project = await makeProject({
    'admin.config.yaml': memberSettings(`{ url: '${database.url}', schema: ${SCHEMA} }`),
    'models/member.yaml': MODEL,
  })
  await promisify(execFile)(process.execPath, [ADMIN_BIN, 'migrate', '--apply', '--project', project.path])
  await database.query(`insert into ${SCHEMA}."user" select * from admin."user"`)
  await database.query(`insert into ${SCHEMA}.member (${COLUMNS}) select ${COLUMNS} from admin.member`)
  await database.query('vacuum analyze')
  const begin = performance.now()
  const server = await onServerCore(() => startServer(['--project', project.path]))
  try {
    const target = { address: server.address, tokens: accessTokens(1) }
    while ((await missing(target, 'greta')) > 0) await setTimeout(INTERVAL)
    const stored = secondsSince(begin)
    const changed = Math.min(records, CHANGED)
    await database.query(`update ${SCHEMA}.member set last_name = last_name || ' harbour' where id <= ${changed}`)
    const times: number[] = []
    const committed = performance.now()
    for (let left = changed; left > 0; ) {
      for (const query of QUERIES) {
        const asked = performance.now()
        left = await missing(target, query)
        times.push(performance.now() - asked)
      }
      await setTimeout(INTERVAL)
    }
    const complete = secondsSince(committed)
    const slowest = Math.max(...times)
    const rows = changed.toLocaleString('en')
    say(
      `  ${rows} rows changed: ${times.length} searches, slowest ${slowest.toFixed(0)} ms, complete after ${complete.toFixed(1)} s`,
    )
    say(`  the words of ${records} records were stored in ${stored.toFixed(1)} s`)
    const limited = (name: string, unit: string, ours: number, limit: number, details = {}) =>
      limitedFigure({ bench: 'postgres', name, records, unit, ours, details }, limit)
    return [
      limited(`slowest search after a change of ${rows} rows by SQL`, 'ms', slowest, ANSWER, { searches: times.length }),
      limited(`until searches miss nothing after it`, 's', complete, COMPLETE, { stored_from_nothing: stored }),
    ]
  } finally {
    await server.stop()
  }
}

const secondsSince = (begin: number): number => (performance.now() - begin) / 1000

/** Number of records that a search says it misses. */
async function missing(target: Target, query: string): Promise<number> {
  const path = `${MEMBERS_PATH}/search?q=${query}&page_size=20`
  return (await askJson<{ missing?: number }>(target, { method: 'GET', path })).missing ?? 0
}
