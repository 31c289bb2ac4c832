import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Reply, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const MODELS = '/api/v1/models'

const USER = (name: string, more: string): string =>
  `- { username: ${name}, email: ${name}@example.org, password: harbour-${name}-2024, ${more} }\n`

const FILES = {
  'models/note.yaml': `name: Note
display_field: text
fields:
  - { name: text, type: string }
  - { name: pin, type: password }
  - { name: owner_id, type: foreignkey, model: user, on_delete: set_null }
access: { view: self.owner_id == user.id, change: self.owner_id == user.id, delete: self.text != "kept" }
`,
  'models/tag.yaml': `name: Tag
fields:
  - { name: name, type: string }
  - { name: note_id, type: foreignkey, model: note, on_delete: restrict }
`,
  'roles/viewers.yaml': 'name: viewers\npermissions: [view_tag]\n',
  'roles/editors.yaml': 'name: editors\npermissions: [view_tag, change_tag, delete_tag]\n',
  'seed/user.yaml': [
    USER('admin', 'is_superuser: true'),
    USER('ann', 'groups: [{ name: editors }]'),
    USER('bob', 'groups: [{ name: viewers }]'),
  ].join(''),
  'seed/note.yaml': `- { text: harbour of ann, pin: harbour-pin-1, owner_id: 2 }
- { text: harbour of bob, pin: harbour-pin-2, owner_id: 3 }
- { text: kept, pin: harbour-pin-3, owner_id: 2 }
`,
  'seed/tag.yaml': '- { name: a, note_id: 1 }\n- { name: harbour, note_id: 2 }\n',
}

const withNotes = async (work: (app: TestApp) => Promise<void>): Promise<void> => {
  await using app = await openTestApp({ files: FILES })
  await work(app)
}

const notesTest = testsOf(withNotes)

const ask = (app: TestApp, as: string, request: string, body?: unknown): Promise<Reply> =>
  send(app, { request: request as 'GET /', as, ...(body === undefined ? {} : { body }) })

const everyRecord = async (app: TestApp): Promise<string> => {
  const all = { filters: [], sort: [], offset: 0, limit: 100 }
  return JSON.stringify([(await app.app.store.find('note', all)).records, (await app.app.store.find('tag', all)).records])
}

/** Sends a write that must be refused, and checks that it changes nothing. */
async function refused(app: TestApp, as: string, request: string, body: object, status: number): Promise<Reply> {
  const before = await everyRecord(app)
  for (const query of ['', '?dry_run=true']) {
    const reply = await ask(app, as, request + query, body)
    assert.equal(reply.status, status, `${as} ${request}${query} ${JSON.stringify(body)}: ${reply.text}`)
  }
  const reply = await ask(app, as, request, body)
  assert.equal(await everyRecord(app), before)
  return reply
}

describe('a write by filters', () => {
  notesTest('needs the permission to write', async (app) => {
    const change = { filters: [], expected_total: 2, data: { name: 'x' } }
    await refused(app, 'bob', `PUT ${MODELS}/tag/bulk`, change, 403)
    await refused(app, 'bob', `DELETE ${MODELS}/tag/bulk`, { filters: [], expected_total: 2 }, 403)
    assert.equal((await ask(app, 'ann', `PUT ${MODELS}/tag/bulk`, change)).status, 200)
  })

  notesTest('neither changes nor counts records that the user may not view', async (app) => {
    const all = await refused(app, 'bob', `PUT ${MODELS}/note/bulk`, { filters: [], expected_total: 3, data: { text: 'x' } }, 409)
    assert.match(all.json.details, /and 1 do/)
    const words = { filters: [], search: 'harbour', expected_total: 2, data: { text: 'x' } }
    assert.match((await refused(app, 'bob', `PUT ${MODELS}/note/bulk`, words, 409)).json.details, /and 1 do/)
    const other = { filters: ['id=1'], expected_total: 1, data: { text: 'x' } }
    assert.match((await refused(app, 'bob', `PUT ${MODELS}/note/bulk`, other, 409)).json.details, /and 0 do/)
    const own = await ask(app, 'bob', `PUT ${MODELS}/note/bulk`, { filters: [], expected_total: 1, data: { text: 'mine' } })
    assert.deepEqual([own.status, own.json.data.map(({ id }: { id: number }) => id)], [200, [2]])
  })

  notesTest('changes none if the user may not write one of them, before or after the change', async (app) => {
    const reply = await refused(app, 'ann', `DELETE ${MODELS}/note/bulk`, { filters: [], expected_total: 2 }, 403)
    assert.doesNotMatch(reply.text, /kept/)
    const giveAway = { filters: ['id=3'], expected_total: 1, data: { owner_id: 3 } }
    await refused(app, 'ann', `PUT ${MODELS}/note/bulk`, giveAway, 403)
  })

  notesTest('has no filter by secret fields, and none through relations to hidden records', async (app) => {
    const bySecret = { filters: ['pin=harbour-pin-1'], expected_total: 1 }
    const secret = await refused(app, 'admin', `DELETE ${MODELS}/note/bulk`, bySecret, 400)
    const unknown = await refused(app, 'admin', `DELETE ${MODELS}/note/bulk`, { filters: ['pni=x'], expected_total: 1 }, 400)
    assert.match(unknown.text, /Unknown field 'pni'/)
    assert.match(secret.text, /Unknown field 'pin'/)
    const change = (text: string) => ({ filters: [`note__text=${text}`], expected_total: 1, data: { name: 'x' } })
    assert.match((await refused(app, 'ann', `PUT ${MODELS}/tag/bulk`, change('harbour of bob'), 409)).text, /and 0 do/)
    assert.equal((await ask(app, 'ann', `PUT ${MODELS}/tag/bulk`, change('harbour of ann'))).status, 200)
  })
})

describe('a search over all models', () => {
  notesTest('has no record that the user may not view, neither as a hit nor in the total', async (app) => {
    const found = async (as: string) => {
      const { data, total } = (await ask(app, as, 'GET /api/v1/search?q=harbour')).json
      return [data.map(({ model, id }: { model: string; id: number }) => `${model} ${id}`).sort(), total]
    }
    assert.deepEqual(await found('admin'), [['note 1', 'note 2', 'tag 2'], 3])
    assert.deepEqual(await found('ann'), [['note 1', 'tag 2'], 2])
    assert.equal((await ask(app, 'bob', 'GET /api/v1/search?q=harbour&models=user')).status, 403)
  })
})

describe('the dry run of a deletion', () => {
  notesTest('tells of references that prevent it by their number only', async (app) => {
    const { status, json } = await ask(app, 'ann', `DELETE ${MODELS}/note/1?dry_run=true`)
    assert.deepEqual([status, json.blocked_by], [200, [{ model: 'tag', field: 'note_id', count: 1 }]])
    assert.doesNotMatch(JSON.stringify(json), /harbour-pin/)
  })
})
