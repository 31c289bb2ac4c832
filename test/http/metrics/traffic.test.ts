import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Request } from '@hapi/hapi'
import { BUCKETS_MS, bucketOf, routeNameOf, Traffic } from '../../../src/http/traffic.ts'

const READ = { method: 'get', path: '/models/{model}' }

/** As much of a request as is looked at. */
function over(route: { method: string; path: string }, status: number, took: number, headersSent = true): Request {
  const request = { route, info: { received: 1000, completed: 1000 + took }, raw: { res: { statusCode: status, headersSent } } }
  return request as unknown as Request
}

test('a duration falls into the first bucket that allows it', () => {
  const rows = [
    [0, 0],
    [5, 0],
    [6, 1],
    [10, 1],
    [11, 2],
    [10_000, BUCKETS_MS.length - 1],
    [10_001, BUCKETS_MS.length],
  ] as const
  for (const [milliseconds, bucket] of rows) assert.equal(bucketOf(milliseconds), bucket, `${milliseconds} ms`)
})

test('requests are counted by route and status, with the time they took', () => {
  const traffic = new Traffic()
  for (const [status, took] of [
    [200, 3],
    [200, 7],
    [404, 20_000],
  ] as const) {
    traffic.count(over(READ, status, took))
  }
  traffic.count(over({ method: 'put', path: '/models/{model}' }, 200, 1))
  const [read, write] = traffic.routes
  assert.equal(traffic.routes.length, 2)
  assert.deepEqual([read?.method, read?.route, read?.totalMs], ['GET', '/models/{model}', 20_010])
  assert.deepEqual([read?.byStatus[200], read?.byStatus[404]], [2, 1])
  assert.deepEqual([...(read?.byLatency ?? [])], [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  assert.equal(write?.byStatus[200], 1)
})

test('a clock that was set back subtracts nothing', () => {
  const traffic = new Traffic()
  traffic.count(over(READ, 200, -5000))
  assert.equal(traffic.routes[0]?.totalMs, 0)
})

test('a client that went away before it was answered is 499', () => {
  const traffic = new Traffic()
  traffic.count(over(READ, 200, 1, false))
  assert.equal(traffic.routes[0]?.byStatus[499], 1)
})

test('unknown paths count as one route, whatever the method', () => {
  const traffic = new Traffic()
  for (let count = 0; count < 3; count++) traffic.count(over({ method: '_special', path: '/{p*}' }, 404, 0))
  assert.equal(traffic.routes.length, 1)
  assert.equal(traffic.routes[0]?.byStatus[404], 3)
  assert.deepEqual(routeNameOf({ method: '_special' as 'get', path: '/{p*}' }), { method: 'other', route: 'other' })
})
