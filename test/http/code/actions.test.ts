import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const MODELS = '/api/v1/models' as const
const SITE = '/admin/api/v1/site' as const

const USER = (name: string, more: string): string =>
  `- { username: ${name}, email: ${name}@example.org, password: harbour-${name}-2024, ${more} }\n`

/** Posts with permissions, and memos whose owners alone see them. */
const FILES = {
  'models/models.yaml': `- name: Post
  timestamps: true
  fields:
    - { name: title, type: string, required: true, max_length: 60 }
    - { name: status, type: choice, choices: [draft, published], default: draft }
    - { name: published_at, type: datetime }
    - { name: published_on, type: date }
    - { name: publisher_id, type: foreignkey, model: user, on_delete: set_null }
    - { name: rating, type: integer, gte: 1, lte: 5 }
    - { name: memo_id, type: foreignkey, model: memo, on_delete: set_null }
- name: Memo
  fields:
    - { name: text, type: string, required: true }
    - { name: owner_id, type: foreignkey, model: user, required: true }
    - { name: is_done, type: boolean, default: false }
  access:
    view: self.owner_id == user.id
    finish: authenticated
`,
  'actions/post.yaml': `- model: Post
  name: publish
  title: Publish
  icon: send
  confirm: Publish {count} posts?
  when: self.status == "draft"
  set: { status: published, published_at: now, published_on: now, publisher_id: { user: id } }
- model: Post
  name: rate
  on: record
  tone: danger
  input:
    - { name: stars, type: integer, required: true, gte: 1, lte: 9, label: Number of stars }
    - { name: memo_id, type: foreignkey, model: memo }
  set: { rating: { input: stars }, memo_id: { input: memo_id } }
- model: Post
  name: archive
  access: superuser
  set: { status: draft }
- model: Post
  name: answer
  when: self.memo.is_done
  set: { title: answered }
`,
  'actions/finish.json': '{ "model": "Memo", "name": "finish", "set": { "is_done": true } }\n',
  'views/post.yaml': `- { name: PostForm, view_type: form, model: Post, fields: [{ name: title, title: Title }], actions: [rate] }
- { name: PostList, view_type: list, model: Post, fields: [{ name: title, title: Title }], actions: [] }
- { name: MemoList, view_type: list, model: Memo, fields: [{ name: text, title: Text }] }
`,
  'roles/roles.yaml': `- { name: Publishers, permissions: [publish_post, rate_post, answer_post] }
- { name: Writers, permissions: [view_post, add_post, change_post, delete_post] }
- { name: Readers, permissions: [view_post, publish_post] }
`,
  'seed/user.yaml': [
    USER('admin', 'is_superuser: true'),
    USER('pat', 'groups: [{ name: Publishers }]'),
    USER('wim', 'groups: [{ name: Writers }]'),
    USER('rea', 'groups: [{ name: Readers }]'),
  ].join(''),
  'seed/memo.yaml': '- { text: harbour secret, owner_id: 2 }\n- { text: harbour other, owner_id: 3, is_done: true }\n',
  'seed/post.yaml': `- { title: harbour one }
- { title: harbour two }
- { title: harbour three, status: published }
- { title: harbour four, memo_id: 1 }
- { title: harbour five, memo_id: 2, status: published }
`,
}

const options: TestAppOptions = { files: FILES, settings: { history: { days: 90 } } }

const actionTest = testsOf(async (work: (app: TestApp) => Promise<void>) => {
  await using app = await openTestApp(options)
  await work(app)
  assert.deepEqual(app.reported, [])
})

const act = (path: string): Scenario['request'] => `POST ${MODELS}/${path}`

const statusOf = async (app: TestApp, id: number): Promise<unknown> =>
  (await play(app, { request: `GET ${MODELS}/post/${id}`, status: 200 })).json.data.status

describe('an action sets fields of records', () => {
  actionTest('of one', async (app) => {
    await play(app, {
      request: act('post/1/actions/publish'),
      as: 'pat',
      status: 200,
      expectPart: { message: 'Publish: 1 record', total: 1 },
      events: { 'update post': 1, 'create historyentry': 1 },
      check({ json }) {
        const [post] = json.data
        assert.deepEqual(
          [post.id, post.status, post.published_at, post.published_on, post.publisher_id],
          [1, 'published', '2026-01-15T12:00:00.000Z', '2026-01-15', 2],
        )
      },
    })
    await play(app, {
      request: `GET ${MODELS}/post/1/history`,
      status: 200,
      check: ({ json }) => assert.deepEqual([json.data[0].via, json.data[0].user.username], ['action', 'pat']),
    })
  })

  actionTest('of several by id', async (app) => {
    await play(app, {
      request: act('post/actions/publish'),
      body: { ids: [2, 1] },
      as: 'pat',
      status: 200,
      expectPart: { message: 'Publish: 2 records', total: 2 },
      events: { 'update post': 2, 'create historyentry': 2 },
      check: ({ json }) =>
        assert.deepEqual(
          json.data.map(({ id }: { id: number }) => id),
          [2, 1],
        ),
    })
  })

  actionTest('of all that match filters', async (app) => {
    const body = { filters: ['status=draft'], expected_total: 3 }
    await play(app, { request: act('post/actions/publish'), as: 'rea', body: { ...body, expected_total: 4 }, status: 409 })
    const reply = await play(app, { request: act('post/actions/publish'), as: 'rea', body, status: 200 })
    assert.equal(reply.json.total, 3)
    assert.deepEqual(await Promise.all([1, 2, 4].map((id) => statusOf(app, id))), ['published', 'published', 'published'])
  })

  actionTest('of 1,200 that match filters, whose condition goes through a relation', async (app) => {
    for (const size of [1000, 199]) {
      const records = Array.from({ length: size }, (_, index) => ({ title: `post ${index}`, memo_id: 2 }))
      await play(app, { request: act('post/bulk'), body: { records }, status: 201 })
    }
    const body = { filters: ['memo_id=2'], expected_total: 1200 }
    const { json } = await play(app, { request: act('post/actions/answer'), body, status: 200 })
    assert.equal(json.total, 1200)
    const all = { filters: ['memo_id__in=1,2'], expected_total: 1201 }
    await play(app, { request: act('post/actions/answer'), body: all, status: 409, check: namesOnly('ID 4') })
  })

  actionTest('and a dry run changes nothing', async (app) => {
    for (const [path, body] of [
      ['post/1/actions/publish', undefined],
      ['post/actions/publish', { ids: [1] }],
    ] as const) {
      await play(app, {
        request: act(`${path}?dry_run=true`),
        as: 'pat',
        body,
        status: 200,
        events: {},
        check: ({ json }) => assert.deepEqual([json.data[0].status, json.total], ['published', 1]),
      })
    }
    assert.equal(await statusOf(app, 1), 'draft')
  })

  actionTest('as the fields of its input say', async (app) => {
    await play(app, {
      request: act('post/1/actions/rate'),
      as: 'pat',
      body: { input: { stars: 3, memo_id: 1 } },
      status: 200,
      check: ({ json }) => assert.deepEqual([json.data[0].rating, json.data[0].memo_id], [3, 1]),
    })
  })

  actionTest('at the version that If-Match names', async (app) => {
    const { headers } = await play(app, { request: `GET ${MODELS}/post/1`, status: 200 })
    const request = act('post/1/actions/publish')
    await play(app, { request, headers: { 'if-match': '"other"' }, status: 412 })
    await play(app, { request, headers: { 'if-match': String(headers.etag) }, status: 200 })
  })

  actionTest('as long as the related record is so that its condition goes through', async (app) => {
    let isFirst = true
    app.app.hooks.use({
      async inTransaction() {
        if (!isFirst) return
        isFirst = false
        await app.app.records.update(SYSTEM, 'memo', 2, { data: { is_done: false } })
      },
    })
    await play(app, {
      request: act('post/5/actions/answer'),
      as: 'pat',
      status: 409,
      expectPart: { details: "The action 'answer' is not possible for Post with ID 5; nothing was changed" },
    })
    await app.app.records.update(SYSTEM, 'memo', 2, { data: { is_done: true } })
    isFirst = true
    await play(app, { request: act('post/actions/answer'), body: { ids: [5] }, status: 409 })
    await app.app.records.update(SYSTEM, 'memo', 2, { data: { is_done: true } })
    await play(app, { request: act('post/5/actions/answer'), as: 'pat', status: 200 })
  })

  actionTest('once, if two requests ask for it at the same time', async (app) => {
    for (const id of [1, 2, 4]) {
      const both = await Promise.all(['pat', 'rea'].map((as) => send(app, { request: act(`post/${id}/actions/publish`), as })))
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
    }
  })
})

/** The answer tells which records, and nothing of them. */
const namesOnly =
  (words: string) =>
  ({ text }: { text: string }): void => {
    assert.ok(text.includes(words), text)
    assert.doesNotMatch(text, /harbour/)
  }

scenarios('an action is refused', options, [
  scenario('where its condition is false', act('post/3/actions/publish'), 409, { as: 'pat', check: namesOnly('Post with ID 3') }),
  scenario('in a dry run too', act('post/3/actions/publish?dry_run=true'), 409, { as: 'pat', check: namesOnly('ID 3') }),
  scenario('as a whole, for one of several', act('post/actions/publish'), 409, {
    as: 'pat',
    body: { ids: [1, 3, 5] },
    check: async (reply, app) => {
      namesOnly('the IDs 3, 5')(reply)
      assert.equal(await statusOf(app, 1), 'draft')
    },
  }),
  scenario('to superusers where its condition is false', act('post/3/actions/publish'), 409),
  scenario('where a related record makes it false', act('post/4/actions/answer'), 409, { as: 'pat' }),
  scenario('where there is no related record', act('post/1/actions/answer'), 409, { as: 'pat' }),
  scenario('for a record that does not exist', act('post/99/actions/publish'), 404, { as: 'pat' }),
  scenario('for several of which one does not exist', act('post/actions/publish'), 404, { as: 'pat', body: { ids: [1, 99] } }),
  scenario('for a hidden record', act('memo/2/actions/finish'), 404, {
    as: 'pat',
    expectPart: { details: 'Memo with ID 2 does not exist' },
  }),
  scenario('for a hidden record among several', act('memo/actions/finish'), 404, {
    as: 'pat',
    body: { ids: [1, 2] },
    check: namesOnly('ID 2'),
  }),
  scenario('without the permission', act('post/1/actions/publish'), 403, { as: 'wim', check: namesOnly('permission') }),
  scenario('without it for several', act('post/actions/publish'), 403, { as: 'wim', body: { ids: [1] } }),
  scenario('without it by filters', act('post/actions/publish'), 403, { as: 'wim', body: { filters: [], expected_total: 5 } }),
  scenario('without it in a dry run', act('post/1/actions/publish?dry_run=true'), 403, { as: 'wim' }),
  scenario('without it, whatever the body is', act('post/1/actions/publish'), 403, { as: 'wim', body: { input: { x: 1 } } }),
  scenario('that is for superusers', act('post/1/actions/archive'), 403, { as: 'pat' }),
  scenario('without a token', act('post/1/actions/publish'), 401, { as: null }),
  scenario('that does not exist', act('post/1/actions/publsh'), 404, {
    expectPart: { error: 'Action not found' },
    check: namesOnly("did you mean 'publish'?"),
  }),
  scenario('that is one of another model', act('memo/1/actions/publish'), 404),
  scenario('that is a member of every object', act('memo/1/actions/constructor'), 404),
  scenario('of an unknown model', act('pots/1/actions/publish'), 404, { expectPart: { error: 'Model not found' } }),
  scenario('for several, if it takes one', act('post/actions/rate'), 400, { body: { ids: [1], input: { stars: 1 } } }),
  scenario('with an id that is none', act('post/first/actions/publish'), 400),
])

/** The messages of a refused body. */
const faults = (name: string, path: string, body: unknown, expected: Readonly<Record<string, readonly string[]>>): Scenario =>
  scenario(name, act(path), 400, { body, expectPart: { detail: { error: expected } } })

scenarios('the body of an action has no', options, [
  faults(
    'unknown member',
    'post/1/actions/publish',
    { data: {} },
    { data: ["'data' is not part of this request (known: input)"] },
  ),
  faults(
    'unknown input',
    'post/1/actions/rate',
    { input: { stars: 1, title: 'x' } },
    { 'input.title': ["Field 'title' does not exist"] },
  ),
  faults('missing input', 'post/1/actions/rate', {}, { 'input.stars': ['stars is mandatory'] }),
  faults('wrong input', 'post/1/actions/rate', { input: { stars: 'many' } }, { 'input.stars': ['stars must be an integer'] }),
  faults(
    'hidden record',
    'post/1/actions/rate',
    { input: { stars: 1, memo_id: 99 } },
    {
      'input.memo_id': ['memo_id references a non-existent record'],
    },
  ),
  faults(
    'value that the model refuses',
    'post/1/actions/rate',
    { input: { stars: 9 } },
    { rating: ['rating must be less than or equal to 5'] },
  ),
  faults('input of a wrong shape', 'post/1/actions/rate', { input: [] }, { input: ['input must be an object'] }),
  faults(
    'ids and filters at once',
    'post/actions/publish',
    { ids: [1], filters: [], expected_total: 5 },
    {
      ids: ["'ids' is not part of this request (known: filters, any, search, expected_total, input)"],
    },
  ),
  faults('id twice', 'post/actions/publish', { ids: [1, 1] }, { '1.id': ['Record with ID 1 is named twice'] }),
  faults('lack of records', 'post/actions/publish', {}, { ids: ['ids is mandatory'] }),
  scenario('list in its place', act('post/1/actions/publish'), 400, { body: [] }),
  scenario('member twice', act('post/1/actions/rate'), 400, {
    rawBody: '{"input":{"stars":1,"stars":2}}',
    headers: { 'content-type': 'application/json' },
  }),
  scenario('prototype', act('post/1/actions/rate'), 400, {
    rawBody: '{"input":{"stars":1,"__proto__":{"title":"x"}}}',
    headers: { 'content-type': 'application/json' },
  }),
])

scenarios('a hidden record is no input', options, [
  scenario('of those who may not see it', act('post/1/actions/rate'), 400, {
    as: 'pat',
    body: { input: { stars: 1, memo_id: 2 } },
    check: namesOnly('references a non-existent record'),
  }),
])

scenarios('an action is described', options, [
  scenario('to a user who may perform it', `GET ${SITE}`, 200, {
    as: 'pat',
    check({ json }) {
      const post = json.models.find(({ key }: { key: string }) => key === 'post')
      const [publish, rate, archive] = post.actions
      assert.deepEqual(publish, {
        ...{ name: 'publish', title: 'Publish', icon: 'send', tone: 'default', confirm: 'Publish {count} posts?' },
        ...{ on: 'selection', when: 'self.status == "draft"', input: [], input_fields: [], can: true },
      })
      assert.deepEqual([rate.title, rate.on, rate.tone, rate.when, rate.can], ['Rate', 'record', 'danger', null, true])
      const [stars, memo] = rate.input
      assert.deepEqual(
        [stars.title, stars.widget, stars.required, stars.options, memo.widget],
        ['Number of stars', 'number', true, { gte: 1, lte: 9 }, 'relation'],
      )
      assert.deepEqual(rate.input_fields[1].relation, { name: 'memo', model: 'memo', on_delete: 'restrict' })
      assert.deepEqual([post.can, archive.can], [[], false])
    },
  }),
  scenario('to one who may not', `GET ${SITE}`, 200, {
    as: 'wim',
    check({ json }) {
      const post = json.models.find(({ key }: { key: string }) => key === 'post')
      assert.deepEqual(
        post.actions.map(({ can }: { can: boolean }) => can),
        [false, false, false, false],
      )
    },
  }),
  scenario('by the views that name it', 'GET /admin/api/v1/views/post', 200, {
    check: ({ json }) =>
      assert.deepEqual(
        json.data.map(({ actions }: { actions: unknown }) => actions),
        [['rate'], []],
      ),
  }),
  scenario('by all views that name none', 'GET /admin/api/v1/views/memo', 200, {
    check: ({ json }) => assert.equal('actions' in json.data[0], false),
  }),
  scenario('by its permission', `GET ${MODELS}/permission?filters=codename__in=publish_post,finish_memo`, 200, {
    check: ({ json }) =>
      assert.deepEqual(
        json.data.map(({ name }: { name: string }) => name),
        ['Can publish post', 'Can finish memo'],
      ),
  }),
  scenario('among the permissions of a user', 'GET /api/v1/auth/me', 200, {
    as: 'pat',
    check: ({ json }) =>
      assert.deepEqual(json.permissions, ['answer_post', 'finish_memo', 'publish_post', 'rate_post', 'view_memo']),
  }),
])

/** Tasks that all users see, and their owners alone finish. */
const OWNED: TestAppOptions = {
  files: {
    ...FILES,
    'models/task.yaml': `name: Task
fields:
  - { name: text, type: string, required: true }
  - { name: owner_id, type: foreignkey, model: user, required: true }
  - { name: is_done, type: boolean, default: false }
access:
  view: authenticated
  finish: self.owner_id == user.id
`,
    'actions/task.yaml': 'model: Task\nname: finish\nset: { is_done: true }\n',
    'seed/task.yaml': '- { text: harbour mine, owner_id: 2 }\n- { text: harbour theirs, owner_id: 3 }\n',
  },
}

scenarios('an action whose access depends on the record', OWNED, [
  scenario('is performed on one for which it is true', act('task/1/actions/finish'), 200, { as: 'pat' }),
  scenario('is refused for another one, which the user sees', act('task/2/actions/finish'), 403, { as: 'pat' }),
  scenario('in a dry run too', act('task/2/actions/finish?dry_run=true'), 403, { as: 'pat' }),
  scenario('as a whole, for one of several', act('task/actions/finish'), 403, {
    as: 'pat',
    body: { ids: [1, 2] },
    check: async (_, { app }) => {
      const tasks = await app.store.find('task', { filters: [], sort: [], offset: 0, limit: 9 })
      assert.deepEqual(
        tasks.records.map(({ is_done: isDone }) => isDone),
        [false, false],
      )
    },
  }),
])
