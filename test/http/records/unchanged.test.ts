import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Change } from '../../../src/store/store.ts'
import { ADMIN_SEED, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, send } from '../../helpers/api/scenario.ts'

const PIECES = '/api/v1/models/piece' as const

const FILES = {
  'models/piece.yaml': `name: Piece
timestamps: true
fields:
  - { name: code, type: string, required: true, unique: true }
  - { name: amount, type: decimal, decimal_places: 2 }
  - { name: rate, type: number }
  - { name: at, type: datetime }
  - { name: kinds, type: multichoice, choices: [old, rare, sold] }
  - { name: extra, type: json }
  - { name: pin, type: password }
  - { name: labels, type: many_to_many, model: label }
`,
  'models/label.yaml': 'name: Label\nfields:\n  - { name: name, type: string }\n',
  'seed/label.yaml': '- { name: sea }\n- { name: shore }\n- { name: sand }\n',
  ...ADMIN_SEED,
}

const PIECE = {
  ...{ code: 'a1', amount: '1.50', rate: 0.25, at: '2026-01-05T10:00:00Z', kinds: ['rare', 'old'] },
  ...{ extra: { b: [1, { c: null }], a: 'x' }, labels: [3, 1] },
}

/** Writes that set what is stored already. */
const UNCHANGED: readonly (Omit<Scenario, 'status'> & { readonly status?: number })[] = [
  { name: 'a PUT without a field', request: `PUT ${PIECES}/1`, body: { data: {} } },
  { name: 'a PUT of every value', request: `PUT ${PIECES}/1`, body: { data: PIECE } },
  { name: 'a PATCH of every value', request: `PATCH ${PIECES}/1`, body: { data: PIECE } },
  {
    name: 'a PUT of the same values in other forms',
    request: `PUT ${PIECES}/1`,
    body: { data: { amount: 1.5, at: '2026-01-05T11:00:00+01:00', labels: [{ id: 3 }, { id: 1 }], pin: null } },
  },
  { name: 'a PUT of the same links in the same order', request: `PUT ${PIECES}/1`, body: { data: { labels: [3, 1] } } },
  {
    name: 'a bulk update',
    request: `PUT ${PIECES}/bulk`,
    body: {
      updates: [
        { id: 1, data: PIECE },
        { id: 2, data: {} },
      ],
    },
  },
  {
    name: 'a bulk update by filters',
    request: `PATCH ${PIECES}/bulk`,
    body: { filters: ['code=a1'], expected_total: 1, data: { rate: 0.25, labels: [3, 1] } },
  },
  {
    name: 'an import that finds its records by a unique field',
    request: `POST ${PIECES}/import?upsert_by=code`,
    rawBody: `${JSON.stringify({ ...PIECE, pin: null })}\n${JSON.stringify({ code: 'b2' })}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  },
]

async function withPieces(work: (app: TestApp, changes: readonly Change[]) => Promise<void>): Promise<void> {
  const webhooks = { allow_private: true, subscriptions: [{ url: 'http://127.0.0.1:9/', events: ['update'], models: [] }] }
  await using app = await openTestApp({ files: FILES, settings: { history: { days: 90 }, webhooks: webhooks as never } })
  await play(app, { request: `POST ${PIECES}/bulk`, body: { records: [PIECE, { code: 'b2' }] }, status: 201 })
  const changes: Change[] = []
  app.app.store.onChange((more) => changes.push(...more))
  app.advance(60_000)
  await work(app, changes)
  assert.deepEqual(app.reported, [])
}

describe('an update that changes nothing', () => {
  for (const { name, ...request } of UNCHANGED) {
    test(`${name} keeps updated_at and version, and leaves no history and no event`, () =>
      withPieces(async (app, changes) => {
        const before = await play(app, { request: `GET ${PIECES}/1`, status: 200 })
        await play(app, { ...request, status: 200 })
        const after = await play(app, { request: `GET ${PIECES}/1`, status: 200 })
        assert.deepEqual(after.json, before.json)
        assert.equal(after.headers.etag, before.headers.etag)
        assert.deepEqual(changes, [])
        const history = await play(app, { request: `GET ${PIECES}/1/history`, status: 200 })
        assert.equal(history.json.total, 1)
      }))
  }

  test('an update that changes one of two records changes only that one', () =>
    withPieces(async (app, changes) => {
      const updates = [
        { id: 1, data: PIECE },
        { id: 2, data: { rate: 1 } },
      ]
      await play(app, { request: `PUT ${PIECES}/bulk`, body: { updates }, status: 200 })
      const changed = changes.flatMap(({ table, id }) => (table === 'piece' ? [id] : []))
      assert.deepEqual(changed, [2])
      assert.equal(changes.length, 3, 'the record, its event and its history entry')
    }))

  test('another order of links, choices or members of JSON, and a password, are changes', async () => {
    for (const data of [
      { labels: [1, 3] },
      { kinds: ['old', 'rare'] },
      { extra: { a: 'x', b: [1, { c: null }] } },
      { pin: 'harbour-pin-1' },
    ]) {
      await withPieces(async (app, changes) => {
        const before = await send(app, { request: `GET ${PIECES}/1` })
        const after = await play(app, { request: `PUT ${PIECES}/1`, body: { data }, status: 200 })
        assert.notEqual(after.headers.etag, before.headers.etag, JSON.stringify(data))
        assert.equal(changes.length, 3, JSON.stringify(data))
      })
    }
  })

  test('the guards of an update hold all the same', () =>
    withPieces(async (app) => {
      await play(app, { request: `PUT ${PIECES}/1`, headers: { 'if-match': '"other"' }, body: { data: {} }, status: 412 })
      await play(app, { request: `PUT ${PIECES}/9`, body: { data: {} }, status: 400 })
      await play(app, { request: `PUT ${PIECES}/1`, body: { data: { code: null } }, status: 400 })
    }))

  test('a store that is opened again has every record as it was', () =>
    withPieces(async (app) => {
      await play(app, { request: `PUT ${PIECES}/1`, body: { data: {} }, status: 200 })
      const before = await play(app, { request: `GET ${PIECES}/1`, status: 200 })
      await using again = await app.reopen()
      assert.deepEqual((await play(again, { request: `GET ${PIECES}/1`, status: 200 })).json, before.json)
    }))
})
