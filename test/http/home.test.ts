import assert from 'node:assert/strict'
import { test } from 'node:test'
import Hapi from '@hapi/hapi'
import { DEFAULTS } from '../../src/config/settings.ts'
import { homeRoutes } from '../../src/http/routes/pages.ts'
import { type Scenario, scenario, scenarios } from '../helpers/api/scenario.ts'

const leadsTo = (request: Scenario['request'], location: string): Scenario =>
  scenario(`leads to ${location}`, request, 302, { as: null, expectHeaders: { location } })

scenarios('the root of a server', [leadsTo('GET /', '/docs'), leadsTo('GET /?utm_source=x', '/docs')])

scenarios('the root of a server with a base path', { settings: { base_path: '/backend' } }, [
  leadsTo('GET /', '/backend/docs'),
  leadsTo('GET /backend', '/backend/docs'),
  leadsTo('GET /backend/', '/backend/docs'),
])

for (const [base, request] of [
  ['', '/'],
  ['/backend', '/backend'],
] as const) {
  test(`leads to the page where there is one, from '${request}'`, async () => {
    const server = Hapi.server()
    // Without authentication schemes, routes cannot name one.
    server.route(homeRoutes({ ...DEFAULTS, base_path: base }, `${base}/admin/`).map(({ options: _, ...route }) => route))
    const { statusCode, headers } = await server.inject(request)
    assert.deepEqual([statusCode, headers.location], [302, `${base}/admin/`])
  })
}
