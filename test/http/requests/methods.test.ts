import assert from 'node:assert/strict'
import { type Scenario, scenarios } from '../../helpers/api/scenario.ts'

const WEBHOOK = { url: 'https://example.com/hook' }

scenarios('PATCH updates as PUT does', [
  {
    name: 'one record, and leaves out nothing that the body does not name',
    request: 'PATCH /api/v1/models/tag/1',
    body: { data: { color: '#123456' } },
    status: 200,
    check: ({ json }) => assert.deepEqual([json.data.id, json.data.color, typeof json.data.name], [1, '#123456', 'string']),
  },
  {
    name: 'several records',
    request: 'PATCH /api/v1/models/tag/bulk',
    body: { updates: [{ id: 1, data: { color: '#123456' } }] },
    status: 200,
    check: ({ json }) => assert.equal(json.total, 1),
  },
  {
    name: 'a webhook',
    given: async ({ server, tokenOf }) => {
      const headers = { authorization: `Bearer ${await tokenOf('admin')}` }
      const { statusCode } = await server.inject({ method: 'POST', url: '/api/v1/webhooks', payload: WEBHOOK, headers })
      assert.equal(statusCode, 201)
    },
    request: 'PATCH /api/v1/webhooks/1',
    body: { active: false },
    status: 200,
    check: ({ json }) => assert.equal(json.data.active, false),
  },
  {
    name: 'with If-Match',
    request: 'PATCH /api/v1/models/tag/1',
    headers: { 'if-match': '"old"' },
    body: { data: {} },
    status: 412,
  },
])

const lacks = (request: Scenario['request'], allowed: string): Scenario => ({
  name: `${request} lists ${allowed}`,
  request,
  as: null,
  status: 405,
  expect: {
    error: 'Method not allowed',
    status_code: 405,
    details: `This path has no method ${request.split(' ')[0]}; it has ${allowed}`,
  },
  check: ({ headers }) => assert.equal(headers.allow, allowed),
})

scenarios('a method that the path does not have', [
  lacks('PUT /api/v1/models/post', 'GET, HEAD, POST'),
  lacks('POST /api/v1/models/post/1', 'GET, HEAD, PUT, PATCH, DELETE'),
  lacks('POST /api/v1/models/post/search', 'GET, HEAD'),
  lacks('GET /api/v1/auth/token', 'POST'),
  lacks('DELETE /healthz', 'GET, HEAD'),
  lacks('POST /admin/api/v1/views/', 'GET, HEAD'),
  { name: 'is 404 on an unknown path', request: 'PATCH /api/v1/nothing', as: null, status: 404 },
])
