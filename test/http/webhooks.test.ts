import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../helpers/api/app.ts'
import { play, scenario, scenarios } from '../helpers/api/scenario.ts'

const WEBHOOKS = '/api/v1/webhooks'
const URL_ = 'http://127.0.0.1:9/hook'

const subscribe = async (app: TestApp, body: object = { url: URL_ }): Promise<{ id: number; secret: string }> =>
  (await play(app, { request: `POST ${WEBHOOKS}`, body, status: 201 })).json.data

const given = async (app: TestApp): Promise<void> => {
  await subscribe(app)
}

const fieldErrors = (errors: object) => ({ detail: { error: errors } })

scenarios('webhooks: subscriptions', [
  scenario('a subscription is created with defaults, and its secret is shown', `POST ${WEBHOOKS}`, 201, {
    body: { url: URL_ },
    expectHeaders: { location: /\/api\/v1\/webhooks\/1$/ },
    expectPart: { data: { id: 1, url: URL_, events: ['create', 'update', 'delete'], models: [], active: true, pending: 0 } },
    check: ({ json }) => assert.match(json.data.secret, /^whsec_[A-Za-z0-9+/]{43}=$/),
  }),
  scenario('several are created together', `POST ${WEBHOOKS}`, 201, {
    body: {
      webhooks: [
        { url: URL_, events: ['create'], secret: 'sixteen letters!' },
        { url: URL_, models: ['tag'], active: false },
      ],
    },
    check: ({ json }) => {
      assert.equal(json.total, 2)
      assert.equal(json.data[0].secret, 'sixteen letters!')
      assert.deepEqual([json.data[1].active, json.data[1].disabled_by, json.data[1].models], [false, 'hand', ['tag']])
    },
  }),
  scenario('all errors are reported by field', `POST ${WEBHOOKS}`, 400, {
    body: { url: 'mailto:a@example.com', events: ['read'], models: ['tags'], secret: 'short', active: 1, evnts: [] },
    expect: fieldErrors({
      url: ['url must be an http or https address such as https://example.com/hooks'],
      events: ['events must be one of: create, update, delete'],
      models: ["Model 'tags' does not exist; did you mean 'tag'?"],
      secret: ['secret must be at least 16 characters long'],
      active: ['active must be a boolean'],
      evnts: ["Field 'evnts' does not exist; did you mean 'events'?"],
    }),
  }),
  scenario('errors of several are reported by index and field, and none is created', `POST ${WEBHOOKS}`, 400, {
    body: { webhooks: [{ url: URL_ }, { events: [] }, 3] },
    expect: fieldErrors({
      '1.url': ['url is mandatory'],
      '1.events': ['events must name at least one event'],
      '2': ['webhooks[2] must be an object'],
    }),
    check: async (_, app) => {
      await play(app, { request: `GET ${WEBHOOKS}`, status: 200, expectPart: { total: 0 } })
    },
  }),
  scenario('a name and password in the address are refused', `POST ${WEBHOOKS}`, 400, {
    body: { url: 'https://ann:key@example.com/' },
    expect: fieldErrors({ url: ['url must not contain a user name or password; receivers verify the signature instead'] }),
  }),
  scenario('internal models cannot be named', `POST ${WEBHOOKS}`, 400, {
    body: { url: URL_, models: ['webhooksubscription', 'authsession'] },
    check: ({ json }) => assert.equal(json.detail.error.models.length, 2),
  }),
  scenario('the URL, events and models of another one are refused, in whatever order', `POST ${WEBHOOKS}`, 400, {
    given: async (app) => {
      await subscribe(app, { url: URL_, events: ['update', 'create'], models: ['tag', 'post'] })
    },
    body: { url: URL_, events: ['create', 'update'], models: ['post', 'tag'] },
    expect: fieldErrors({ url: ['url has the same events and models as webhook 1; change that one, or remove it first'] }),
    check: async (_, app) => {
      await subscribe(app, { url: URL_, events: ['create'], models: ['post', 'tag'] })
      const twice = { webhooks: [{ url: `${URL_}/2` }, { url: `${URL_}/2`, events: ['delete', 'update', 'create'] }] }
      const { json } = await play(app, { request: `POST ${WEBHOOKS}`, body: twice, status: 400 })
      assert.match(json.detail.error['1.url'][0], /as webhooks\[0\]/)
      assert.equal((await play(app, { request: `GET ${WEBHOOKS}`, status: 200 })).json.total, 2)
    },
  }),
  scenario('a change to the URL, events and models of another one is refused', `PUT ${WEBHOOKS}/2`, 400, {
    given: async (app) => {
      await subscribe(app, { url: URL_ })
      await subscribe(app, { url: URL_, events: ['create'] })
    },
    body: { events: ['update', 'create', 'delete'] },
    expect: fieldErrors({ url: ['url has the same events and models as webhook 1; change that one, or remove it first'] }),
    check: async (_, app) => {
      await play(app, { request: `PUT ${WEBHOOKS}/2`, body: { events: ['create'], active: false }, status: 200 })
    },
  }),
  scenario('lists and single ones show no secret', `GET ${WEBHOOKS}?page=1&page_size=1`, 200, {
    given: async (app) => {
      await given(app)
      await subscribe(app, { url: URL_, models: ['tag'] })
    },
    expectPart: { total: 2, page: 1, page_size: 1, total_pages: 2, has_next: true },
    check: async ({ text }, app) => {
      assert.doesNotMatch(text, /secret/)
      const { text: one } = await play(app, { request: `GET ${WEBHOOKS}/1`, status: 200 })
      assert.doesNotMatch(one, /secret/)
    },
  }),
  scenario('omitted values of an update do not change', `PUT ${WEBHOOKS}/1`, 200, {
    given,
    body: { events: ['delete'], active: false },
    expectPart: { data: { url: URL_, events: ['delete'], active: false, disabled_by: 'hand' } },
  }),
  scenario('a secret is not updated but rotated', `PUT ${WEBHOOKS}/1`, 400, {
    given,
    body: { secret: 'sixteen letters!' },
    expect: fieldErrors({ secret: ["Field 'secret' is changed by rotating it"] }),
  }),
  scenario('rotation shows the new secret', `POST ${WEBHOOKS}/1/rotate`, 200, {
    given,
    body: { secret: 'sixteen letters!' },
    expectPart: { data: { id: 1, secret: 'sixteen letters!' } },
  }),
  scenario('a deleted subscription no longer exists', `DELETE ${WEBHOOKS}/1`, 200, {
    given,
    expectPart: { message: 'Webhook deleted successfully', data: { id: 1 } },
    check: async (_, app) => {
      const expect = { error: 'Record not found', status_code: 404, details: 'Webhook with ID 1 does not exist' }
      for (const request of [`GET ${WEBHOOKS}/1`, `DELETE ${WEBHOOKS}/1`, `GET ${WEBHOOKS}/1/deliveries`] as const) {
        await play(app, { request, status: 404, expect })
      }
      await play(app, { request: `PUT ${WEBHOOKS}/1`, body: {}, status: 404, expect })
      await play(app, { request: `POST ${WEBHOOKS}/1/rotate`, status: 404, expect })
      await play(app, { request: `POST ${WEBHOOKS}/1/test`, status: 404, expect })
    },
  }),
  scenario('a delivery that is not there cannot be delivered again', `POST ${WEBHOOKS}/deliveries/7/redeliver`, 404, {
    expectPart: { details: 'Delivery with ID 7 does not exist' },
  }),
  scenario('wrong parameters are named', `GET ${WEBHOOKS}/deliveries?status=lost&page=0&filters=a`, 400, {
    check: ({ json }) => assert.deepEqual(Object.keys(json.details).sort(), ['filters', 'page', 'status']),
  }),
])

describe('webhooks: permissions', () => {
  const requests = [
    `GET ${WEBHOOKS}`,
    `POST ${WEBHOOKS}`,
    `GET ${WEBHOOKS}/1`,
    `PUT ${WEBHOOKS}/1`,
    `DELETE ${WEBHOOKS}/1`,
    `POST ${WEBHOOKS}/1/rotate`,
    `POST ${WEBHOOKS}/1/test`,
    `GET ${WEBHOOKS}/1/deliveries`,
    `GET ${WEBHOOKS}/deliveries`,
    `POST ${WEBHOOKS}/deliveries/1/redeliver`,
  ] as const

  test('superusers only, whatever the other permissions', async () => {
    await using app = await openTestApp()
    await subscribe(app)
    for (const request of requests) {
      await play(app, { request, as: null, status: 401 })
      await play(app, { request, as: 'jduarte', status: 403, expectPart: { error: 'Insufficient permissions' } })
    }
    await play(app, { request: `GET ${WEBHOOKS}`, status: 200, expectPart: { total: 1 } })
  })

  test('the tables behind them have no endpoints', async () => {
    await using app = await openTestApp()
    for (const model of ['webhooksubscription', 'webhookevent', 'webhookdelivery']) {
      await play(app, { request: `GET /api/v1/models/${model}`, status: 404 })
    }
  })
})

describe('webhooks: addresses', () => {
  const closed = { webhooks: { allow_private: false } }

  for (const url of ['http://127.0.0.1:9/', 'http://2130706433/', 'http://[::ffff:127.0.0.1]/', 'http://10.0.0.1/']) {
    test(`${url} is refused when the guard is on, in words`, async () => {
      await using app = await openTestApp({ settings: closed })
      const { json } = await play(app, { request: `POST ${WEBHOOKS}`, body: { url }, status: 400 })
      assert.match(
        json.detail.error.url[0],
        /^url leads to .* address, which webhooks call only with `webhooks: \{allow_private: true\}`/,
      )
    })
  }

  test('the guard is on by default where the server can be reached from outside', async () => {
    await using app = await openTestApp({ settings: { host: '0.0.0.0' } })
    await play(app, { request: `POST ${WEBHOOKS}`, body: { url: URL_ }, status: 400 })
  })
})
