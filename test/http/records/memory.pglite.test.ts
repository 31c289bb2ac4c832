import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from '../../helpers/api/app.ts'
import { play } from '../../helpers/api/scenario.ts'

test('the heap of a process whose records are in PostgreSQL does not count', async () => {
  await using app = await openTestApp({ engine: 'pglite', heap: { use: () => ({ used: 99, limit: 100 }), collect() {} } })
  const data = { name: 'Memory', slug: 'memory' }
  await play(app, { request: 'POST /api/v1/models/tag', body: { data }, status: 201 })
  const { text } = await play(app, { request: 'GET /metrics', status: 200 })
  assert.match(text, /^admin_store_writable 1$/m)
  assert.ok(!text.includes('admin_heap'))
})
