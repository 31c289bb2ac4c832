import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { retryAfterOf } from '../../src/client/admin-error.ts'
import { AdminError, type ClientOptions, createClient } from '../../src/client/client.ts'
import { dataProvider as reactAdminProvider } from '../../src/client/react-admin.ts'
import { dataProvider as refineProvider } from '../../src/client/refine.ts'
import { ADMIN, AUTHOR, type LiveApp, loggedIn, openLive } from './live.ts'

/** What a call fails with. */
async function failureOf(call: Promise<unknown>): Promise<AdminError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof AdminError, `failed with ${error}`)
  return error
}

describe('errors of a live server', () => {
  let app: LiveApp
  let client: Awaited<ReturnType<typeof loggedIn>>
  before(async () => {
    app = await openLive()
    client = await loggedIn(app)
  })
  after(() => app.close())

  test('fields, all of them, by name', async () => {
    const error = await failureOf(client.model('tag').create({ name: '', slug: 'a b', color: 'red' }))
    assert.deepEqual([error.type, error.status], ['validation', 400])
    assert.deepEqual(Object.keys(error.fieldErrors).sort(), ['color', 'name', 'slug'])
    assert.match(error.message, /slug format is invalid/)
  })

  test('items of a bulk operation, by index', async () => {
    const records = [{ name: 'Fine', slug: 'fine' }, { name: 'No slug' }, 'nothing' as unknown as object]
    const error = await failureOf(client.model('tag').bulkCreate(records.slice(0, 2) as never))
    assert.deepEqual(error.errorsOf(0), {})
    assert.deepEqual(error.errorsOf(1), { slug: ['slug is mandatory'] })
    const whole = await failureOf(client.model('tag').bulkCreate(records as never))
    assert.deepEqual(whole.errorsOf(2), { '': ['records[2] must be an object'] })
  })

  test('a query, naming the parameter', async () => {
    const error = await failureOf(client.model('tag').list({ filters: { titel: 'x' } }))
    assert.deepEqual([error.type, error.status], ['request', 400])
    assert.match(error.message, /Unknown field 'titel'/)
    assert.deepEqual(Object.keys(error.fieldErrors), ['filters'])
  })

  test('missing records, missing permissions, conflicts', async () => {
    assert.deepEqual(await typeAndMessage(client.model('tag').read(999)), ['not_found', 'Tag with ID 999 does not exist'])
    assert.deepEqual(await typeAndMessage(client.model('tag').update(999, { name: 'Tide' })), [
      'request',
      'Tag with ID 999 does not exist',
    ])
    const author = await loggedIn(app, {}, AUTHOR)
    assert.equal((await failureOf(author.model('user').delete(1))).type, 'permission')
    const needed = await failureOf(client.model('user').delete(3))
    assert.deepEqual([needed.type, needed.status], ['conflict', 409])
    assert.equal((await failureOf(createClient({ url: app.url }).model('tag').list())).type, 'authentication')
  })

  const typeAndMessage = async (call: Promise<unknown>) => {
    const { type, message } = await failureOf(call)
    return [type, message]
  }
})

/** Models and forms whose titles are other words than the names. */
const TITLED = {
  'models/lamp.yaml': `name: Lamp
fields:
  - { name: sku, type: slug, label: Article number, required: true }
  - { name: watts, type: integer, lte: 60 }
  - { name: made_by, type: string }
`,
  'views/lamp.yaml': `name: LampForm
view_type: form
model: Lamp
fields:
  - { name: sku, title: Sku }
  - { name: watts, title: Power }
  - { name: made_by, title: Maker, required: true, error: { message: Name the maker } }
creation_fields: [sku, made_by, watts]
allowed_update_fields: [watts, made_by]
`,
  'seed/user.yaml': `- { username: ${ADMIN.username}, email: a@example.org, password: ${ADMIN.password}, is_superuser: true }\n`,
  'seed/lamp.yaml': '- { sku: floor }\n',
}

describe('titles in the messages of the providers', () => {
  let app: LiveApp
  before(async () => {
    app = await openLive({ files: TITLED })
  })
  after(() => app.close())

  const FAULTY = { watts: 61, sku: 'a b' }
  const UNDER_FORM = { watts: ['Power must be less than or equal to 60'], made_by: ['Name the maker'] }

  test('the client itself has the words of the API', async () => {
    const client = await loggedIn(app)
    const { fieldErrors } = await failureOf(client.model('lamp').create(FAULTY))
    assert.deepEqual(fieldErrors, { watts: ['watts must be less than or equal to 60'], sku: ['sku format is invalid'] })
  })

  test('refine', async () => {
    const provider = refineProvider(await loggedIn(app))
    const errorsOf = async (call: Promise<unknown>) => (await call.catch((error: unknown) => error)) as { errors: unknown }
    const resource = 'lamp'
    const meta = { form_id: 'LampForm' }
    const unformed = { watts: ['Watts must be less than or equal to 60'], sku: ['Article number format is invalid'] }
    assert.deepEqual((await errorsOf(provider.create({ resource, variables: FAULTY }))).errors, unformed)
    const underForm = { ...UNDER_FORM, sku: ['Sku format is invalid'] }
    assert.deepEqual((await errorsOf(provider.create({ resource, variables: FAULTY, meta }))).errors, underForm)
    assert.deepEqual((await errorsOf(provider.update({ resource, id: 1, variables: { watts: 61 }, meta }))).errors, UNDER_FORM)
    const many = await errorsOf(provider.createMany({ resource, variables: [{ sku: 'fine' }, { watts: 61 }] }))
    const second = { '1.sku': ['Article number is mandatory'], '1.watts': unformed.watts }
    assert.deepEqual(many.errors, second)
  })

  test('react-admin', async () => {
    const provider = reactAdminProvider(await loggedIn(app), { forms: { lamp: { create: 'LampForm', update: 'LampForm' } } })
    const bodyOf = async (call: Promise<unknown>) => ((await call.catch((error: unknown) => error)) as { body: unknown }).body
    const watts = 'Power must be less than or equal to 60'
    const ownMessage = 'Name the maker'
    assert.deepEqual(await bodyOf(provider.update('lamp', { id: 1, data: { watts: 61 }, previousData: { id: 1 } })), {
      errors: { watts, made_by: ownMessage, root: { serverError: `${watts}; ${ownMessage}` } },
    })
    assert.deepEqual(await bodyOf(provider.updateMany('lamp', { ids: [1], data: { watts: 61 } })), {
      errors: { '0.watts': watts, '0.made_by': ownMessage, root: { serverError: `${watts}; ${ownMessage}` } },
    })
  })
})

test('validation errors in the other shape have the same type', async () => {
  await using app = await openLive({ settings: { validation_status: 422 } })
  const client = await loggedIn(app)
  const { type, status, fieldErrors } = await failureOf(client.model('tag').create({ name: 'No slug' }))
  assert.deepEqual([type, status, fieldErrors], ['validation', 422, { slug: ['slug is mandatory'] }])
})

test('a request over the rate limit is repeated after a wait, except a POST', async () => {
  await using app = await openLive({ settings: { rate_limits: { default: 2, auth: 0, upload: 0 } } })
  const waits: number[] = []
  const wait = async (milliseconds: number) => {
    waits.push(milliseconds)
    app.advance(milliseconds)
  }
  const client = await loggedIn(app, { wait, retry: { seconds: 60 } })
  const tags = client.model('tag')
  for (const id of [1, 2, 3]) assert.equal((await tags.read(id)).data.id, id)
  assert.deepEqual(waits, [60_000])
  await tags.read(1)
  const created = await failureOf(tags.create({ name: 'Late', slug: 'late' }))
  assert.deepEqual([created.type, created.retryAfter], ['rate_limit', 60])
  const hasty = await loggedIn(app, { wait, retry: { seconds: 59 } })
  assert.equal((await failureOf(hasty.model('tag').read(1))).type, 'rate_limit')
  assert.equal(waits.length, 1)
})

describe('responses that are not from this API', () => {
  const answering = (fetch: ClientOptions['fetch'], options: Pick<ClientOptions, 'wait'> = {}) =>
    createClient({ url: 'http://shop.test', token: 't', fetch: fetch as typeof globalThis.fetch, ...options }).model('tag')

  test('no response', async () => {
    const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') })
    const error = await failureOf(answering(() => Promise.reject(cause)).read(1))
    assert.deepEqual([error.type, error.status], ['network', undefined])
    assert.equal(error.message, 'No response to GET http://shop.test/api/v1/models/tag/1: connect ECONNREFUSED 127.0.0.1:9')
  })

  test('a truncated response', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('terminated')) })
    const error = await failureOf(answering(async () => new Response(body)).read(1))
    assert.deepEqual([error.type, error.message], ['network', 'The response was cut off: terminated'])
  })

  test('a page instead of JSON', async () => {
    const page = () => Promise.resolve(new Response('<html>', { headers: { 'Content-Type': 'text/html' } }))
    const error = await failureOf(answering(page).read(1))
    assert.match(error.message, /text\/html instead of JSON.*address/)
  })

  test('a proxy without a server behind it', async () => {
    const error = await failureOf(answering(async () => new Response('<h1>Bad Gateway</h1>', { status: 502 })).read(1))
    assert.deepEqual([error.type, error.status], ['unavailable', 502])
  })

  const FOREIGN: readonly (readonly [object, string, object])[] = [
    [{ details: { code: 5 } }, 'The server responded with 400', {}],
    [{ error: 'Bad', details: ['a', 'b'] }, 'a; b', {}],
    [{ error: 'Bad', details: [7] }, 'Bad', {}],
    [{ detail: { error: { title: 'one text' } } }, 'one text', { title: ['one text'] }],
    [{ detail: { error: { title: ['a', 7, null], slug: { no: 'text' } } } }, 'a', { title: ['a'] }],
    [{ detail: [{ loc: ['a'], msg: 'm' }] }, 'The server responded with 400', {}],
    [{ detail: { error: null } }, 'The server responded with 400', {}],
  ]
  for (const [body, message, fieldErrors] of FOREIGN) {
    test(`an error of another shape, ${JSON.stringify(body)}`, async () => {
      const refusing = async () => new Response(JSON.stringify(body), { status: 400 })
      const error = await failureOf(answering(refusing).read(1))
      assert.deepEqual([error.message, error.fieldErrors], [message, fieldErrors])
      const client = createClient({ url: 'http://shop.test', token: 't', fetch: refusing })
      const reactAdmin = await reactAdminProvider(client)
        .getOne('tag', { id: 1 })
        .catch((each) => each)
      assert.deepEqual([reactAdmin.name, reactAdmin.status], ['HttpError', 400])
      const refine = await refineProvider(client)
        .getOne({ resource: 'tag', id: 1 })
        .catch((each) => each)
      assert.deepEqual([refine.name, refine.statusCode], ['HttpError', 400])
    })
  }

  test('a truncated error response keeps its status and does not prevent a retry', async () => {
    const cut = () => new ReadableStream({ start: (controller) => controller.error(new Error('terminated')) })
    const headers = { 'Retry-After': '1' }
    const error = await failureOf(answering(async () => new Response(cut(), { status: 400 })).read(1))
    assert.deepEqual([error.type, error.status], ['request', 400])
    let asked = 0
    const busy = async () => {
      asked += 1
      return new Response(cut(), { status: 503, headers })
    }
    assert.equal((await failureOf(answering(busy, { wait: async () => {} }).read(1))).type, 'unavailable')
    assert.equal(asked, 3)
  })

  test('a server that is never ready is called three times', async () => {
    let asked = 0
    const busy = async () => {
      asked += 1
      return new Response('{"error":"Search is not ready","status_code":503,"details":"Try again"}', {
        status: 503,
        headers: { 'Retry-After': '1', 'X-Request-Id': 'r1' },
      })
    }
    const error = await failureOf(answering(busy, { wait: async () => {} }).search('x'))
    assert.deepEqual([asked, error.type, error.message, error.requestId], [3, 'unavailable', 'Try again', 'r1'])
  })

  test('an aborted call throws the reason of its signal, also during a wait and while an error is read', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const hanging: typeof fetch = (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        controller.abort(reason)
      })
    await assert.rejects(answering(hanging).list({}, { signal: controller.signal }), (error) => error === reason)

    const later = new AbortController()
    const full = async () => {
      queueMicrotask(() => later.abort(reason))
      return new Response('', { status: 429, headers: { 'Retry-After': '5' } })
    }
    await assert.rejects(answering(full).list({}, { signal: later.signal }), (error) => error === reason)

    const last = new AbortController()
    const refusing: typeof fetch = async (_, init) => {
      const start = (body: ReadableStreamDefaultController) =>
        init?.signal?.addEventListener('abort', () => body.error(init.signal?.reason))
      const pull = () => last.abort(reason)
      return new Response(new ReadableStream({ start, pull }), { status: 400 })
    }
    await assert.rejects(answering(refusing).list({}, { signal: last.signal }), (error) => error === reason)
  })
})

test('Retry-After is a number of seconds or a date', () => {
  const now = Date.parse('2030-01-01T00:00:00Z')
  for (const [given, sent, seconds] of [
    ['7', null, 7],
    ['0', null, 0],
    ['Tue, 01 Jan 2030 00:00:09 GMT', null, 9],
    ['Tue, 01 Jan 2030 00:00:09 GMT', 'Tue, 01 Jan 2030 00:00:04 GMT', 5],
    ['Mon, 31 Dec 2029 23:59:59 GMT', null, undefined],
    ['soon', null, undefined],
    ['', null, undefined],
    ['9'.repeat(400), null, undefined],
  ] as const) {
    const headers = { 'retry-after': given, ...(sent === null ? {} : { date: sent }) }
    assert.equal(
      retryAfterOf(new Response('', { headers }), () => now),
      seconds,
      given,
    )
  }
  assert.equal(retryAfterOf(new Response('')), undefined)
})
