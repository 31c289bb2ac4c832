import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'
import { NO_POSTGRES, sharedDatabase } from '../../helpers/postgres/server.ts'
import { twoServers } from '../../helpers/postgres/two-servers.ts'

const ROWS = 3000

const options = NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES }

interface Found {
  readonly data: readonly { readonly name?: string }[]
  readonly total: number
  readonly missing?: number
}

describe('searches after another program changed many rows', () => {
  test('answer by what is known and say what they miss, unless they must be complete', options, async () => {
    await twoServers(async ({ servers, request, headers, project, until }) => {
      const database = await sharedDatabase()
      const named = (name: string) => sql`${identifier(project.schema)}.${identifier(name)}`
      const table = named('tag')
      const search = async ({ address }: RunningServer, path: string) => {
        const reply = await fetch(`${address}/api/v1/${path}`, { headers })
        const { total, missing, data } = (await reply.json()) as Found
        const names = data.map(({ name }) => name)
        return { status: reply.status, total, missing, names, header: reply.headers.get('search-missing') }
      }
      const isComplete = async () => {
        const found = await Promise.all(servers.map((server) => search(server, 'models/tag/search?q=dark')))
        return found.every(({ total, missing, header }) => total === ROWS && missing === undefined && header === null)
      }
      await database.query(sql`insert into ${table} (name) select 'dark owl ' || n from generate_series(1, ${ROWS}) n`)
      await until(isComplete, 'the words of new rows are stored')

      await database.transaction(async (connection) => {
        // No process can store words meanwhile.
        await connection.query(sql`select from ${named('_admin_search')} for update`)
        await database.query(sql`update ${table} set name = replace(name, 'owl', 'elk')`)
        for (const server of servers) {
          const known = { status: 200, missing: ROWS - 1000, header: String(ROWS - 1000) }
          const dark = await search(server, 'models/tag/search?q=dark&page_size=1')
          assert.deepEqual({ ...dark, names: [] }, { ...known, total: ROWS, names: [] })
          const former = await search(server, 'models/tag/search?q=owl&page_size=2')
          assert.deepEqual(former, { ...known, total: ROWS - 1000, names: [] }, 'no record is shown for words that it has lost')
          const everywhere = await search(server, 'search?q=elk&limit=1')
          assert.deepEqual({ ...everywhere, names: [] }, { ...known, total: 1000, names: [] })
        }
        const created = await request(servers[1], 'POST', 'models/tag', { data: { name: 'hen' } })
        assert.deepEqual((await search(servers[0], 'models/tag/search?q=hen')).names, ['hen'])
        const [complete, selected] = await Promise.all([
          fetch(`${servers[0].address}/api/v1/models/tag/search?q=elk&complete=true`, { headers }),
          request(servers[1], 'DELETE', 'models/tag/bulk', { search: 'hen', expected_total: 1, filters: [] }),
        ])
        assert.deepEqual([complete.status, complete.headers.get('retry-after'), selected.status], [503, '2', 503])
        await request(servers[0], 'DELETE', `models/tag/${created.json.data.id}`)
      })
      await until(isComplete, 'the words of changed rows are stored')
      assert.equal((await search(servers[0], 'models/tag/search?q=owl&complete=true')).total, 0)
      assert.equal((await search(servers[1], 'models/tag/search?q=elk&complete=true')).total, ROWS)
    })
  })
})
