import assert from 'node:assert/strict'
import { type Scenario, scenarios } from '../../helpers/api/scenario.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const TAG = { name: 'Knots', slug: 'knots', color: '#112233' }
const LOGIN = { username: 'anna.lind', password: 'lighthouse-keys-17' }

/** An operation under both spellings of its path. */
const both = (operation: Omit<Scenario, 'name'>): Scenario[] => {
  const [path = '', query] = operation.request.split('?')
  const request = `${path}/${query === undefined ? '' : `?${query}`}` as Scenario['request']
  return [
    { ...operation, name: 'without a slash' },
    { ...operation, name: 'with a slash', request },
  ]
}

scenarios('every operation answers alike', [
  ...both({ request: 'POST /api/v1/models/tag', body: { data: TAG }, status: 201, expect: { data: { id: 13, ...TAG } } }),
  ...both({ request: 'GET /api/v1/models/tag', status: 200, expectPart: { total: 12 } }),
  ...both({ request: 'GET /api/v1/models/tag?page_size=1', status: 200, expectPart: { total: 12, page_size: 1 } }),
  ...both({ request: 'GET /api/v1/models/tag/search?q=ferries', status: 200, expectPart: { total: 1 } }),
  ...both({ request: 'GET /api/v1/models/tag/1', status: 200, expectPart: { data: { id: 1, name: 'Lighthouse' } } }),
  ...both({
    request: 'PUT /api/v1/models/tag/1',
    body: { data: { name: 'Lights' } },
    status: 200,
    expectPart: { data: { id: 1, name: 'Lights' } },
  }),
  ...both({ request: 'DELETE /api/v1/models/tag/1', status: 200, expectPart: { message: 'Record deleted successfully' } }),
  ...both({ request: 'POST /api/v1/models/tag/bulk', body: { records: [TAG] }, status: 201, expectPart: { total: 1 } }),
  ...both({
    request: 'PUT /api/v1/models/tag/bulk',
    body: { updates: [{ id: 1, data: { name: 'Lights' } }] },
    status: 200,
    expectPart: { total: 1 },
  }),
  ...both({ request: 'DELETE /api/v1/models/tag/bulk', body: { ids: [1] }, status: 200, expectPart: { total: 1 } }),
  ...both({ request: 'GET /admin/api/v1/views', as: null, status: 200, expectPart: { data: {} } }),
  ...both({
    request: 'GET /admin/api/v1/views/tag',
    as: null,
    status: 200,
    check: ({ json }) => assert.deepEqual(valuesOf(json.data, 'name'), ['TagForm', 'TagList']),
  }),
  ...both({ request: 'POST /api/v1/auth/token', as: null, body: LOGIN, status: 200, expectPart: { token_type: 'bearer' } }),
  ...both({ request: 'POST /api/v1/auth/refresh', as: null, body: { refresh_token: 'x' }, status: 401 }),
  ...both({ request: 'POST /api/v1/auth/logout', as: null, body: {}, status: 400 }),
  ...both({ request: 'GET /api/v1/auth/me', as: 'anna.lind', status: 200 }),
])
