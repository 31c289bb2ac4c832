import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { startReceiver } from '../../helpers/api/receiver.ts'
import { type Reply, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const API = '/api/v1'

const FILES = {
  'models/author.yaml': `name: Author
timestamps: true
fields:
  - { name: name, type: string, unique: true, required: true }
`,
  'models/book.yaml': `name: Book
timestamps: true
fields:
  - { name: title, type: string, required: true }
  - { name: pin, type: password, required: true }
  - { name: author_id, type: foreignkey, model: author, on_delete: cascade }
  - { name: tags, type: many_to_many, model: label }
`,
  'models/label.yaml': 'name: Label\nfields:\n  - { name: name, type: string, unique: true }\n',
  'models/note.yaml': `name: Note
fields:
  - { name: text, type: string }
  - { name: book_id, type: foreignkey, model: book, on_delete: cascade }
  - { name: label_id, type: foreignkey, model: label, on_delete: set_null }
access: { add: 'self.text != "secret"' }
`,
  'models/letter.yaml': `name: Letter
fields:
  - { name: text, type: string }
access: { add: public, view: 'self.text != "secret"' }
`,
  'models/quiet.yaml':
    'name: Quiet\nhistory: false\nfields:\n  - { name: text, type: string }\n  - { name: letter_id, type: foreignkey, model: letter, on_delete: cascade }\n',
  'seed/user.yaml': `- { username: admin, email: admin@example.org, password: harbour-admin-2024, is_superuser: true }
- { username: maker, email: maker@example.org, password: harbour-maker-2024, permissions: [1, 2, 3, 4, 5, 6] }
- { username: adder, email: adder@example.org, password: harbour-adder-2024, permissions: [1, 2] }
`,
  'seed/permission.yaml': ['add_author', 'add_book', 'add_user', 'view_author', 'view_book', 'view_note']
    .map((codename) => `- { codename: ${codename} }\n`)
    .join(''),
}

const withApp = async (work: (app: TestApp) => Promise<void>): Promise<void> => {
  await using app = await openTestApp({ files: FILES, settings: { history: { days: 90 } } })
  await work(app)
}

const appTest = testsOf(withApp)

const ask = (app: TestApp, request: string, body?: unknown, as: string | null = 'admin'): Promise<Reply> =>
  send(app, { request: request.replace(' ', ` ${API}/models/`) as `GET /${string}`, as, ...(body === undefined ? {} : { body }) })

/** An author with two books and a note, and labels that a book and the note have. */
async function fill(app: TestApp, text = 'n'): Promise<void> {
  await ask(app, 'POST author', { data: { name: 'Ann' } })
  for (const name of ['sea', 'wind', 'salt']) await ask(app, 'POST label', { data: { name } })
  for (const title of ['One', 'Two']) {
    await ask(app, 'POST book', { data: { title, pin: 'a-pin-of-a-book', author_id: 1, tags: [1, 2, 3] } })
  }
  await ask(app, 'POST note', { data: { text, book_id: 1, label_id: 2 } })
  app.advance(60_000)
}

const stored = async (app: TestApp) =>
  Promise.all(['author/1', 'book/1', 'book/2', 'note/1', 'label/2'].map(async (path) => (await ask(app, `GET ${path}`)).json))

describe('restoring a deleted record', () => {
  appTest('brings it back with its id and times, and all that its deletion deleted', async (app) => {
    await fill(app)
    const before = await stored(app)
    assert.equal((await ask(app, 'DELETE author/1')).status, 200)
    app.advance(60_000)
    const dry = await ask(app, 'POST author/1/restore?dry_run=true')
    assert.equal(dry.status, 200, dry.text)
    assert.equal((await ask(app, 'GET author/1')).status, 404, 'a dry run restores nothing')
    const { status, json } = await ask(app, 'POST author/1/restore')
    assert.equal(status, 200)
    assert.deepEqual(json.data, before[0].data)
    assert.deepEqual(json.consequences, [
      { model: 'book', action: 'cascade', count: 2 },
      { model: 'note', action: 'cascade', count: 1 },
    ])
    assert.deepEqual(json.notices, [
      'The history has no pin of Book with ID 1; set a new one',
      'The history has no pin of Book with ID 2; set a new one',
    ])
    assert.deepEqual(await stored(app), before)
    const { json: history } = await ask(app, 'GET book/2/history')
    assert.deepEqual([history.data[0].action, history.data[0].via], ['create', 'restore'])
    assert.equal((await ask(app, 'POST author', { data: { name: 'Bea' } })).json.data.id, 2, 'ids go on')
    await using next = await app.reopen().then((app) => ({ app, [Symbol.asyncDispose]: () => app.app.close() }))
    assert.deepEqual(await stored(next.app), before)
  })

  appTest('puts back references and links that the deletion emptied, and none that were set since', async (app) => {
    await fill(app)
    const before = await stored(app)
    await ask(app, 'DELETE label/2')
    const restored = await ask(app, 'POST label/2/restore')
    assert.deepEqual(restored.json.consequences, [
      { model: 'book', action: 'set_null', count: 2 },
      { model: 'note', action: 'set_null', count: 1 },
    ])
    assert.deepEqual(await stored(app), before)
    await ask(app, 'DELETE label/2')
    await ask(app, 'PUT note/1', { data: { label_id: 3 } })
    await ask(app, 'PUT book/1', { data: { tags: [3] } })
    await ask(app, 'DELETE book/2')
    assert.equal((await ask(app, 'POST label/2/restore')).status, 200)
    assert.equal((await ask(app, 'GET note/1')).json.data.label_id, 3)
    const tags = (await ask(app, 'GET book/1')).json.data.tags as { id: number }[]
    assert.deepEqual(
      tags.map(({ id }) => id),
      [3, 2],
    )
  })

  appTest('takes of a bulk deletion the record, and what it needs', async (app) => {
    await fill(app)
    await ask(app, 'POST author', { data: { name: 'Bea' } })
    await ask(app, 'DELETE author/bulk', { ids: [1, 2] })
    assert.equal((await ask(app, 'POST author/2/restore')).status, 200)
    assert.equal((await ask(app, 'GET author/1')).status, 404)
    assert.equal((await ask(app, 'POST note/1/restore')).status, 200)
    for (const path of ['author/1', 'book/1']) assert.equal((await ask(app, `GET ${path}`)).status, 200, path)
  })

  const refused = async (app: TestApp, request: string, status: number, details: RegExp, as?: string) => {
    const reply = await ask(app, request, undefined, as)
    assert.equal(reply.status, status, reply.text)
    assert.match(String(reply.json.details), details)
  }

  appTest('is refused where it exists, or a unique value or a reference is in the way', async (app) => {
    await fill(app)
    await refused(app, 'POST label/3/restore', 409, /^Label with ID 3 exists$/)
    await refused(app, 'POST label/9/restore', 404, /Label with ID 9 does not exist/)
    await ask(app, 'DELETE book/1')
    await ask(app, 'DELETE label/1')
    await refused(app, 'POST book/1/restore', 409, /Book with ID 1: tags references a non-existent record/)
    await ask(app, 'POST label', { data: { name: 'sea' } })
    await refused(app, 'POST label/1/restore', 409, /^Label with ID 1: name must be unique$/)
    await ask(app, 'PUT label/4', { data: { name: 'foam' } })
    assert.equal((await ask(app, 'POST label/1/restore')).status, 200)
    assert.equal((await ask(app, 'POST book/1/restore')).status, 200)
    await refused(app, 'POST book/1/restore', 409, /^Book with ID 1 exists$/)
    await refused(app, 'POST quiet/1/restore', 404, /history of Quiet is not recorded/)
    await refused(app, 'POST nothing/1/restore', 404, /Model 'nothing' does not exist/)
  })

  appTest('needs the permission to create each record, and is no way to more rights', async (app) => {
    await fill(app, 'secret')
    await ask(app, 'DELETE author/1')
    assert.equal((await ask(app, 'POST author/1/restore', undefined, 'maker')).status, 403, 'the note must not be added')
    assert.equal((await ask(app, 'POST label/1/restore', undefined, 'maker')).status, 403)
    await ask(app, 'POST author', { data: { name: 'Ben' } })
    await ask(app, 'DELETE author/2')
    assert.equal((await ask(app, 'POST author/2/restore', undefined, 'maker')).status, 200)
    await ask(app, 'POST user', {
      data: { username: 'boss', email: 'b@example.org', password: 'harbour-boss-2024', is_superuser: true },
    })
    await ask(app, 'DELETE user/4')
    assert.equal((await ask(app, 'POST user/4/restore', undefined, 'maker')).status, 403)
    const { status, json } = await ask(app, 'POST user/4/restore')
    const notices = [
      'The history has no password of User with ID 4; set a new one',
      'The history of SavedView is not recorded; what was deleted of it with User stays deleted',
    ]
    assert.deepEqual([status, json.notices], [200, notices])
    await assert.rejects(app.app.logins.login('boss', 'harbour-boss-2024'))
  })

  appTest('names the record that the user may not create', async (app) => {
    await fill(app)
    const permissions = [1, 4, 5, 6]
    await ask(app, 'POST user', {
      data: { username: 'half', email: 'h@example.org', password: 'harbour-half-2024', permissions },
    })
    await ask(app, 'DELETE author/1')
    const details = /^User does not have permission to access this resource: Book with ID 1$/
    await refused(app, 'POST author/1/restore', 403, details, 'half')
  })

  appTest('says that records of a model without history stay deleted', async (app) => {
    await ask(app, 'POST letter', { data: { text: 'open' } })
    await ask(app, 'POST quiet', { data: { text: 'lost', letter_id: 1 } })
    await ask(app, 'DELETE letter/1')
    const { status, json } = await ask(app, 'POST letter/1/restore')
    assert.equal(status, 200)
    assert.deepEqual(json.notices, ['The history of Quiet is not recorded; what was deleted of it with Letter stays deleted'])
    assert.equal((await ask(app, 'GET quiet/1')).status, 404)
  })

  appTest('gives a field that became mandatory since its default, and names one without default', async (app) => {
    await ask(app, 'POST label', { data: { name: 'sea' } })
    await ask(app, 'DELETE label/1')
    const reopened = async (opened: TestApp, rank: string) => {
      await writeFile(join(app.folder.path, 'models/label.yaml'), `${FILES['models/label.yaml']}  - ${rank}\n`)
      return opened.reopen()
    }
    const without = await reopened(app, '{ name: rank, type: integer, required: true }')
    await refused(without, 'POST label/1/restore', 409, /^Label with ID 1: rank is mandatory$/)
    const withDefault = await reopened(without, '{ name: rank, type: integer, required: true, default: 3 }')
    assert.equal((await ask(withDefault, 'POST label/1/restore')).json.data?.rank, 3)
    await withDefault.app.close()
  })

  appTest('is for records that the user could view, and not for clients without a token', async (app) => {
    await fill(app)
    for (const text of ['secret', 'open']) await ask(app, 'POST letter', { data: { text } })
    for (const path of ['letter/1', 'letter/2', 'author/1']) assert.equal((await ask(app, `DELETE ${path}`)).status, 200, path)
    for (const request of ['POST letter/2/restore', 'POST letter/2/restore?dry_run=true']) {
      assert.equal((await ask(app, request, undefined, null)).status, 401, request)
    }
    assert.equal((await ask(app, 'POST author/1/restore?dry_run=true', undefined, 'adder')).status, 403)
    const [hidden, never] = [await ask(app, 'POST letter/1/restore', undefined, 'maker'), await ask(app, 'POST letter/9/restore')]
    assert.deepEqual([hidden.status, never.status], [404, 404])
    assert.equal(String(hidden.json.details), String(never.json.details).replace('9', '1'))
    assert.equal((await ask(app, 'POST letter/2/restore', undefined, 'maker')).status, 200)
  })

  appTest('tells the receivers of what is restored with it', async (app) => {
    await using receiver = await startReceiver()
    await fill(app)
    const { webhooks } = app.app
    await webhooks.create(SYSTEM, { url: receiver.url, events: ['create'], models: ['book'] })
    await ask(app, 'DELETE author/1')
    assert.equal(await webhooks.depth(), 0)
    assert.equal((await ask(app, 'POST author/1/restore')).status, 200)
    assert.equal(await webhooks.depth(), 2)
  })
})
