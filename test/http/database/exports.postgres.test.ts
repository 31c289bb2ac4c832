import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { CONNECTION_LIMITS } from '../../../src/http/listener.ts'
import type { Operation } from '../../../src/store/store.ts'
import { open, withListening } from '../../helpers/api/raw.ts'
import { NO_POSTGRES } from '../../helpers/postgres/server.ts'

/** As many as may read from the database at a time, with a pool of 10. */
const READERS = 5

/** More than the system keeps of a connection that is not read: 25 MB. */
const RECORDS = 3000
const STAMPS = { created_at: '2026-01-05T10:00:00.000Z', updated_at: '2026-01-05T10:00:00.000Z' }
const BODY = 'words '.repeat(1400)

test('exports that are not read do not keep others from the database', { skip: NO_POSTGRES, timeout: 120_000 }, () =>
  withListening({ engine: 'postgres', connections: { ...CONNECTION_LIMITS, unreadTimeout: 300 } }, async (app) => {
    const posts = Array.from({ length: RECORDS }, (_, index): Operation => {
      const values = { title: 'Unread', slug: `unread-${index}`, body: BODY, status: 'draft', author_id: 2, tags: [], ...STAMPS }
      return { kind: 'insert', table: 'post', values }
    })
    const stored = await app.app.store.transact(posts)
    assert.ok(stored.ok, stored.ok ? '' : JSON.stringify(stored.violations.slice(0, 3)))
    const request = `GET /api/v1/models/post/export HTTP/1.1\r\nHost: localhost\r\n${app.authorization}\r\n`
    const sockets = await Promise.all(Array.from({ length: READERS }, () => open(app.port)))
    for (const socket of sockets) {
      socket.on('error', () => {})
      socket.pause()
      socket.write(request)
    }
    await Promise.all(sockets.map((socket) => once(socket, 'readable')))
    const headers = { authorization: `Bearer ${await app.tokenOf('admin')}` }
    const other = await fetch(`http://127.0.0.1:${app.port}/api/v1/models/tag/export`, { headers })
    assert.equal(other.status, 200, await other.text())
    for (const socket of sockets) socket.destroy()
    assert.deepEqual(app.reported, [])
  }),
)
