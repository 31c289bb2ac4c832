import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Check } from '../../../src/cli/health-check.ts'
import { succeeded } from '../../helpers/postgres/cli-project.ts'
import { NO_PGBOUNCER, type PgBouncer, startPgBouncer } from '../../helpers/postgres/pgbouncer.ts'
import { serverAddress } from '../../helpers/postgres/server.ts'
import { KNOWN_MS, twoServers } from '../../helpers/postgres/two-servers.ts'

const CREATED = 60

describe('through PgBouncer in transaction mode', { skip: NO_PGBOUNCER }, () => {
  let pgbouncer: PgBouncer
  before(async () => {
    pgbouncer = await startPgBouncer()
  })
  after(() => pgbouncer?.stop())

  test('two processes serve a project, deliver its events, search, export and migrate', async () => {
    await twoServers(
      async ({ servers, request, url, delivered, until, project }) => {
        const admin = async (...argv: string[]) => succeeded(await project.admin(argv))
        const subscribed = await request(servers[0], 'POST', 'webhooks', { url, models: ['tag'], events: ['create'] })
        assert.equal(subscribed.status, 201)
        await setTimeout(KNOWN_MS)
        const created = await Promise.all(
          Array.from({ length: CREATED }, (_, number) =>
            request(servers[number % 2 === 0 ? 0 : 1], 'POST', 'models/tag', { data: { name: `Lighthouse ${number}` } }),
          ),
        )
        assert.deepEqual([...new Set(created.map(({ status }) => status))], [201])
        for (const server of servers) {
          assert.equal((await request(server, 'GET', 'models/tag')).json.total, CREATED)
          assert.equal((await request(server, 'GET', 'models/tag?filters=name__icontains=house%205')).json.total, 11)
          assert.equal((await request(server, 'GET', 'models/tag/search?q=lighthouse')).json.total, CREATED)
          assert.equal((await request(server, 'GET', 'models/tag/7')).status, 200)
        }
        await until(() => delivered.length >= CREATED, 'all events are delivered')
        assert.equal(new Set(delivered.map(({ id }) => id)).size, CREATED)

        assert.equal((await admin('export', 'tag', '--format', 'ndjson')).trim().split('\n').length, CREATED)
        await writeFile(
          join(project.folder.path, 'models', 'place.yaml'),
          'name: Place\nlabel: Places\nfields: [{ name: name, type: string }]\n',
        )
        assert.match(await admin('migrate', '--plan'), /create table .*"place"/)
        await admin('migrate', '--apply')
        const places = Array.from({ length: 2500 }, (_, number) => JSON.stringify({ name: `Place ${number}` })).join('\n')
        await writeFile(join(project.folder.path, 'places.ndjson'), places)
        await admin('import', 'place', 'places.ndjson')
        assert.equal((await admin('export', 'place', '--format', 'ndjson')).trim().split('\n').length, 2500)
        const doctor = async (env = {}) => {
          const { stdout } = await project.admin(['doctor', '--json'], { env: { ...project.env, ...env } })
          const { checks } = JSON.parse(stdout) as { checks: readonly Check[] }
          assert.deepEqual(
            checks.filter(({ level }) => level === 'fail'),
            [],
          )
          return checks.find(({ name }) => name === 'listen')?.level
        }
        // PgBouncer passes no notifications on.
        assert.equal(await doctor(), 'warn')
        assert.equal(await doctor({ ADMIN_STORE__LISTEN_URL: await serverAddress() }), 'ok')
      },
      { url: pgbouncer.url },
    )
  })
})
