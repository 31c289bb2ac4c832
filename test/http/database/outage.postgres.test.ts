import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { firstSuperuser } from '../../../src/accounts/users.ts'
import { type App, openApp } from '../../../src/app.ts'
import { jwtCodec } from '../../../src/http/jwt-codec.ts'
import { LiveServer } from '../../../src/http/live-server.ts'
import { loadProject } from '../../../src/project/project.ts'
import { PgDatabase } from '../../../src/store/postgres/connection/pg-database.ts'
import { identifier, sql } from '../../../src/store/postgres/sql.ts'
import { quickHasher } from '../../helpers/api/app.ts'
import { type DatabaseProject, databaseProject } from '../../helpers/postgres/cli-project.ts'
import { type Cluster, startCluster } from '../../helpers/postgres/cluster.ts'
import { Gateway } from '../../helpers/postgres/gateway.ts'
import { NO_POSTGRES } from '../../helpers/postgres/server.ts'

/** Milliseconds within which a request is answered, and within which the server recovers. */
const LIMIT = 5000

describe('a server whose database goes away', { skip: NO_POSTGRES }, () => {
  let cluster: Cluster
  let gateway: Gateway
  let project: DatabaseProject
  let app: App
  let live: LiveServer
  let address: string
  let headers: Record<string, string>

  before(async () => {
    cluster = await startCluster()
    gateway = await Gateway.start(cluster.port)
    project = await databaseProject('blog', { url: `postgres://postgres@127.0.0.1:${gateway.port}/postgres` })
    const env = { ...project.env, ADMIN_PORT: '0', ADMIN_RATE_LIMITS__DEFAULT: '0' }
    const loaded = await loadProject({ folder: project.folder.path, env, flags: {} })
    app = await openApp(loaded, 'write', { tokenCodec: jwtCodec, hasher: quickHasher })
    live = await LiveServer.create(app)
    address = `http://127.0.0.1:${await live.start()}`
    const user = await firstSuperuser(app.store)
    assert.ok(user !== undefined)
    headers = { authorization: `Bearer ${app.logins.issueAccessToken(user)}`, 'content-type': 'application/json' }
  })
  after(async () => {
    await live.stop()
    await app.close()
    await gateway.close()
    await project.remove()
    await cluster.stop()
  })

  const ask = async (path: string, init: RequestInit = {}) => {
    const start = performance.now()
    const response = await fetch(address + path, { headers, ...init })
    const body = (await response.json()) as { error?: string; status?: string }
    return { status: response.status, retry: response.headers.get('retry-after'), body, took: performance.now() - start }
  }

  const REQUESTS: readonly (readonly [string, RequestInit?])[] = [
    ['/api/v1/models/tag'],
    ['/api/v1/models/tag/1'],
    ['/api/v1/models/tag', { method: 'POST', body: '{"data":{"name":"New","slug":"new"}}' }],
    ['/api/v1/models/tag/1', { method: 'PUT', body: '{"data":{"name":"Other"}}' }],
    ['/api/v1/models/tag/aggregate?count=true&group_by=name'],
    ['/api/v1/models/post/search?q=night'],
    ['/api/v1/auth/me'],
    ['/api/v1/auth/token', { method: 'POST', body: '{"username":"admin","password":"harbour-admin-2024"}' }],
    ['/readyz'],
  ]

  test('answers every request 503 with Retry-After within 5 s, is alive, and recovers within 5 s', async () => {
    assert.equal((await ask('/readyz')).body.status, 'ready')
    await gateway.close()
    try {
      for (const [path, init] of REQUESTS) {
        const { status, retry, body, took } = await ask(path, init)
        assert.deepEqual([path, status, body.error], [path, 503, 'Storage unavailable'])
        assert.ok(Number(retry) >= 1, `${path}: Retry-After ${retry}`)
        assert.ok(took < LIMIT, `${path} took ${took} ms`)
      }
      assert.equal((await ask('/healthz')).status, 200)
    } finally {
      await gateway.open()
    }
    const start = performance.now()
    while ((await ask('/readyz')).status !== 200) {
      assert.ok(performance.now() - start < LIMIT, 'the server did not recover')
      await delay(50)
    }
    assert.equal((await ask('/api/v1/models/tag')).status, 200)
    assert.equal((await ask('/api/v1/models/tag', { method: 'POST', body: '{"data":{"name":"New","slug":"new"}}' })).status, 201)
  })

  test('cancels the statement of a read whose client goes away', async () => {
    const other = new PgDatabase(cluster.url, { pool: 2 })
    const waiting = async () => {
      const { rows } = await other.query(
        sql`select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like ${`%${project.schema}%`}`,
      )
      return Number(rows[0]?.[0])
    }
    const until = async (count: number) => {
      const start = performance.now()
      while ((await waiting()) !== count) {
        assert.ok(performance.now() - start < LIMIT, `not ${count} statements wait`)
        await delay(20)
      }
    }
    try {
      // Prepares the tables of the search.
      assert.equal((await ask('/api/v1/models/comment/search?q=sea')).status, 200)
      await other.transaction(async (connection) => {
        await connection.query(sql`lock table ${identifier(project.schema, 'comment')} in access exclusive mode`)
        for (const path of [
          '/api/v1/models/comment?filters=body__icontains=sea',
          '/api/v1/models/comment/aggregate?count=true&group_by=post_id',
          '/api/v1/models/comment/1',
          '/api/v1/models/comment/search?q=sea',
          '/api/v1/search?q=sea&models=comment',
        ]) {
          const gone = new AbortController()
          const answer = fetch(address + path, { headers, signal: gone.signal })
          await until(1)
          gone.abort()
          await assert.rejects(answer, { name: 'AbortError' })
          await until(0)
        }
      })
      assert.equal((await ask('/api/v1/models/comment')).status, 200)
    } finally {
      await other.close()
    }
  })
})
