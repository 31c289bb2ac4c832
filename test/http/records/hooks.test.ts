import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const MODELS = '/api/v1/models' as const
const TAG = { name: 'Knots', slug: 'knots' }

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp()
  await app.tokenOf('admin')
  await work(app)
  assert.deepEqual(app.reported, [])
}

const appTest = testsOf(withApp)

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
    ...scenario('a create', `POST ${MODELS}/tag`, 201, { body: { data: TAG } }),
    calls: ['before tag new name,slug', 'in insert tag', 'after tag 13'],
  },
  {
    ...scenario('a bulk create', `POST ${MODELS}/tag/bulk`, 201, { body: { records: [TAG, { name: 'Bends', slug: 'bends' }] } }),
    calls: ['before tag new name,slug', 'before tag new name,slug', 'in insert tag,insert tag', 'after tag 13,tag 14'],
  },
  {
    ...scenario('an update', `PUT ${MODELS}/tag/2`, 200, { body: { data: { color: '#000000' } } }),
    calls: ['before tag 2 color', 'in update tag', 'after tag 2'],
  },
  {
    ...scenario('an update by filters', `PUT ${MODELS}/tag/bulk`, 200),
    body: { filters: ['id__in=2,3'], expected_total: 2, data: { color: '#000000' } },
    calls: ['before tag 2 color', 'before tag 3 color', 'in update tag,update tag', 'after tag 2,tag 3'],
  },
  {
    ...scenario('a deletion with a cascade', `DELETE ${MODELS}/post/1`, 200),
    calls: ['before post 1 ', 'in remove post', 'after post 1,comment 1,comment 2,comment 3'],
  },
  {
    ...scenario('an import', `POST ${MODELS}/tag/import?upsert_by=slug`, 200),
    ...{ rawBody: '{"name":"Boats","slug":"ferries"}\n{"name":"Knots","slug":"knots"}\n' },
    headers: { 'content-type': 'application/x-ndjson' },
    calls: ['before tag 2 name,slug', 'before tag new name,slug', 'in update tag,insert tag', 'after tag 2,tag 13'],
  },
  {
    ...scenario('a dry run', `POST ${MODELS}/tag?dry_run=true`, 200, { body: { data: TAG } }),
    calls: ['before tag new name,slug dry', 'in insert tag dry'],
  },
  {
    ...scenario('the dry run of a deletion', `DELETE ${MODELS}/tag/1?dry_run=true`, 200),
    calls: ['before tag 1  dry', 'in remove tag dry'],
  },
  {
    ...scenario('a write with an error of a field', `POST ${MODELS}/tag`, 400, { body: { data: { name: 'x' } } }),
    calls: ['before tag new name'],
  },
  {
    ...scenario('a write that violates a constraint', `PUT ${MODELS}/tag/2`, 400, { body: { data: { slug: 'storms' } } }),
    calls: ['before tag 2 slug', 'in update tag'],
  },
  { ...scenario('a write of an unknown model', `POST ${MODELS}/spaceship`, 404, { body: { data: TAG } }), calls: [] },
]

describe('hooks are called before validation, in the transaction and after the commit', () => {
  for (const { name, calls, ...request } of WAYS) {
    appTest(name, async (app) => {
      const made = listen(app)
      await play(app, request)
      assert.deepEqual(made, calls)
    })
  }

  appTest('those of a feature that is used first run first', async (app) => {
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
  })
})

describe('what hooks add', () => {
  const note = { kind: 'insert', table: 'tag', values: { name: 'Noted', slug: 'noted' } } as const

  appTest('is stored with the write, and is not in the response', async (app) => {
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
  })

  appTest('is not stored if the write is refused', async (app) => {
    app.app.hooks.use({
      inTransaction(transaction) {
        transaction.operations = [...transaction.operations, note]
      },
    })
    const body = { data: { ...TAG, slug: 'storms' } }
    await play(app, { request: `POST ${MODELS}/tag`, body, status: 400, events: {} })
    await play(app, { request: `GET ${MODELS}/tag/14`, status: 404 })
  })

  for (const stage of ['beforeWrite', 'inTransaction'] as const) {
    appTest(`a hook refuses a write (${stage})`, async (app) => {
      const refuse = async () => {
        throw new AppError('FORBIDDEN', 'Not today')
      }
      app.app.hooks.use({ [stage]: refuse })
      for (const request of [`POST ${MODELS}/tag`, `PUT ${MODELS}/tag/1`, `DELETE ${MODELS}/tag/1`] as const) {
        await play(app, { request, ...(request.startsWith('DELETE') ? {} : { body: { data: TAG } }), status: 403, events: {} })
      }
    })
  }
})

const LOGIN = { request: 'POST /api/v1/auth/token', body: { username: 'anna.lind', password: 'lighthouse-keys-17' } } as const

const webhooks = { allow_private: true, subscriptions: [{ url: 'http://127.0.0.1:9/' }] }

const RECORDED = { settings: { history: { days: 30 }, webhooks: webhooks as never } }

scenarios('history and events of webhooks are stored with the change', RECORDED, [
  scenario('of a create', `POST ${MODELS}/tag`, 201, {
    body: { data: TAG },
    events: { 'create tag': 1, 'create historyentry': 1, 'create webhookevent': 1 },
  }),
  scenario('of a cascade', `DELETE ${MODELS}/post/3`, 200, {
    events: { 'delete post': 1, 'delete comment': 3, 'create historyentry': 4, 'create webhookevent': 4 },
  }),
  scenario('a changed password ends the sessions', `PUT ${MODELS}/user/3`, 200, {
    given: async (app) => void (await play(app, { ...LOGIN, as: null, status: 200 })),
    body: { data: { password: 'another long password' } },
    events: { 'update user': 1, 'delete authsession': 1, 'create historyentry': 1, 'create webhookevent': 1 },
  }),
  scenario('of a dry run: none', `POST ${MODELS}/tag?dry_run=true`, 200, { body: { data: TAG }, events: {} }),
  scenario('of a refused write: none', `POST ${MODELS}/tag`, 400, { body: { data: { name: 'x' } }, events: {} }),
])
