import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lifecycle } from '@hapi/hapi'
import { strictRoutes } from '../../src/http/strict-routes.ts'

test('a strict route keeps all extensions, guarded, with their options', () => {
  const method: Lifecycle.Method = (_, h) => h.continue
  const guarded: Lifecycle.Method = (_, h) => h.continue
  const ext = {
    onPreAuth: { method },
    onPostAuth: [{ method }, { method }],
    onPreResponse: { method, options: { before: 'other' } },
    onPreHandler: [],
  }
  const [route] = strictRoutes([{ method: 'GET', path: '/', handler: method, options: { ext } }], 1000, () => guarded)
  assert.deepEqual(route?.options, {
    ext: {
      onPreAuth: [{ method: guarded }],
      onPostAuth: [{ method: guarded }, { method: guarded }],
      onPreResponse: [{ method: guarded, options: { before: 'other' } }],
    },
  })
})
