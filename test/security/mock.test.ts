import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from '../helpers/api/app.ts'
import { play, send } from '../helpers/api/scenario.ts'
import { appTest, permit } from './access.ts'

const MODELS = '/api/v1/models'
const PIA = 7

appTest('mock data needs permission to view the model', async (app) => {
  await play(app, { request: `GET ${MODELS}/post/mock`, as: null, status: 401 })
  await play(app, { request: `GET ${MODELS}/post/mock`, as: 'newcomer', status: 403 })
  await play(app, { request: `GET ${MODELS}/user/mock`, as: 'anna.lind', status: 403 })
  await play(app, { request: `GET ${MODELS}/post/mock`, as: 'anna.lind', status: 200 })
  await play(app, { request: `GET ${MODELS}/authsession/mock`, status: 404 })
})

appTest('mock data reveals no record without permission, not even its existence', async (app) => {
  await permit(app, PIA, 'view_comment')
  const { json, text } = await play(app, {
    request: `GET ${MODELS}/comment/mock?count=40&seed=3`,
    as: 'pia.nakamura',
    status: 200,
  })
  for (const { post, post_id } of json.data) assert.deepEqual(post, { id: post_id })
  // The ids are those of mock records: one in 40, though fewer than 40 of the users are there.
  const ids = json.data.map(({ author_id }: { author_id: number | null }) => author_id ?? 0)
  assert.ok(Math.max(...ids) > 9, ids.join())
  assert.doesNotMatch(text, /solheim|username/)
})

appTest('mock data stores nothing', async (app) => {
  const { records: before } = await app.app.store.status()
  for (const { key } of app.app.project.registry.public)
    await play(app, { request: `GET ${MODELS}/${key}/mock?count=30`, status: 200 })
  assert.deepEqual((await app.app.store.status()).records, before)
})

appTest('mock data contains no secret', async (app) => {
  for (const key of ['user', 'post', 'comment']) {
    const { text } = await play(app, { request: `GET ${MODELS}/${key}/mock?count=50`, status: 200 })
    assert.doesNotMatch(text, /password|argon2|\$quick\$/)
  }
})

test('mock data counts for the user, the test endpoint for the address', async () => {
  await using app = await openTestApp({ settings: { rate_limits: { default: 3, auth: 5, upload: 10 }, trusted_proxies: 1 } })
  const mock = () => send(app, { request: `GET ${MODELS}/tag/mock?count=1` })
  const check = (address: string) =>
    send(app, { request: `GET ${MODELS}/tag/test`, as: null, headers: { 'x-forwarded-for': address } })
  for (let call = 0; call < 3; call++) {
    assert.equal((await mock()).status, 200)
    assert.equal((await check('192.0.2.1')).status, 200)
  }
  const refused = await check('192.0.2.1')
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60'])
  assert.equal((await mock()).status, 429)
  assert.equal((await check('192.0.2.2')).status, 200)
})

test('creating mock records is for superusers, counts towards their limit, and returns no record', async () => {
  await using app = await openTestApp({ settings: { rate_limits: { default: 2, auth: 5, upload: 10 } } })
  const fill = (as: string | null) => send(app, { request: 'POST /api/v1/mock', body: { models: ['user'], count: 2 }, as })
  assert.deepEqual([(await fill(null)).status, (await fill('anna.lind')).status], [401, 403])
  const made = await fill('admin')
  assert.equal(made.status, 201)
  assert.doesNotMatch(made.text, /password|username|\$quick\$/)
  assert.equal((await fill('admin')).status, 201)
  const refused = await fill('admin')
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60'])
})
