import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import { ADMIN_SEED, openTestApp } from '../../helpers/api/app.ts'
import { play, scenario, scenarios } from '../../helpers/api/scenario.ts'

const FILES = {
  'models/seat.yaml': `name: Seat
unique_together: [[row, number], [row, label, holder_id]]
fields:
  - { name: row, type: string, required: true }
  - { name: number, type: integer }
  - { name: label, type: string }
  - { name: holder_id, type: foreignkey, model: user }
`,
  ...ADMIN_SEED,
  'seed/seat.yaml':
    '- { row: A, number: 1 }\n- { row: A, number: 2 }\n- { row: B, number: 1, label: x, holder_id: 1 }\n- { row: A }\n',
}
const SEATS = '/api/v1/models/seat'
const TAKEN = { detail: { error: { row: ['row must be unique together with number'] } } }

scenarios('fields that are unique together', { files: FILES }, [
  scenario('a taken combination', `POST ${SEATS}`, 400, { body: { data: { row: 'A', number: 1 } }, expect: TAKEN }),
  scenario('another combination', `POST ${SEATS}`, 201, { body: { data: { row: 'B', number: 2 } } }),
  scenario('null is equal to nothing', `POST ${SEATS}`, 201, { body: { data: { row: 'A' } } }),
  scenario('texts that only look alike when joined', `POST ${SEATS}/bulk`, 201, {
    body: {
      records: [
        { row: 'a,b', label: 'c', holder_id: 1 },
        { row: 'a', label: 'b,c', holder_id: 1 },
      ],
    },
  }),
  scenario('a set with a relation', `POST ${SEATS}`, 400, {
    body: { data: { row: 'B', label: 'x', holder_id: 1 } },
    expect: { detail: { error: { row: ['row must be unique together with label, holder_id'] } } },
  }),
  scenario('an update of one member', `PUT ${SEATS}/2`, 400, { body: { data: { number: 1 } }, expect: TAKEN }),
  scenario('an update of another field', `PUT ${SEATS}/2`, 200, { body: { data: { label: 'y' } } }),
  scenario('an update to the same values', `PUT ${SEATS}/2`, 200, { body: { data: { row: 'A', number: 2 } } }),
  scenario('a swap within one request', `PUT ${SEATS}/bulk`, 200, {
    body: {
      updates: [
        { id: 1, data: { number: 2 } },
        { id: 2, data: { number: 1 } },
      ],
    },
  }),
  scenario('twice in one request: the second is at fault', `POST ${SEATS}/bulk`, 400, {
    body: {
      records: [
        { row: 'C', number: 1 },
        { row: 'C', number: 1 },
      ],
    },
    expect: { detail: { error: { '1.row': ['row must be unique together with number'] } } },
  }),
  scenario('a combination that a deletion has freed', `POST ${SEATS}`, 201, {
    given: async (app) => {
      await play(app, { request: `DELETE ${SEATS}/1`, status: 200 })
    },
    body: { data: { row: 'A', number: 1 } },
  }),
  scenario('imported rows name their line', `POST ${SEATS}/import`, 400, {
    headers: { 'content-type': 'text/csv' },
    rawBody: 'row,number\nD,1\nA,1\n',
    expect: { detail: { error: { '2.row': ['row must be unique together with number'] } } },
  }),
])

test('16 parallel writers create each combination once, also after a restart', async () => {
  let app = await openTestApp({ files: FILES })
  const create = (number: number) =>
    app.app.records.create(SYSTEM, 'seat', { data: { row: 'P', number } }).then(
      () => 1,
      () => 0,
    )
  const created = await Promise.all(Array.from({ length: 16 * 20 }, (_, index) => create(index % 20)))
  assert.equal(
    created.reduce<number>((sum, each) => sum + each, 0),
    20,
  )
  app = await app.reopen()
  assert.equal(await create(7), 0)
  const { total } = await app.app.store.find('seat', {
    filters: [{ field: 'row', operator: 'eq', value: 'P' }],
    sort: [],
    offset: 0,
    limit: 0,
  })
  assert.equal(total, 20)
  await app.close()
})

test('mock records have free combinations', async () => {
  const app = await openTestApp({
    files: {
      ...FILES,
      'models/pair.yaml': `name: Pair
unique_together: [[seat_id, size]]
fields:
  - { name: seat_id, type: foreignkey, model: seat, required: true }
  - { name: size, type: choice, choices: [s, m, l], required: true }
`,
    },
  })
  const fill = (count: number) =>
    play(app, { request: 'POST /api/v1/mock', body: { models: ['pair'], count, seed: 1 }, status: count > 12 ? 400 : 201 })
  await fill(10)
  const { records } = await app.app.store.find('pair', { filters: [], sort: [], offset: 0, limit: 100 })
  assert.equal(new Set(records.map(({ seat_id, size }) => `${seat_id} ${size}`)).size, 10)
  const { json } = await play(app, { request: 'GET /api/v1/models/pair/mock?count=12&seed=3', status: 200 })
  assert.equal(new Set(json.data.map((pair: Record<string, unknown>) => `${pair.seat_id} ${pair.size}`)).size, 12)
  assert.match((await fill(13)).text, /No free combination of seat_id, size was found/)
  await app.close()
})
