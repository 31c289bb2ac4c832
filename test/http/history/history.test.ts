import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
import { valuesOf } from '../../helpers/values-of.ts'

const API = '/api/v1'
const MODELS = `${API}/models`

const FILES = {
  'models/book.yaml': `name: Book
timestamps: true
fields:
  - { name: title, type: string, required: true }
  - { name: pin, type: password }
  - { name: pages, type: integer, default: 1 }
  - { name: tags, type: many_to_many, model: label }
access: { view: self.pages < 100 }
`,
  'models/label.yaml': 'name: Label\nfields:\n  - { name: name, type: string, unique: true }\n',
  'models/note.yaml': `name: Note
fields:
  - { name: text, type: string }
  - { name: book_id, type: foreignkey, model: book, on_delete: cascade }
  - { name: label_id, type: foreignkey, model: label, on_delete: set_null }
`,
  'models/quiet.yaml': 'name: Quiet\nhistory: false\nfields:\n  - { name: text, type: string }\n',
  'seed/user.yaml': `- { username: admin, email: admin@example.org, password: harbour-admin-2024, is_superuser: true }
- { username: reader, email: reader@example.org, password: harbour-reader-2024 }
`,
}

const withApp = async (work: (app: TestApp) => Promise<void>, history: object | null = { days: 90 }): Promise<void> => {
  await using app = await openTestApp({ files: FILES, settings: { ...(history === null ? {} : { history: history as never }) } })
  await work(app)
}

const appTest = testsOf(withApp)

const ask = (app: TestApp, request: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> =>
  send(app, {
    request: request as `GET /${string}`,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  })

const entries = async (app: TestApp, path: string) => (await ask(app, `GET ${path}`)).json.data

describe('the history of a record', () => {
  appTest('says who changed what, when, how and in which request', async (app) => {
    const created = await ask(app, `POST ${MODELS}/label`, { data: { name: 'sea' } }, { 'x-request-id': 'asked-by-me' })
    assert.equal(created.status, 201)
    app.advance(1000)
    const updated = await ask(app, `PUT ${MODELS}/label/1`, { data: { name: 'shore' } })
    assert.match(String(updated.headers['x-request-id']), /^[A-Za-z0-9._-]+$/, 'the response names the request')
    const reply = await play(app, { request: `GET ${MODELS}/label/1/history`, status: 200 })
    const admin = { id: 1, username: 'admin' }
    assert.deepEqual(reply.json.data, [
      {
        ...{ id: 2, model: 'label', record_id: 1, action: 'update', at: '2026-01-15T12:00:01.000Z', user: admin, via: 'api' },
        request_id: updated.headers['x-request-id'],
        changes: { name: { before: 'sea', after: 'shore' } },
      },
      {
        ...{ id: 1, model: 'label', record_id: 1, action: 'create', at: '2026-01-15T12:00:00.000Z', user: admin, via: 'api' },
        request_id: 'asked-by-me',
        changes: { name: { before: null, after: 'sea' } },
      },
    ])
    assert.equal(reply.json.total, 2)
    const oldest = await entries(app, `${MODELS}/label/1/history?sort_by=id&page_size=1`)
    assert.deepEqual(valuesOf(oldest, 'action'), ['create'])
    assert.equal((await entries(app, `${MODELS}/label/1/history?filters=action=update`)).length, 1)
    const unknown = await ask(app, `GET ${MODELS}/label/1/history?filters=acton=update`)
    assert.match(JSON.stringify(unknown.json), /did you mean 'action'/)
  })

  appTest('has an entry for each record of a bulk write, an import, mock records and a cascade', async (app) => {
    await ask(app, `POST ${MODELS}/label/bulk`, { records: [{ name: 'a' }, { name: 'b' }] })
    await ask(app, `POST ${MODELS}/book`, { data: { title: 'Harbours', tags: [1] } })
    await ask(app, `POST ${MODELS}/note`, { data: { text: 'n', book_id: 1, label_id: 1 } })
    await send(app, {
      request: `POST ${MODELS}/label/import?upsert_by=name`,
      rawBody: 'name\r\na\r\nc\r\n',
      headers: { 'content-type': 'text/csv' },
    })
    await ask(app, `POST ${API}/mock`, { count: 1, models: ['quiet', 'label'] })
    await ask(app, `DELETE ${MODELS}/label/1`)
    await ask(app, `DELETE ${MODELS}/book/1`)
    const all = (await entries(app, `${API}/history?sort_by=id&page_size=100`)).map(
      ({ model, record_id: id, action, via }: Record<string, unknown>) => `${model} ${id} ${action} ${via}`,
    )
    assert.deepEqual(all, [
      'label 1 create api',
      'label 2 create api',
      'book 1 create api',
      'note 1 create api',
      'label 3 create import',
      'label 4 create mock',
      'label 1 delete api',
      'book 1 update cascade',
      'note 1 update cascade',
      'book 1 delete api',
      'note 1 delete cascade',
    ])
  })

  appTest('never has a secret, only that it was set', async (app) => {
    await ask(app, `POST ${MODELS}/book`, { data: { title: 'Harbours', pin: 'very-secret-pin' } })
    const [entry] = await entries(app, `${MODELS}/book/1/history`)
    assert.deepEqual(entry.changes.pin, { before: null, after: null, secret: true })
    assert.doesNotMatch(JSON.stringify(entry), /very-secret-pin|\$quick\$/)
  })

  appTest('has no entry for internal stamps, dry runs, and changes that change nothing', async (app) => {
    await app.app.logins.login('admin', 'harbour-admin-2024')
    await ask(app, `POST ${MODELS}/label?dry_run=true`, { data: { name: 'x' } })
    await ask(app, `POST ${MODELS}/label`, { data: { name: 'x' } })
    await ask(app, `PUT ${MODELS}/label/1`, { data: { name: 'x' } })
    assert.equal((await ask(app, `GET ${API}/history`)).json.total, 1)
  })

  appTest('is for those who may view the record, and after its deletion for superusers', async (app) => {
    await ask(app, `POST ${MODELS}/book`, { data: { title: 'Thin', pages: 10 } })
    await ask(app, `POST ${MODELS}/book`, { data: { title: 'Thick', pages: 900 } })
    const read = (as: string | null, path: string) => send(app, { request: `GET ${path}` as `GET /${string}`, as })
    assert.equal((await read('reader', `${MODELS}/book/1/history`)).status, 200)
    assert.equal((await read('reader', `${MODELS}/book/2/history`)).status, 404)
    assert.equal((await read('reader', `${MODELS}/label/1/history`)).status, 403)
    assert.equal((await read('reader', `${API}/history`)).status, 403)
    assert.equal((await read(null, `${API}/history`)).status, 401)
    await ask(app, `DELETE ${MODELS}/book/1`)
    assert.equal((await read('reader', `${MODELS}/book/1/history`)).status, 404)
    assert.equal((await read('admin', `${MODELS}/book/1/history`)).json.total, 2)
    assert.equal((await read('admin', `${MODELS}/book/9/history`)).status, 404)
  })

  appTest('is in the snapshot and the journal: it survives a restart', async (app) => {
    await ask(app, `POST ${MODELS}/label`, { data: { name: 'sea' } })
    const next = await app.reopen()
    assert.equal((await entries(next, `${MODELS}/label/1/history`)).length, 1)
  })

  appTest('is removed when it is old, and no sooner', async (app) => {
    await ask(app, `POST ${MODELS}/label`, { data: { name: 'old' } })
    app.advance(86_400_000)
    await ask(app, `POST ${MODELS}/label`, { data: { name: 'new' } })
    app.advance(89 * 86_400_000 + 1000)
    await app.app.begin()
    const left = await entries(app, `${API}/history`)
    assert.deepEqual(valuesOf(left, 'record_id'), [2])
  })

  test('is off by default, and for models that leave it out', async () => {
    await withApp(
      async (app) => {
        await ask(app, `POST ${MODELS}/quiet`, { data: { text: 'x' } })
        const reply = await ask(app, `GET ${MODELS}/quiet/1/history`)
        assert.deepEqual([reply.status, reply.json.error], [404, 'History is not recorded'])
        await ask(app, `POST ${MODELS}/label`, { data: { name: 'x' } })
        assert.equal(
          (await ask(app, `GET ${MODELS}/label/1/history`)).status,
          404,
          'limited to the models that the settings name',
        )
        await ask(app, `POST ${MODELS}/book`, { data: { title: 'x' } })
        assert.equal((await ask(app, `GET ${MODELS}/book/1/history`)).status, 200)
      },
      { days: 1, models: ['Book'] },
    )
    await withApp(async (app) => {
      await ask(app, `POST ${MODELS}/label`, { data: { name: 'x' } })
      assert.equal((await app.app.store.find('historyentry', { filters: [], sort: [], offset: 0, limit: 1 })).total, 0)
    }, null)
  })
})
