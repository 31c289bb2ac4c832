import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'
import { NO_POSTGRES, sharedDatabase } from '../../helpers/postgres/server.ts'
import { type TwoServers, twoServers } from '../../helpers/postgres/two-servers.ts'

const CLIENTS = Array.from({ length: 12 }, (_, index) => index)
const ROUNDS = 10

/** An update that was overtaken once takes a transaction of four statements, and most wait for their turn at once; repeated until it wins by chance it takes a dozen and more. */
const MAX_STATEMENTS = 9

const LABEL = {
  'models/label.yaml':
    'name: Label\nfields: [{ name: code, type: string, required: true, unique: true }, { name: name, type: string }]\n',
}

const options = NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }

/** Number of statements that a process has executed. */
async function statementsOf({ address }: RunningServer, { headers }: TwoServers): Promise<number> {
  const text = await (await fetch(`${address}/metrics`, { headers })).text()
  return Number(/^admin_database_statement_duration_seconds_count (\d+)$/m.exec(text)?.[1])
}

describe('one record that many clients of two processes write', () => {
  test(
    'every update is made, after few statements, one of those with If-Match; imports of one new key; an export that is left',
    options,
    async () => {
      await twoServers(
        async (parts) => {
          const { servers, request, headers } = parts
          const created = await request(servers[0], 'POST', 'models/tag', { data: { name: 'first' } })
          const path = `models/tag/${created.json.data.id}`
          const serverOf = (client: number) => servers[client % 2 === 0 ? 0 : 1]
          const statements = async () =>
            (await Promise.all(servers.map((server) => statementsOf(server, parts)))).reduce((a, b) => a + b)

          const before = await statements()
          const update = async (client: number) => {
            for (let round = 0; round < ROUNDS; round++) {
              const { status, json } = await request(serverOf(client), 'PUT', path, { data: { name: `${client} ${round}` } })
              assert.deepEqual([status, json.data.name], [200, `${client} ${round}`])
            }
          }
          await Promise.all(CLIENTS.map(update))
          const each = ((await statements()) - before) / (CLIENTS.length * ROUNDS)
          assert.ok(each <= MAX_STATEMENTS, `${each} statements for each update`)

          const { etag = '' } = Object.fromEntries((await fetch(`${servers[0].address}/api/v1/${path}`, { headers })).headers)
          const statuses = await Promise.all(
            CLIENTS.map(async (client) => {
              const reply = await fetch(`${serverOf(client).address}/api/v1/${path}`, {
                method: 'PUT',
                headers: { ...headers, 'if-match': etag },
                body: JSON.stringify({ data: { name: `matched ${client}` } }),
              })
              return reply.status
            }),
          )
          assert.deepEqual(statuses.sort(), [200, ...CLIENTS.slice(1).map(() => 412)])

          const removed = await Promise.all(CLIENTS.map((client) => request(serverOf(client), 'DELETE', path)))
          assert.deepEqual(removed.map(({ status }) => status).sort(), [200, ...CLIENTS.slice(1).map(() => 404)])

          const file = JSON.stringify([{ code: 'new', name: 'imported' }])
          const imports = await Promise.all(
            CLIENTS.map(async (client) => {
              const reply = await fetch(`${serverOf(client).address}/api/v1/models/label/import?upsert_by=code`, {
                method: 'POST',
                headers,
                body: file,
              })
              return [reply.status, await reply.text()] as const
            }),
          )
          assert.deepEqual(
            imports.filter(([status]) => status !== 200),
            [],
          )
          assert.equal((await request(servers[1], 'GET', 'models/label')).json.total, 1)

          const { database, schema } = { database: await sharedDatabase(), schema: parts.project.schema }
          const exportsWaiting = async () => {
            const { rows } = await database.query(
              sql`select count(*) from pg_stat_activity
            where wait_event_type = 'Lock' and query like 'declare%' and strpos(query, ${`"${schema}"."label"`}) > 0`,
            )
            return Number(rows[0]?.[0])
          }
          await database.transaction(async (connection) => {
            await connection.query(sql`lock table ${identifier(schema, 'label')} in access exclusive mode`)
            const client = new AbortController()
            const left = fetch(`${servers[0].address}/api/v1/models/label/export`, { headers, signal: client.signal }).catch(
              () => 'left',
            )
            await parts.until(async () => (await exportsWaiting()) === 1, 'the export waits')
            client.abort()
            assert.equal(await left, 'left')
            await parts.until(async () => (await exportsWaiting()) === 0, 'the statement of the export is cancelled')
          })
        },
        { files: LABEL },
      )
    },
  )
})
