import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Scenario, send } from '../../helpers/api/scenario.ts'

const MODELS = '/api/v1/models'

const FILES = {
  'models/note.yaml': `name: Note
fields:
  - { name: text, type: string, required: true }
  - { name: open, type: boolean }
  - { name: team_id, type: foreignkey, model: team }
  - { name: pin, type: password }
access:
  view: self.open == true || self.team.lead_id == user.id
`,
  'models/team.yaml': `name: Team
fields:
  - { name: lead_id, type: foreignkey, model: user }
`,
  'models/plain.yaml': 'name: Plain\nfields:\n  - { name: text, type: string }\n',
  'models/notice.yaml': 'name: Notice\nfields:\n  - { name: text, type: string }\naccess:\n  view: public\n',
  'roles/writers.yaml': 'name: writers\npermissions: [view_plain, change_plain]\n',
  'roles/readers.yaml': 'name: readers\npermissions: [view_plain, view_user]\n',
  'seed/user.yaml': `- { username: super, email: super@example.org, password: harbour-super-2024, is_superuser: true }
- { username: ann, email: ann@example.org, password: harbour-ann-2024, groups: [{ name: writers }] }
- { username: bob, email: bob@example.org, password: harbour-bob-2024, groups: [{ name: readers }] }
`,
  'seed/team.yaml': '- { lead_id: 2 }\n- { lead_id: 3 }\n',
}

const ask = (app: TestApp, as: string, request: string, body?: unknown) =>
  send(app, { request: request as Scenario['request'], as, ...(body === undefined ? {} : { body }) })

async function withApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp({ files: FILES, settings: { history: { days: 90 } } })
  await work(app)
  assert.deepEqual(app.reported, [])
}

/** A note that was hidden at first, then open, hidden and open again. */
async function makeNote(app: TestApp): Promise<void> {
  const change = (data: object) => ask(app, 'super', `PUT ${MODELS}/note/1`, { data })
  await ask(app, 'super', `POST ${MODELS}/note`, { data: { text: 'draft', open: false, pin: 'harbour-pin-1' } })
  await change({ text: 'secret plan' })
  await change({ text: 'for all', open: true })
  await change({ text: 'for all, corrected' })
  await change({ text: 'hidden words', open: false, pin: 'harbour-pin-2' })
  await change({ text: 'more hidden words' })
  await change({ text: 'shown again', open: true })
}

const entriesFor = async (app: TestApp, as: string, query = '') =>
  (await ask(app, as, `GET ${MODELS}/note/1/history${query}`)).json

const hidden = true

describe('the history of a record that was hidden at times', () => {
  test('has no entry and no value of those times', () =>
    withApp(async (app) => {
      await makeNote(app)
      const { data, total } = await entriesFor(app, 'bob')
      const changes = data.map((entry: { changes: unknown }) => entry.changes)
      assert.deepEqual(changes, [
        { text: { before: null, after: 'shown again', hidden }, open: { before: null, after: true, hidden } },
        {
          text: { before: 'for all, corrected', after: null, hidden },
          open: { before: true, after: null, hidden },
          pin: { before: null, after: null, secret: true, hidden },
        },
        { text: { before: 'for all', after: 'for all, corrected' } },
        { text: { before: null, after: 'for all', hidden }, open: { before: null, after: true, hidden } },
      ])
      assert.equal(total, 4)
      assert.equal((await entriesFor(app, 'super')).total, 7)
    }))

  test('filters, orders and pages apply to what is shown', () =>
    withApp(async (app) => {
      await makeNote(app)
      const page = await entriesFor(app, 'bob', '?sort_by=id&page_size=1&page=2')
      assert.deepEqual([page.data.length, page.data[0].id, page.total, page.total_pages], [1, 4, 4, 4])
      assert.equal((await entriesFor(app, 'bob', '?filters=action=create')).total, 0)
      assert.equal((await entriesFor(app, 'bob', '?filters=id__lte=4')).total, 2)
    }))

  test('is whole for a reader for whom the record was never hidden', () =>
    withApp(async (app) => {
      await makeNote(app)
      await ask(app, 'super', `PUT ${MODELS}/note/1`, { data: { team_id: 1, open: false } })
      await ask(app, 'super', `PUT ${MODELS}/note/1`, { data: { text: 'for the team' } })
      const { data } = await entriesFor(app, 'ann')
      assert.deepEqual(data[0].changes, { text: { before: 'shown again', after: 'for the team' } })
      assert.deepEqual(data[1].changes.team_id, { before: null, after: 1 })
      assert.equal((await ask(app, 'bob', `GET ${MODELS}/note/1/history`)).status, 404)
    }))
})

describe('the users of a history', () => {
  test('have names for readers who may view users, and for the reader', () =>
    withApp(async (app) => {
      await ask(app, 'super', `POST ${MODELS}/plain`, { data: { text: 'a' } })
      await ask(app, 'ann', `PUT ${MODELS}/plain/1`, { data: { text: 'b' } })
      const users = async (as: string, query = '') => {
        const { json } = await ask(app, as, `GET ${MODELS}/plain/1/history${query}`)
        return json.data.map(({ user }: { user: unknown }) => user)
      }
      const [ann, superuser] = [
        { id: 2, username: 'ann' },
        { id: 1, username: 'super' },
      ]
      assert.deepEqual(await users('bob'), [ann, superuser])
      assert.deepEqual(await users('ann'), [ann, { id: 1, username: null }])
      assert.deepEqual(await users('ann', '?filters=username=super'), [])
      assert.deepEqual(await users('ann', '?filters=username=ann'), [ann])
      assert.deepEqual(await users('bob', '?filters=username=super'), [superuser])
      await ask(app, 'super', `DELETE ${MODELS}/user/2`)
      assert.deepEqual(await users('bob', '?filters=user_id=2'), [ann])
    }))
})

test('that of a model with `view: public` is read without a token, with ids of users and without their names', () =>
  withApp(async (app) => {
    await ask(app, 'super', `POST ${MODELS}/notice`, { data: { text: 'first' } })
    const { json } = await send(app, { request: `GET ${MODELS}/notice/1/history`, as: null })
    assert.deepEqual([json.total, json.data[0].user], [1, { id: 1, username: null }])
  }))
