import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SYSTEM } from '../../../src/auth/permissions.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'

const MODELS = '/api/v1/models'

const refusal = (parameter: string, message: string) => ({
  error: 'Invalid request data',
  status_code: 400,
  details: { [parameter]: [message] },
})

const wrongCount = (given: string): Scenario =>
  scenario(`a count of '${given}' is refused`, `GET ${MODELS}/tag/mock?count=${given}`, 400, {
    expect: refusal('count', `'count' must be an integer from 1 to 1000, not '${given}'`),
  })

scenarios('mock data', [
  scenario('ten records by default, and the seed that reproduces them', `GET ${MODELS}/tag/mock`, 200, {
    async check({ json }, app) {
      assert.deepEqual([json.data.length, json.count], [10, 10])
      assert.deepEqual(Object.keys(json), ['data', 'count', 'seed'])
      const again = await send(app, { request: `GET ${MODELS}/tag/mock/?seed=${json.seed}` })
      assert.deepEqual(again.json, json)
    },
  }),
  scenario('the same seed gives the same bytes', `GET ${MODELS}/post/mock?count=3&seed=7`, 200, {
    async check({ text, json }, app) {
      assert.equal((await send(app, { request: `GET ${MODELS}/post/mock?seed=7&count=3` })).text, text)
      assert.notEqual((await send(app, { request: `GET ${MODELS}/post/mock?seed=8&count=3` })).text, text)
      const longer = await send(app, { request: `GET ${MODELS}/post/mock?seed=7&count=60` })
      assert.deepEqual(longer.json.data.slice(0, 3), json.data)
    },
  }),
  scenario('relations hold records that are there', `GET ${MODELS}/comment/mock?count=100&seed=1`, 200, {
    async check({ json }, app) {
      const { json: posts } = await send(app, { request: `GET ${MODELS}/post?page_size=100` })
      const titles = new Map(posts.data.map(({ id, title }: { id: number; title: string }) => [id, title]))
      for (const { post_id, post } of json.data) assert.equal(post.title, titles.get(post_id))
    },
  }),
  scenario('a thousand records', `GET ${MODELS}/user/mock?count=1000&seed=1`, 200, {
    check({ json }) {
      assert.equal(new Set(json.data.map(({ username }: { username: string }) => username)).size, 1000)
      for (const user of json.data) assert.deepEqual([user.is_superuser, user.groups, user.permissions], [false, [], []])
    },
  }),
  ...['0', '1001', 'ten', '-1', '1.5', ''].map(wrongCount),
  scenario('a seed that is text is refused', `GET ${MODELS}/tag/mock?seed=abc`, 400, {
    expect: refusal('seed', "'seed' must be an integer from 0 to 4294967295, not 'abc'"),
  }),
  scenario('an unknown parameter is refused', `GET ${MODELS}/tag/mock?cuont=3`, 400, {
    expect: refusal('cuont', "Unknown query parameter 'cuont'; did you mean 'count'?"),
  }),
  scenario('an unknown model is not found', `GET ${MODELS}/tga/mock`, 404, {
    expectPart: { details: "Model 'tga' does not exist" },
  }),
])

test('a mock record is accepted by a create', async () => {
  await using app = await openTestApp()
  for (const model of ['tag', 'category', 'post', 'comment', 'group']) {
    const { json } = await play(app, { request: `GET ${MODELS}/${model}/mock?count=20&seed=5`, status: 200 })
    const fields = app.app.project.registry.expect(model).fields
    for (const record of json.data) {
      // Files are uploaded before: a mock record stores none.
      const isSet = (name: string) => fields.get(name)?.system === false && fields.get(name)?.file === undefined
      const settable = Object.entries(record).filter(([name]) => isSet(name))
      await play(app, { request: `POST ${MODELS}/${model}`, body: { data: Object.fromEntries(settable) }, status: 201 })
    }
  }
})

describe('in a project without records', () => {
  const withShop = async (work: (app: TestApp) => Promise<void>) => {
    await using app = await openTestApp({
      files: {
        'models/shop.yaml': `
- { name: Shop, fields: [{ name: name, type: string, required: true }, { name: owner_id, type: one_to_one, model: owner, required: true }] }
- { name: Owner, fields: [{ name: email, type: email, required: true }, { name: shop_id, type: foreignkey, model: shop }] }
- { name: Impossible, fields: [{ name: code, type: string, required: true, pattern: '^a{9}$', max_length: 5 }] }`,
      },
      settings: { secret_key: 'x'.repeat(32) },
    })
    await app.app.records.create({ ...SYSTEM }, 'user', {
      data: { username: 'admin', email: 'a@example.org', password: 'a-long-password', is_superuser: true },
    })
    await work(app)
  }

  test('relations refer to mock records, nested as usual', () =>
    withShop(async (app) => {
      const { json } = await play(app, { request: `GET ${MODELS}/shop/mock?count=100&seed=1`, status: 200 })
      const owners = await play(app, { request: `GET ${MODELS}/owner/mock?count=100&seed=1`, status: 200 })
      assert.equal(new Set(json.data.map(({ owner_id }: { owner_id: number }) => owner_id)).size, 100)
      for (const { owner_id, owner } of json.data) assert.equal(owner.email, owners.json.data[owner_id - 1].email)
    }))

  test('a field whose value cannot be generated is named', () =>
    withShop(async (app) => {
      for (const request of ['mock?count=1', 'test?sample=true', 'test?sample=true']) {
        const { json } = await play(app, { request: `GET ${MODELS}/impossible/${request}`, status: 400 })
        assert.match(json.details.code[0], /^No value was found for 'code' of Impossible in 10000 tries; say what it looks like/)
      }
    }))
})

describe('the test endpoint', () => {
  test('describes a model without a token, and reads no record', async () => {
    await using app = await openTestApp()
    const request = { as: null, status: 200 } as const
    app.app.store.get = app.app.store.find = () => assert.fail('A stored record was read')
    const { json } = await play(app, { ...request, request: `GET ${MODELS}/tag/test` })
    const { endpoints, ...told } = json.data
    assert.deepEqual(told, { model: 'tag', status: 'ok', fields: ['id', 'name', 'slug', 'color'], forms: ['TagForm'] })
    const routes = app.server.table().map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    const ofModels = routes.filter((route) => route.includes(`${MODELS}/{model}`) && !/^(HEAD|OPTIONS)|history$/.test(route))
    assert.deepEqual([...endpoints].sort(), ofModels.map((route) => route.replace('{model}', 'tag')).sort())
    for (const model of app.app.project.registry.public) {
      const sampled = await play(app, { ...request, request: `GET ${MODELS}/${model.key}/test/?sample=true` })
      const again = await play(app, { ...request, request: `GET ${MODELS}/${model.key}/test?sample=true` })
      assert.equal(sampled.text, again.text)
      assert.doesNotMatch(sampled.text, /password|secret/)
      assert.equal(sampled.json.data.sample.id, 1)
    }
  })

  scenarios('refuses', [
    scenario('an unknown model', `GET ${MODELS}/tga/test`, 404, { as: null }),
    scenario('a model of its own', `GET ${MODELS}/authsession/test`, 404, { as: null }),
    scenario('a sample that is neither', `GET ${MODELS}/tag/test?sample=yes`, 400, {
      as: null,
      expect: refusal('sample', "'sample' must be true or false, not 'yes'"),
    }),
    scenario('other parameters', `GET ${MODELS}/tag/test?count=1`, 400, { as: null }),
  ])
})
