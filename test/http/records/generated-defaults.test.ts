import assert from 'node:assert/strict'
import { play, scenarios } from '../../helpers/api/scenario.ts'

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

scenarios(
  'generated defaults',
  [
    {
      name: 'are a random UUID, the time and the day of creation, and the user who creates',
      request: `POST ${TICKETS}`,
      as: 'ann',
      body: { data: { title: 'a' } },
      status: 201,
      check({ json: { data } }, app) {
        assert.match(data.key, UUID)
        const now = new Date(app.time.clock()).toISOString()
        assert.deepEqual([data.parent_key, data.opened_at, data.opened_on, data.owner_id], [null, now, now.slice(0, 10), 2])
      },
    },
    {
      name: 'give way to values of the request, also to null',
      request: `POST ${TICKETS}`,
      body: { data: { key: GIVEN.toUpperCase(), opened_at: '2020-01-01T00:00:00Z', opened_on: null, owner_id: 2 } },
      status: 201,
      expectPart: { data: { key: GIVEN, opened_at: '2020-01-01T00:00:00.000Z', opened_on: null, owner_id: 2 } },
    },
    {
      name: 'differ for each record of a bulk operation',
      request: `POST ${TICKETS}/bulk`,
      body: { records: [{}, {}] },
      status: 201,
      check: ({ json: { data } }) => assert.notEqual(data[0].key, data[1].key),
    },
    {
      name: 'are in imported records, too',
      request: `POST ${TICKETS}/import`,
      headers: { 'content-type': 'text/csv' },
      rawBody: 'title\na\n',
      status: 200,
      expectPart: { created: 1 },
    },
    {
      name: 'do not return in an update',
      given: async (app) => {
        await play(app, { request: `POST ${TICKETS}`, body: { data: {} }, status: 201 })
      },
      request: `PUT ${TICKETS}/1`,
      body: { data: { opened_on: null } },
      status: 200,
      expectPart: { data: { opened_on: null } },
    },
    {
      name: 'a UUID in another form is refused',
      request: `POST ${TICKETS}`,
      body: { data: { key: GIVEN.replaceAll('-', '') } },
      status: 400,
      expect: { detail: { error: { key: ['key must be a UUID'] } } },
    },
    {
      name: 'a filter on a UUID ignores case',
      given: async (app) => {
        await play(app, { request: `POST ${TICKETS}`, body: { data: { key: GIVEN } }, status: 201 })
      },
      request: `GET ${TICKETS}?filters=key=${GIVEN.toUpperCase()}`,
      status: 200,
      expectPart: { total: 1 },
    },
  ],
  { files: FILES },
)
