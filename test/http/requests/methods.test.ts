import assert from 'node:assert/strict'
import { type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'

const WEBHOOK = { url: 'https://example.com/hook' }

scenarios('PATCH updates as PUT does', [
  scenario('one record, and leaves out nothing that the body does not name', 'PATCH /api/v1/models/tag/1', 200, {
    body: { data: { color: '#123456' } },
    check: ({ json }) => assert.deepEqual([json.data.id, json.data.color, typeof json.data.name], [1, '#123456', 'string']),
  }),
  scenario('several records', 'PATCH /api/v1/models/tag/bulk', 200, {
    body: { updates: [{ id: 1, data: { color: '#123456' } }] },
    check: ({ json }) => assert.equal(json.total, 1),
  }),
  scenario('a webhook', 'PATCH /api/v1/webhooks/1', 200, {
    given: async ({ server, tokenOf }) => {
      const headers = { authorization: `Bearer ${await tokenOf('admin')}` }
      const { statusCode } = await server.inject({ method: 'POST', url: '/api/v1/webhooks', payload: WEBHOOK, headers })
      assert.equal(statusCode, 201)
    },
    body: { active: false },
    check: ({ json }) => assert.equal(json.data.active, false),
  }),
  scenario('with If-Match', 'PATCH /api/v1/models/tag/1', 412, { headers: { 'if-match': '"old"' }, body: { data: {} } }),
])

const lacks = (request: Scenario['request'], allowed: string): Scenario =>
  scenario(`${request} lists ${allowed}`, request, 405, {
    as: null,
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
  scenario('is 404 on an unknown path', 'PATCH /api/v1/nothing', 404, { as: null }),
])
