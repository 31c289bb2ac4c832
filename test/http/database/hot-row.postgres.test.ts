import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RunningServer } from '../../helpers/cli/process.ts'
import { NO_POSTGRES } from '../../helpers/postgres/server.ts'
import { type TwoServers, twoServers } from '../../helpers/postgres/two-servers.ts'

const CLIENTS = Array.from({ length: 12 }, (_, index) => index)
const ROUNDS = 10

/** An update that was overtaken once takes a transaction of four statements, and most wait for their turn at once; repeated until it wins by chance it takes a dozen and more. */
const MAX_STATEMENTS = 9

const options = NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }

/** Number of statements that a process has executed. */
async function statementsOf({ address }: RunningServer, { headers }: TwoServers): Promise<number> {
  const text = await (await fetch(`${address}/metrics`, { headers })).text()
  return Number(/^admin_database_statement_duration_seconds_count (\d+)$/m.exec(text)?.[1])
}

describe('one record that many clients of two processes write', () => {
  test('every update is made, after few statements; of those with If-Match one is', options, async () => {
    await twoServers(async (parts) => {
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
    })
  })
})
