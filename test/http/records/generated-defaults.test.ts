import assert from 'node:assert/strict'
import { play, scenario, scenarios } from '../../helpers/api/scenario.ts'

const FILES = {
  'models/ticket.yaml': `name: Ticket
fields:
  - { name: title, type: string }
  - { name: key, type: uuid, unique: true }
  - { name: parent_key, type: uuid, default: null }
  - { name: opened_at, type: datetime, default: now, required: true }
  - { name: opened_on, type: date, default: today }
  - { name: owner_id, type: foreignkey, model: user, default: { user: id }, required: true }
`,
  'seed/user.yaml': `- { username: admin, email: admin@example.com, password: long-enough, is_superuser: true }
- { username: ann, email: ann@example.com, password: long-enough, is_superuser: true }
`,
}
const TICKETS = '/api/v1/models/ticket'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const GIVEN = '9f5c1a52-7d0e-4b1f-8a3c-1f2e3d4c5b6a'

scenarios('generated defaults', { files: FILES }, [
  scenario('are a random UUID, the time and the day of creation, and the user who creates', `POST ${TICKETS}`, 201, {
    as: 'ann',
    body: { data: { title: 'a' } },
    check({ json: { data } }, app) {
      assert.match(data.key, UUID)
      const now = new Date(app.time.clock()).toISOString()
      assert.deepEqual([data.parent_key, data.opened_at, data.opened_on, data.owner_id], [null, now, now.slice(0, 10), 2])
    },
  }),
  scenario('give way to values of the request, also to null', `POST ${TICKETS}`, 201, {
    body: { data: { key: GIVEN.toUpperCase(), opened_at: '2020-01-01T00:00:00Z', opened_on: null, owner_id: 2 } },
    expectPart: { data: { key: GIVEN, opened_at: '2020-01-01T00:00:00.000Z', opened_on: null, owner_id: 2 } },
  }),
  scenario('differ for each record of a bulk operation', `POST ${TICKETS}/bulk`, 201, {
    body: { records: [{}, {}] },
    check: ({ json: { data } }) => assert.notEqual(data[0].key, data[1].key),
  }),
  scenario('are in imported records, too', `POST ${TICKETS}/import`, 200, {
    headers: { 'content-type': 'text/csv' },
    rawBody: 'title\na\n',
    expectPart: { created: 1 },
  }),
  scenario('do not return in an update', `PUT ${TICKETS}/1`, 200, {
    given: async (app) => {
      await play(app, { request: `POST ${TICKETS}`, body: { data: {} }, status: 201 })
    },
    body: { data: { opened_on: null } },
    expectPart: { data: { opened_on: null } },
  }),
  scenario('a UUID in another form is refused', `POST ${TICKETS}`, 400, {
    body: { data: { key: GIVEN.replaceAll('-', '') } },
    expect: { detail: { error: { key: ['key must be a UUID'] } } },
  }),
  scenario('a filter on a UUID ignores case', `GET ${TICKETS}?filters=key=${GIVEN.toUpperCase()}`, 200, {
    given: async (app) => {
      await play(app, { request: `POST ${TICKETS}`, body: { data: { key: GIVEN } }, status: 201 })
    },
    expectPart: { total: 1 },
  }),
])
