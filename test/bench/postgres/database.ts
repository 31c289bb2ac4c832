import { execFile } from 'node:child_process'
import { chmod, open } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { ADMIN_BIN } from '../../helpers/cli/process.ts'
import { makeProject, type TemporaryFolder } from '../../helpers/fixture.ts'
import { startCluster } from '../../helpers/postgres/cluster.ts'
import { MEMBER_MODEL, member } from '../data/members.ts'
import { SECRET } from '../data/project.ts'
import { CONNECTIONS } from '../load/load.ts'
import { keepOn, OTHER_CORE } from '../processes/cores.ts'

/** Settings that people give a server. Everything is written to the disk before it is acknowledged. */
const SETTINGS = ['shared_buffers=512MB', 'max_wal_size=4GB', 'checkpoint_timeout=30min', 'max_connections=100']

const RATE_LIMIT = 100_000
const CHUNK_CHARACTERS = 1 << 20
const COLUMNS = 'id, username, email, first_name, last_name, age, score, is_active, bio, created_at, updated_at'

/** Search has a bench of its own: its words are stored in the background, on the core that the load and PostgreSQL share. */
const MODEL = MEMBER_MODEL.replaceAll(/type: (string|email|text)/g, 'type: $1, searchable: false')

/** A project whose records are in a database, which a table for the server written by hand shares. */
export interface BenchDatabase {
  readonly project: TemporaryFolder
  readonly url: string
  query(text: string): Promise<readonly Record<string, unknown>[]>
  /** Copies the members 1 to `records` into the table of the model, which is empty. */
  copy(): Promise<void>
  remove(): Promise<void>
}

/** A project whose records are in a database of a PostgreSQL server of its own. */
export type PostgresProject = Pick<BenchDatabase, 'project' | 'url' | 'query' | 'remove'>

/**
 * Starts a PostgreSQL server and a project on it, with the tables of its models and superusers.
 *
 * @param settings besides those of all benchmarks
 * @param files besides the settings and the model of members, by path
 */
export async function postgresProject(
  model: string,
  settings = '',
  files: Readonly<Record<string, string>> = {},
): Promise<PostgresProject> {
  const cluster = await startCluster({ settings: SETTINGS })
  const client = new Client(cluster.url)
  await client.connect()
  const project = await makeProject({
    ...files,
    'admin.config.yaml': memberSettings(cluster.url) + settings,
    'models/member.yaml': model,
  })
  const database: PostgresProject = {
    project,
    url: cluster.url,
    query: async (text) => (await client.query(text)).rows as Record<string, unknown>[],
    async remove() {
      await client.end()
      await cluster.stop()
      await project.remove()
    },
  }
  try {
    await promisify(execFile)(process.execPath, [ADMIN_BIN, 'migrate', '--apply', '--project', project.path])
    await addUsers(database.query)
    return database
  } catch (error) {
    await database.remove()
    throw error
  }
}

/** Starts a PostgreSQL server and stores the same members in the tables of both servers. */
export async function benchDatabase(records: number): Promise<BenchDatabase> {
  // The server of PostgreSQL and the load are children of this process, or the process itself.
  keepOn(OTHER_CORE, process.pid)
  const started = await postgresProject(MODEL)
  const { project, query } = started
  const file = join(project.path, 'members.txt')
  const database: BenchDatabase = {
    ...started,
    copy: async () => {
      await query(`copy admin.member (${COLUMNS}) from '${file}'`)
    },
  }
  try {
    await chmod(project.path, 0o755)
    await writeRows(file, records)
    await query('create extension if not exists pg_trgm')
    await filled(query, 'admin', () => database.copy())
    await query('create schema hand')
    await query('create table hand.member (like admin.member including all)')
    await query(OUTBOX)
    await filled(query, 'hand', () => query(`insert into hand.member (${COLUMNS}) select ${COLUMNS} from admin.member`))
    // The condition of a statement written by hand has no expression that puts texts into the order of JavaScript.
    await query('create index hand_first_name on hand.member (first_name)')
    await query('vacuum analyze')
    await query('checkpoint')
    return database
  } catch (error) {
    await database.remove()
    throw error
  }
}

/** The settings of a project, by its setting `store`. */
export const memberSettings = (store: string): string => `store: ${store}
secret_key: ${SECRET}
jwt: { access_token_minutes: 1440 }
rate_limits: { default: ${RATE_LIMIT}, auth: ${RATE_LIMIT}, upload: ${RATE_LIMIT}, download: ${RATE_LIMIT} }
`

type Query = BenchDatabase['query']

const addUsers = (query: Query) =>
  query(`insert into admin."user" (id, username, email, password, is_active, is_superuser, created_at, updated_at)
    select n, 'root' || n, 'root' || n || '@example.com', 'nobody logs in', true, true, '2023-01-01Z', '2023-01-01Z'
    from generate_series(1, ${CONNECTIONS}) n`)

const OUTBOX = `create table hand.outbox (id bigint generated always as identity primary key, event text, model text,
  record_id bigint, data text, at timestamptz default now())`

/** Fills a table without its indexes, which are made afterwards. */
async function filled(query: Query, schema: string, fill: () => Promise<unknown>): Promise<void> {
  const indexes = await query(`select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = '${schema}.member'::regclass and not exists (select from pg_constraint where conindid = indexrelid)`)
  for (const { name } of indexes) await query(`drop index ${name}`)
  await fill()
  for (const { definition } of indexes) await query(String(definition))
  await query(`select setval(pg_get_serial_sequence('${schema}.member', 'id'), max(id)) from ${schema}.member`)
}

/** Writes the members as COPY reads them. Their texts have neither tabs nor backslashes. */
async function writeRows(path: string, records: number): Promise<void> {
  const file = await open(path, 'w')
  let piece = ''
  for (let number = 1; number <= records; number++) {
    piece += `${Object.values(member(number)).join('\t')}\n`
    if (piece.length < CHUNK_CHARACTERS && number < records) continue
    await file.writeFile(piece)
    piece = ''
  }
  await file.close()
}
