import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from '../../helpers/api/app.ts'
import { play, scenario, scenarios } from '../../helpers/api/scenario.ts'

scenarios('a list for editing', [
  scenario('has the versions of its records, and what the user may do', 'GET /api/v1/models/tag?editing=true&page_size=2', 200, {
    check: async ({ json }, app) => {
      assert.deepEqual(json.can, [
        ['change', 'delete'],
        ['change', 'delete'],
      ])
      const one = await play(app, { request: 'GET /api/v1/models/tag/2', status: 200 })
      // That of a single record goes on with what the answer is made of.
      assert.equal(String(one.headers.etag).startsWith(json.etags[1].slice(0, -1)), true)
      assert.deepEqual(json.data[1], one.json.data)
    },
  }),
  scenario('has no more of its own in another list', 'GET /api/v1/models/tag?editing=false&page_size=1', 200, {
    check: ({ json }) => assert.deepEqual(['etags' in json, 'can' in json], [false, false]),
  }),
  scenario('names neither where nothing is found', 'GET /api/v1/models/tag?editing=true&filters=name=none', 200, {
    expectPart: { data: [], etags: [], can: [] },
  }),
  scenario('refuses other values', 'GET /api/v1/models/tag?editing=yes', 400, {
    expectPart: { details: { editing: ["'editing' must be true or false, not 'yes'"] } },
  }),
  scenario('belongs to lists, not to single records', 'GET /api/v1/models/tag/1?editing=true', 400),
])

test('what may be done with a record follows its access, also as other records change it', async () => {
  await using app = await openTestApp({ fixture: 'clinic' })
  const lines = async (as: string) => {
    const request = 'GET /api/v1/models/invoiceline?editing=true&filters=invoice_id=1&page_size=1' as const
    return (await play(app, { request, as, status: 200 })).json.can
  }
  assert.deepEqual(await lines('admin'), [['change', 'delete']])
  assert.deepEqual(await lines('g.adeyemi'), [[]])
  const data = { status: 'draft', paid_on: null, payment_method: null }
  await play(app, { request: 'PUT /api/v1/models/invoice/1', body: { data }, status: 200 })
  assert.deepEqual(await lines('g.adeyemi'), [['change', 'delete']])
})
