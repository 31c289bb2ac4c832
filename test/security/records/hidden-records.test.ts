import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Reply, type Scenario, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const MODELS = '/api/v1/models'

const USER = (name: string, more: string): string =>
  `- { username: ${name}, email: ${name}@example.org, password: harbour-${name}-2024, ${more} }\n`

const FILES = {
  'models/note.yaml': `name: Note
display_field: title
fields:
  - { name: title, type: string, required: true }
  - { name: slug, type: slug, unique: true }
  - { name: owner_id, type: foreignkey, model: user, default: { user: id } }
access:
  view: self.owner_id == user.id || 'editors' in user.groups
  add: authenticated
  change: self.owner_id == user.id
  delete: authenticated
`,
  'models/remark.yaml': `name: Remark
fields:
  - { name: text, type: string }
  - { name: note_id, type: foreignkey, model: note, on_delete: restrict }
  - { name: about, type: many_to_many, model: note }
  - { name: owner_id, type: foreignkey, model: user, default: { user: id } }
access:
  view: self.owner_id == user.id
  add: authenticated
`,
  'models/copy.yaml': `name: Copy
fields:
  - { name: note_id, type: foreignkey, model: note, on_delete: cascade }
  - { name: owner_id, type: foreignkey, model: user, default: { user: id } }
access: { view: self.owner_id == user.id }
`,
  'models/bill.yaml': `name: Bill
fields:
  - { name: note_id, type: foreignkey, model: note, on_delete: restrict }
  - { name: other_id, type: foreignkey, model: note, on_delete: restrict }
`,
  'models/slip.yaml': `name: Slip
fields:
  - { name: note_id, type: foreignkey, model: note, on_delete: cascade }
`,
  'roles/editors.yaml': 'name: editors\npermissions: []\n',
  'roles/clerks.yaml': 'name: clerks\npermissions: [view_user, change_user, view_group, add_group, change_group, delete_group]\n',
  'seed/user.yaml': [
    USER('super', 'is_superuser: true'),
    USER('ann', ''),
    USER('bob', ''),
    USER('edith', 'groups: [{ name: editors }]'),
    USER('clark', 'groups: [{ name: clerks }]'),
  ]
    .join('')
    .replaceAll(', }', ' }'),
  'seed/note.yaml': `- { title: harbour of ann, slug: ann, owner_id: 2 }
- { title: merger with the ferry company, slug: merger, owner_id: 3 }
- { title: second of ann, slug: second, owner_id: 2 }
`,
  'seed/remark.yaml': `- { text: of ann, note_id: 1, owner_id: 2 }
- { text: of bob, note_id: 1, owner_id: 3 }
- { text: of bob, note_id: 1, owner_id: 3 }
- { text: of bob, note_id: 3, owner_id: 3 }
`,
  'seed/copy.yaml': '- { note_id: 2, owner_id: 2 }\n- { note_id: 2, owner_id: 3 }\n- { note_id: 2, owner_id: 3 }\n',
}

const withNotes = async (work: (app: TestApp) => Promise<void>): Promise<void> => {
  await using app = await openTestApp({ files: FILES })
  await work(app)
}

const notesTest = testsOf(withNotes)

const ask = (app: TestApp, as: string, request: string, body?: unknown): Promise<Reply> =>
  send(app, { request: request as Scenario['request'], as, ...(body === undefined ? {} : { body }) })

const importRows = (app: TestApp, as: string, path: string, rows: readonly object[]): Promise<Reply> =>
  send(app, {
    request: `POST ${MODELS}/${path}`,
    as,
    rawBody: JSON.stringify(rows),
    headers: { 'content-type': 'application/json' },
  })

describe('a reference by a unique field', () => {
  for (const [field, of] of [
    ['note_id', (slug: string) => ({ slug })],
    ['about', (slug: string) => [{ slug }]],
  ] as const) {
    notesTest(`does not find records that the user may not view (${field})`, async (app) => {
      const hidden = await importRows(app, 'ann', 'remark/import', [{ [field]: of('merger') }])
      const missing = await importRows(app, 'ann', 'remark/import', [{ [field]: of('mergir') }])
      assert.deepEqual([hidden.status, missing.status], [400, 400])
      assert.equal(hidden.text, missing.text.replace('mergir', 'merger'))
      assert.match(hidden.text, /refers to no note: none has the slug/)
      assert.equal((await importRows(app, 'ann', 'remark/import', [{ [field]: of('second') }])).status, 200)
      assert.equal((await importRows(app, 'edith', 'remark/import', [{ [field]: of('merger') }])).status, 200)
    })
  }
})

describe('a search', () => {
  const probe = 'merger ferry'
  const scoreOf = async (app: TestApp, as: string, path: string) => (await ask(app, as, `GET ${path}`)).json

  for (const path of [`${MODELS}/note/search?q=`, '/api/v1/search?q=']) {
    notesTest(`has scores that do not depend on records that the user may not view (${path})`, async (app) => {
      await ask(app, 'ann', `POST ${MODELS}/note`, { data: { title: probe } })
      const before = await scoreOf(app, 'ann', `${path}merger`)
      const both = await scoreOf(app, 'ann', `${path}merger%20harbour`)
      assert.ok(before.total === 1 && JSON.stringify(before).includes('"score"'))
      for (let index = 0; index < 20; index++) {
        await ask(app, 'bob', `POST ${MODELS}/note`, { data: { title: `merger ${'and more '.repeat(index)}` } })
      }
      assert.deepEqual(await scoreOf(app, 'ann', `${path}merger`), before)
      assert.deepEqual(await scoreOf(app, 'ann', `${path}merger%20harbour`), both)
      assert.notDeepEqual(await scoreOf(app, 'super', `${path}merger`), before)
    })
  }

  notesTest('gives records with some of the words if only a hidden record has them all', async (app) => {
    const { json } = await ask(app, 'ann', `GET ${MODELS}/note/search?q=harbour%20merger`)
    assert.deepEqual(json.total, 1)
    assert.match(json.notices[0], /No record has all of the words/)
  })
})

describe('a deletion', () => {
  notesTest('that references prevent tells the number of those that the user may view', async (app) => {
    const one = await ask(app, 'ann', `DELETE ${MODELS}/note/1`)
    assert.deepEqual([one.status, one.json.details], [409, 'Note with ID 1 is referenced by 1 remark record (note_id)'])
    const none = await ask(app, 'ann', `DELETE ${MODELS}/note/3`)
    assert.deepEqual(
      [none.status, none.json.details],
      [409, 'Note with ID 3 is referenced by records that the user may not view'],
    )
    const all = await ask(app, 'super', `DELETE ${MODELS}/note/1`)
    assert.equal(all.json.details, 'Note with ID 1 is referenced by 3 remark records (note_id)')
  })

  notesTest('counts no records of a model that the user has no permission to view', async (app) => {
    const note = async (slug: string) =>
      (await ask(app, 'ann', `POST ${MODELS}/note`, { data: { title: slug, slug } })).json.data.id
    const [billed, slipped] = [await note('billed'), await note('slipped')]
    for (const model of ['bill', 'bill', 'bill'])
      await ask(app, 'super', `POST ${MODELS}/${model}`, { data: { note_id: billed, other_id: billed } })
    await ask(app, 'super', `POST ${MODELS}/slip`, { data: { note_id: slipped } })
    const forecast = async (as: string, id: number) => (await ask(app, as, `DELETE ${MODELS}/note/${id}?dry_run=true`)).json
    const blocked = { model: 'bill', field: 'note_id' }
    const nameless = [{ model: null, field: null, count: 0 }]
    assert.deepEqual((await forecast('ann', billed)).blocked_by, nameless)
    const many = await ask(app, 'ann', `DELETE ${MODELS}/note/bulk?dry_run=true`, { ids: [billed] })
    assert.deepEqual(many.json.blocked_by, nameless)
    assert.deepEqual((await forecast('super', billed)).blocked_by, [
      { ...blocked, count: 3 },
      { ...blocked, field: 'other_id', count: 3 },
    ])
    assert.deepEqual((await forecast('ann', slipped)).consequences, [])
    assert.deepEqual((await forecast('super', slipped)).consequences, [{ model: 'slip', action: 'cascade', count: 1 }])
    const refused = await ask(app, 'ann', `DELETE ${MODELS}/note/${billed}`)
    const hidden = `Note with ID ${billed} is referenced by records that the user may not view`
    assert.deepEqual([refused.status, refused.json.details], [409, hidden])
  })

  notesTest('tells in a dry run of the consequences and obstacles that the user may view', async (app) => {
    const forecast = async (as: string, id: number) => (await ask(app, as, `DELETE ${MODELS}/note/${id}?dry_run=true`)).json
    const blocked = { model: 'remark', field: 'note_id' }
    assert.deepEqual((await forecast('ann', 1)).blocked_by, [{ ...blocked, count: 1 }])
    assert.deepEqual((await forecast('ann', 3)).blocked_by, [{ ...blocked, count: 0 }])
    assert.deepEqual((await forecast('super', 1)).blocked_by, [{ ...blocked, count: 3 }])
    const cascade = (count: number) => [{ model: 'copy', action: 'cascade', count }]
    assert.deepEqual((await forecast('bob', 2)).consequences, cascade(2))
    assert.deepEqual((await forecast('edith', 2)).consequences, [])
    assert.deepEqual((await forecast('super', 2)).consequences, cascade(3))
    const many = await ask(app, 'bob', `DELETE ${MODELS}/note/bulk?dry_run=true`, { ids: [2] })
    assert.deepEqual(many.json.consequences, cascade(2))
  })
})

describe('a user who may change users and groups', () => {
  const status = async (app: TestApp, request: string, body?: unknown) => (await ask(app, 'clark', request, body)).status
  const idOf = async (app: TestApp, name: string): Promise<number> =>
    (await ask(app, 'super', `GET ${MODELS}/group?filters=name=${name}`)).json.data[0].id

  notesTest('does not rename or delete a group, since its name gives access', async (app) => {
    const [clerks, editors] = [await idOf(app, 'clerks'), await idOf(app, 'editors')]
    assert.equal(await status(app, `PUT ${MODELS}/group/${editors}`, { data: { name: 'others' } }), 403)
    assert.equal(await status(app, `PATCH ${MODELS}/group/bulk`, { updates: [{ id: editors, data: { name: 'x' } }] }), 403)
    const selected = { filters: [`id=${clerks}`], expected_total: 1, data: { name: 'x' } }
    assert.equal(await status(app, `PUT ${MODELS}/group/bulk`, selected), 403)
    const rows = [{ id: clerks, name: 'x' }]
    assert.equal((await importRows(app, 'clark', 'group/import?upsert_by=id', rows)).status, 403)
    assert.equal(await status(app, `DELETE ${MODELS}/group/${editors}`), 403)
    assert.equal(await status(app, `DELETE ${MODELS}/group/bulk`, { ids: [editors] }), 403)
    assert.equal(await status(app, `PUT ${MODELS}/group/${editors}`, { data: { description: 'Edit' } }), 200)
    assert.equal((await ask(app, 'super', `PUT ${MODELS}/group/${clerks}`, { data: { name: 'others' } })).status, 200)
  })

  notesTest('does not take over the account of a member of other groups', async (app) => {
    const password = { data: { password: 'another-long-password' } }
    assert.equal(await status(app, `PUT ${MODELS}/user/4`, password), 403)
    assert.equal(await status(app, `PUT ${MODELS}/user/bulk`, { updates: [{ id: 4, ...password }] }), 403)
    assert.equal(await status(app, `PUT ${MODELS}/user/3`, password), 200, 'of a user without groups')
  })
})

describe('access follows the next request', () => {
  notesTest('after a group got another name', async (app) => {
    const total = async () => (await ask(app, 'edith', `GET ${MODELS}/note`)).json.total
    assert.equal(await total(), 3)
    const group = (await ask(app, 'super', `GET ${MODELS}/group?filters=name=editors`)).json.data[0].id
    await ask(app, 'super', `PUT ${MODELS}/group/${group}`, { data: { name: 'others' } })
    assert.equal(await total(), 0)
  })
})
