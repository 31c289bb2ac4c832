import assert from 'node:assert/strict'
import { type Scenario, scenario, scenarios } from '../helpers/api/scenario.ts'

const LOGIN = { username: 'anna.lind', password: 'lighthouse-keys-17' }
const TAG = { name: 'Knots', slug: 'knots' }

const answers = (request: Scenario['request'], rest: Partial<Scenario> = {}): Scenario =>
  scenario('answers', request, 200, { ...rest })

/** Nothing of ours is at the path: shape B, whatever it says. */
const nothingAt = (request: Scenario['request']): Scenario =>
  scenario('has nothing', request, 404, {
    check: ({ json }) => {
      assert.deepEqual(Object.keys(json).sort(), ['details', 'error', 'status_code'])
      assert.equal(json.status_code, 404)
    },
  })

scenarios('base_path', { settings: { base_path: '/backend' } }, [
  answers('GET /backend/api/v1/models/tag'),
  answers('POST /backend/api/v1/models/tag', {
    body: { data: TAG },
    status: 201,
    expectHeaders: { location: /\/backend\/api\/v1\/models\/tag\/13$/ },
  }),
  answers('POST /backend/api/v1/auth/token', { as: null, body: LOGIN }),
  answers('GET /backend/admin/api/v1/views/tag/', { as: null }),
  nothingAt('GET /api/v1/models/tag'),
  nothingAt('GET /api/v1/auth/me'),
  nothingAt('GET /admin/api/v1/views/'),
])

scenarios('admin_path', { settings: { admin_path: '/panel' } }, [
  answers('GET /panel/api/v1/views/', { as: null }),
  answers('GET /panel/api/v1/views/tag', { as: null }),
  answers('GET /api/v1/models/tag'),
  nothingAt('GET /admin/api/v1/views/'),
])

scenarios('api_version', { settings: { api_version: 'v2' } }, [
  answers('GET /api/v2/models/tag'),
  answers('POST /api/v2/models/tag', {
    body: { data: TAG },
    status: 201,
    expectHeaders: { location: /\/api\/v2\/models\/tag\/13$/ },
  }),
  answers('GET /api/v2/auth/me'),
  answers('GET /admin/api/v2/views/tag/', { as: null }),
  nothingAt('GET /api/v1/models/tag'),
  nothingAt('GET /admin/api/v1/views/'),
])

scenarios('jwt lifetimes', { settings: { jwt: { access_token_minutes: 5 } } }, [
  scenario('follow the settings', 'POST /api/v1/auth/token', 200, { as: null, body: LOGIN, expectPart: { expires_in: 300 } }),
])
