import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenarios } from '../../helpers/api/scenario.ts'

const MODELS = '/api/v1/models' as const
const TAG = { name: 'Knots', slug: 'knots' }

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp()
  await app.tokenOf('admin')
  await work(app)
  assert.deepEqual(app.reported, [])
}

/** Registers a hook of each stage. Returns what they were called with. */
function listen({ app }: TestApp): string[] {
  const calls: string[] = []
  app.hooks.use({
    beforeWrite: ({ model, options }, { existing, data }) =>
      void calls.push(`before ${model.key} ${existing?.id ?? 'new'} ${Object.keys(data ?? {})}${options?.dryRun ? ' dry' : ''}`),
    inTransaction: ({ operations, write: { options } }) =>
      void calls.push(`in ${operations.map(({ kind, table }) => `${kind} ${table}`)}${options?.dryRun ? ' dry' : ''}`),
    afterCommit(changes) {
      const told = changes.filter(({ table }) => table !== 'historyentry')
      calls.push(`after ${told.map(({ table, id }) => `${table} ${id}`)}`)
    },
  })
  return calls
}

type Ways = readonly (Pick<Scenario, 'name' | 'request' | 'status'> &
  Partial<Pick<Scenario, 'body' | 'rawBody' | 'headers'>> & { readonly calls: readonly string[] })[]

const WAYS: Ways = [
  {
    ...{ name: 'a create', request: `POST ${MODELS}/tag`, body: { data: TAG }, status: 201 },
    calls: ['before tag new name,slug', 'in insert tag', 'after tag 13'],
  },
  {
    ...{
      name: 'a bulk create',
      request: `POST ${MODELS}/tag/bulk`,
      body: { records: [TAG, { name: 'Bends', slug: 'bends' }] },
      status: 201,
    },
    calls: ['before tag new name,slug', 'before tag new name,slug', 'in insert tag,insert tag', 'after tag 13,tag 14'],
  },
  {
    ...{ name: 'an update', request: `PUT ${MODELS}/tag/2`, body: { data: { color: '#000000' } }, status: 200 },
    calls: ['before tag 2 color', 'in update tag', 'after tag 2'],
  },
  {
    ...{ name: 'an update by filters', request: `PUT ${MODELS}/tag/bulk`, status: 200 },
    body: { filters: ['id__in=2,3'], expected_total: 2, data: { color: '#000000' } },
    calls: ['before tag 2 color', 'before tag 3 color', 'in update tag,update tag', 'after tag 2,tag 3'],
  },
  {
    ...{ name: 'a deletion with a cascade', request: `DELETE ${MODELS}/post/1`, status: 200 },
    calls: ['before post 1 ', 'in remove post', 'after post 1,comment 1,comment 2,comment 3'],
  },
  {
    ...{ name: 'an import', request: `POST ${MODELS}/tag/import?upsert_by=slug`, status: 200 },
    ...{ rawBody: '{"name":"Boats","slug":"ferries"}\n{"name":"Knots","slug":"knots"}\n' },
    headers: { 'content-type': 'application/x-ndjson' },
    calls: ['before tag 2 name,slug', 'before tag new name,slug', 'in update tag,insert tag', 'after tag 2,tag 13'],
  },
  {
    ...{ name: 'a dry run', request: `POST ${MODELS}/tag?dry_run=true`, body: { data: TAG }, status: 200 },
    calls: ['before tag new name,slug dry', 'in insert tag dry'],
  },
  {
    ...{ name: 'the dry run of a deletion', request: `DELETE ${MODELS}/tag/1?dry_run=true`, status: 200 },
    calls: ['before tag 1  dry', 'in remove tag dry'],
  },
  {
    ...{ name: 'a write with an error of a field', request: `POST ${MODELS}/tag`, body: { data: { name: 'x' } }, status: 400 },
    calls: ['before tag new name'],
  },
  {
    ...{
      name: 'a write that violates a constraint',
      request: `PUT ${MODELS}/tag/2`,
      body: { data: { slug: 'storms' } },
      status: 400,
    },
    calls: ['before tag 2 slug', 'in update tag'],
  },
  {
    ...{ name: 'a write of an unknown model', request: `POST ${MODELS}/spaceship`, body: { data: TAG }, status: 404 },
    calls: [],
  },
]

describe('hooks are called before validation, in the transaction and after the commit', () => {
  for (const { name, calls, ...request } of WAYS) {
    test(name, () =>
      withApp(async (app) => {
        const made = listen(app)
        await play(app, request)
        assert.deepEqual(made, calls)
      }),
    )
  }

  test('those of a feature that is used first run first', () =>
    withApp(async (app) => {
      const calls: string[] = []
      for (const name of ['first', 'second']) {
        app.app.hooks.use({
          beforeWrite: async () => void calls.push(`${name} before`),
          inTransaction: async () => void calls.push(`${name} in`),
          afterCommit: async () => void calls.push(`${name} after`),
        })
      }
      await play(app, { request: `POST ${MODELS}/tag`, body: { data: TAG }, status: 201 })
      assert.deepEqual(calls, ['first before', 'second before', 'first in', 'second in', 'first after', 'second after'])
    }))
})

describe('what hooks add', () => {
  const note = { kind: 'insert', table: 'tag', values: { name: 'Noted', slug: 'noted' } } as const

  test('is stored with the write, and is not in the response', () =>
    withApp(async (app) => {
      app.app.hooks.use({
        inTransaction(transaction) {
          transaction.operations = [...transaction.operations, note]
        },
      })
      const { json } = await play(app, {
        request: `POST ${MODELS}/tag`,
        body: { data: TAG },
        status: 201,
        events: { 'create tag': 2, 'create historyentry': 2 },
      })
      assert.equal(json.data.name, TAG.name)
      await play(app, { request: `GET ${MODELS}/tag/14`, status: 200 })
    }))

  test('is not stored if the write is refused', () =>
    withApp(async (app) => {
      app.app.hooks.use({
        inTransaction(transaction) {
          transaction.operations = [...transaction.operations, note]
        },
      })
      const body = { data: { ...TAG, slug: 'storms' } }
      await play(app, { request: `POST ${MODELS}/tag`, body, status: 400, events: {} })
      await play(app, { request: `GET ${MODELS}/tag/14`, status: 404 })
    }))

  for (const stage of ['beforeWrite', 'inTransaction'] as const) {
    test(`a hook refuses a write (${stage})`, () =>
      withApp(async (app) => {
        const refuse = async () => {
          throw new AppError('FORBIDDEN', 'Not today')
        }
        app.app.hooks.use({ [stage]: refuse })
        for (const request of [`POST ${MODELS}/tag`, `PUT ${MODELS}/tag/1`, `DELETE ${MODELS}/tag/1`] as const) {
          await play(app, { request, ...(request.startsWith('DELETE') ? {} : { body: { data: TAG } }), status: 403, events: {} })
        }
      }))
  }
})

const LOGIN = { request: 'POST /api/v1/auth/token', body: { username: 'anna.lind', password: 'lighthouse-keys-17' } } as const

const webhooks = { allow_private: true, subscriptions: [{ url: 'http://127.0.0.1:9/' }] }

scenarios(
  'history and events of webhooks are stored with the change',
  [
    {
      name: 'of a create',
      request: `POST ${MODELS}/tag`,
      body: { data: TAG },
      status: 201,
      events: { 'create tag': 1, 'create historyentry': 1, 'create webhookevent': 1 },
    },
    {
      name: 'of a cascade',
      request: `DELETE ${MODELS}/post/3`,
      status: 200,
      events: { 'delete post': 1, 'delete comment': 3, 'create historyentry': 4, 'create webhookevent': 4 },
    },
    {
      name: 'a changed password ends the sessions',
      given: async (app) => void (await play(app, { ...LOGIN, as: null, status: 200 })),
      request: `PUT ${MODELS}/user/3`,
      body: { data: { password: 'another long password' } },
      status: 200,
      events: { 'update user': 1, 'delete authsession': 1, 'create historyentry': 1, 'create webhookevent': 1 },
    },
    { name: 'of a dry run: none', request: `POST ${MODELS}/tag?dry_run=true`, body: { data: TAG }, status: 200, events: {} },
    { name: 'of a refused write: none', request: `POST ${MODELS}/tag`, body: { data: { name: 'x' } }, status: 400, events: {} },
  ],
  { settings: { history: { days: 30 }, webhooks: webhooks as never } },
)
