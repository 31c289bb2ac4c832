import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { JOBS } from '../../src/code/job-models.ts'
import { loadProject } from '../../src/project/project.ts'
import { endpointFile, openEndpoints } from '../helpers/code/endpoints.ts'

const ID = "{ name: 'id', type: 'integer', required: true }"

const SHOP = `[
  defineEndpoint({
    method: 'GET', path: '/stock/{id}',
    input: [${ID}, { name: 'least', type: 'integer', default: 0 }, { name: 'tags', type: 'multichoice', choices: ['a', 'b'] }],
    run: async ({ input, params }, ctx) => ({ input, params, name: (await ctx.model('product').read(input.id)).data.name }),
  }),
  defineEndpoint({
    method: 'POST', path: '/sell/{id}', input: [${ID}, { name: 'count', type: 'integer', required: true, gte: 1 }],
    async run({ input: { id, count } }, ctx) {
      if (count === 13) refuse('Not today', 409)
      if (count > 100) refuse({ count: 'Too many' })
      const products = ctx.system.model('product')
      await products.update(id, { stock: (await products.read(id)).data.stock - count })
    },
  }),
  defineEndpoint({ method: 'DELETE', path: '/product', input: [${ID}], run: ({ input }, ctx) => ctx.model('product').delete(input.id) }),
  defineEndpoint({ method: 'PUT', path: '/rename', input: [{ name: 'name', type: 'string' }], run: ({ input }, ctx) => ctx.model('product').update(1, input) }),
]`

const unknown = (name: string) => ({ detail: { error: { [name]: [`Field '${name}' does not exist`] } } })

describe('endpoints of a project', () => {
  test('read their input from path, query and body, with the types of fields', async () => {
    await using shop = await openEndpoints(SHOP, { settings: { history: { days: 9 } } })
    const read = await shop.call('GET', '/stock/2?least=3&tags=a&tags=b', { as: 'admin' })
    assert.deepEqual(
      [read.status, read.json],
      [200, { input: { id: 2, least: 3, tags: ['a', 'b'] }, params: { id: '2' }, name: 'Ink' }],
    )
    assert.equal(read.headers['cache-control'], 'no-store')
    assert.deepEqual((await shop.call('GET', '/stock/1', { as: 'admin' })).json.input, { id: 1, least: 0, tags: [] })
    const sold = await shop.call('POST', '/sell/1', { as: 'ann', body: { count: 2 } })
    assert.deepEqual([sold.status, sold.text], [204, ''])
    const [product] = await shop.app.app.store.get('product', [1])
    assert.equal(product?.stock, 3)
    const authorization = `Bearer ${await shop.app.tokenOf('admin')}`
    const history = await shop.app.server.inject({ url: '/api/v1/models/product/1/history', headers: { authorization } })
    assert.deepEqual(
      JSON.parse(history.payload).data.map(({ action, via }: { action: string; via: string }) => [action, via]),
      [['update', 'endpoint']],
    )
    assert.equal((await shop.call('DELETE', '/product?id=2', { as: 'admin' })).status, 200)
  })

  const faults = [
    ['GET', '/stock/x', undefined, { detail: { error: { id: ['id must be an integer'] } } }],
    ['GET', '/stock/1?least=1&least=2', undefined, { least: ["'least' is given 2 times; give it once"] }],
    ['GET', '/stock/1?lest=1', undefined, { lest: ["Unknown query parameter 'lest'; did you mean 'least'?"] }],
    ['POST', '/sell/1?count=1', { count: 1 }, { count: ["Unknown query parameter 'count' (known: none)"] }],
    ['POST', '/sell/1', { count: 0 }, { detail: { error: { count: ['count must be greater than or equal to 1'] } } }],
    ['POST', '/sell/1', { count: 1, price: 2 }, unknown('price')],
    ['POST', '/sell/1', { count: 1, id: 2 }, unknown('id')],
    ['POST', '/sell/1', '{"count":1,"__proto__":{"isAdmin":true}}', unknown('__proto__')],
    ['POST', '/sell/1', '{"count":1,"constructor":{}}', unknown('constructor')],
    ['POST', '/sell/1', [], { detail: { error: { body: ['The request body must be an object'] } } }],
    ['POST', '/sell/1', undefined, { detail: { error: { count: ['count is mandatory'] } } }],
    ['DELETE', '/product?id=2', { id: 1 }, unknown('id')],
    ['POST', '/sell/1', '{"count":1,"count":2}', undefined],
    ['POST', '/sell/1', `{"count":${'['.repeat(40)}${']'.repeat(40)}}`, undefined],
    ['POST', '/sell/1', '{"count":', 'The request body is not valid JSON'],
  ] as const
  test('refuse what is no input of theirs', async () => {
    await using shop = await openEndpoints(SHOP)
    for (const [method, path, body, expected] of faults) {
      const json = { 'content-type': 'application/json' }
      const answer = await shop.call(method, path, { as: 'admin', headers: json, ...(body === undefined ? {} : { body }) })
      const told = answer.json?.details ?? answer.json
      assert.equal(answer.status, 400, `${path} ${answer.text}`)
      if (expected !== undefined) assert.deepEqual(told, expected, path)
    }
    const [product] = await shop.app.app.store.get('product', [1])
    assert.equal(product?.stock, 5)
  })

  test('require a user, and the permission, group or rank that they name, before a body is read', async () => {
    const who = 'run: (call, { actor }) => actor === null ? null : actor.username'
    const endpoints = ['undefined', "'public'", "'superuser'", "{ permission: 'view_product' }", "{ permission: 'add_product' }"]
    const all = [...endpoints, "{ group: 'Cashiers' }", "{ group: 'Others' }"].map(
      (access, index) => `defineEndpoint({ method: 'POST', path: '/${index}', access: ${access}, ${who} })`,
    )
    await using shop = await openEndpoints(`[${all.join(',')}]`)
    const statuses = (options: Parameters<typeof shop.call>[2]) =>
      Promise.all(all.map(async (_, index) => (await shop.call('POST', `/${index}`, options)).status))
    assert.deepEqual(await statuses({}), [401, 200, 401, 401, 401, 401, 401])
    assert.deepEqual(await statuses({ as: 'ann' }), [200, 200, 403, 200, 403, 200, 403])
    assert.deepEqual(await statuses({ as: 'admin' }), [200, 200, 200, 200, 200, 200, 200])
    assert.deepEqual(await statuses({ as: 'ann', body: '{' }), [400, 400, 403, 400, 403, 400, 403])
    assert.deepEqual(await statuses({ headers: { authorization: 'Bearer x' } }), [401, 200, 401, 401, 401, 401, 401])
    assert.deepEqual(
      [(await shop.call('POST', '/0', { as: 'ann' })).json, (await shop.call('POST', '/1', { as: 'ann' })).json],
      ['ann', null],
    )
  })

  test('act with the rights of the user, and pass on the errors of their writes', async () => {
    await using shop = await openEndpoints(SHOP)
    const rename = (as: 'admin' | 'ann', name: unknown) => shop.call('PUT', '/rename', { as, body: { name } })
    assert.equal((await rename('ann', 'Quill')).status, 403)
    assert.equal((await rename('admin', 'Quill')).json.data.name, 'Quill')
    const twin = await rename('admin', 'Ink')
    assert.deepEqual([twin.status, Object.keys(twin.json.detail.error)], [400, ['name']])
    const missing = await shop.call('DELETE', '/product?id=77', { as: 'admin' })
    assert.deepEqual([missing.status, missing.json.error], [404, 'Record not found'])
    assert.deepEqual(shop.app.reported, [])
  })

  test('refuse with messages by field, or a sentence and a status', async () => {
    await using shop = await openEndpoints(SHOP)
    const fields = await shop.call('POST', '/sell/1', { as: 'ann', body: { count: 200 } })
    assert.deepEqual([fields.status, fields.json], [400, { detail: { error: { count: ['Too many'] } } }])
    const sentence = await shop.call('POST', '/sell/1', { as: 'ann', body: { count: 13 } })
    assert.deepEqual([sentence.status, sentence.json.details], [409, 'Not today'])
  })

  test('that return users return no hash, whatever fields and relations they ask for', async () => {
    await using shop = await openEndpoints(`defineEndpoint({
      method: 'GET', path: '/users', access: 'public',
      input: [{ name: 'fields', type: 'json' }, { name: 'include', type: 'json' }, { name: 'one', type: 'boolean' }],
      async run({ input }, ctx) {
        const query = Object.fromEntries(['fields', 'include'].flatMap((key) => input[key] ? [[key, input[key].split(',')]] : []))
        const users = ctx.system.model('user')
        return input.one ? users.read(2, query) : users.list(query)
      },
    })`)
    const fields = [
      '',
      'id',
      'username',
      'password',
      'groups',
      'id,password',
      'id,email,groups',
      'created_at',
      'username,groups',
      'is_superuser',
    ]
    const include = [
      '',
      'groups__name',
      'password',
      'groups__permissions',
      'sessions',
      'user__password',
      'groups__id',
      'permissions__codename',
      'permissions',
      'groups',
    ]
    let answered = 0
    for (const one of [true, false]) {
      for (const [wanted, related] of fields.flatMap((each) => include.map((other) => [each, other] as const))) {
        const query = new URLSearchParams({ one: String(one), fields: wanted, include: related })
        const answer = await shop.call('GET', `/users?${query}`)
        if (answer.status === 200) answered++
        assert.doesNotMatch(answer.text, /\$quick|\$argon|"password":/, `${query}`)
      }
    }
    assert.ok(answered > 30, String(answered))
  })
})

describe('the answer of an endpoint', () => {
  const answers = [
    ['[1, { a: null }]', 200, '[1,{"a":null}]'],
    ['null', 200, 'null'],
    ["'text'", 200, '"text"'],
    ['undefined', 204, ''],
    ['new Date(0)', 200, '"1970-01-01T00:00:00.000Z"'],
    [
      "new Response('teapot', { status: 418, headers: { 'x-kind': 'tea', 'set-cookie': 'a=b', 'content-length': '99' } })",
      418,
      'teapot',
    ],
    ['new Response(null, { status: 202 })', 202, ''],
    ["Response.redirect('https://example.org/', 303)", 303, ''],
    [
      "new Response(new ReadableStream({ async start(to) { for (const part of ['a', 'b', 'c']) { await wait(1); to.enqueue(new TextEncoder().encode(part)) } to.close() } }))",
      200,
      'abc',
    ],
    ['(() => 1)', 500, undefined],
    ['1n', 500, undefined],
    ['Response.error()', 500, undefined],
  ] as const
  const all = answers.map(
    ([value], index) => `defineEndpoint({ method: 'GET', path: '/${index}', access: 'public', run: async () => ${value} })`,
  )

  test('is JSON, a Response or nothing', async () => {
    await using shop = await openEndpoints(`[${all.join(',')}]`)
    for (const [index, [value, status, text]] of answers.entries()) {
      const answer = await shop.call('GET', `/${index}`)
      assert.equal(answer.status, status, `${value} ${answer.text}`)
      if (text !== undefined) assert.equal(answer.text, text, value)
      assert.equal(answer.headers['set-cookie'], undefined)
      assert.equal(answer.headers['cache-control'], 'no-store', value)
      const head = await shop.call('HEAD', `/${index}`)
      assert.deepEqual([head.status, head.text], [status, ''], value)
    }
    const { headers } = await shop.call('GET', '/5')
    assert.deepEqual([headers['x-kind'], headers['content-type']], ['tea', 'text/plain;charset=UTF-8'])
    assert.equal((await shop.call('GET', '/7')).headers.location, 'https://example.org/')
  })

  test('has the headers of every response, also if it is a stream', async () => {
    await using shop = await openEndpoints(`[${all.join(',')}]`, { settings: { port: 0 } })
    const port = await shop.app.live.start()
    for (const [index, text] of [
      [0, '[1,{"a":null}]'],
      [5, 'teapot'],
      [8, 'abc'],
    ] as const) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/ext/${index}`)
      assert.equal(await answer.text(), text)
      assert.match(String(answer.headers.get('content-security-policy')), /default-src 'none'/)
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  test('to another method is 405, and to a preflight what the settings allow', async () => {
    const origin = 'https://example.org'
    await using shop = await openEndpoints(SHOP, { settings: { cors: [origin] } })
    const other = await shop.call('PUT', '/stock/1', { as: 'admin', body: {} })
    assert.deepEqual([other.status, other.headers.allow], [405, 'GET, HEAD'])
    assert.equal((await shop.call('GET', '/nothing', { as: 'admin' })).status, 404)
    const headers = { origin, 'access-control-request-method': 'POST' }
    const preflight = await shop.call('OPTIONS', '/sell/1', { headers })
    assert.equal(preflight.headers['access-control-allow-origin'], origin)
    const foreign = await shop.call('OPTIONS', '/sell/1', { headers: { ...headers, origin: 'https://evil.example' } })
    assert.equal(foreign.headers['access-control-allow-origin'], undefined)
    const read = await shop.call('GET', '/stock/1', { as: 'admin', headers: { origin } })
    assert.equal(read.headers['access-control-allow-origin'], origin)
  })
})

test('the response of a fetch is passed on as its body was decoded', async () => {
  const origin = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(gzipSync('from afar'))
  })
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
  const { port } = origin.address() as AddressInfo
  try {
    await using shop = await openEndpoints(
      `defineEndpoint({ method: 'GET', path: '/afar', access: 'public', run: () => fetch('http://127.0.0.1:${port}/') })`,
    )
    const { text, headers } = await shop.call('GET', '/afar')
    assert.deepEqual(
      [text, headers['content-encoding'], headers['content-type']],
      ['from afar', undefined, 'text/plain; charset=utf-8'],
    )
  } finally {
    origin.close()
  }
})

describe('a stream of an endpoint', () => {
  const STREAMS = `[
    defineEndpoint({ method: 'GET', path: '/endless', access: 'public', run: () => new Response(new ReadableStream({
      pull: (to) => wait(1).then(() => to.enqueue(new TextEncoder().encode('x'.repeat(1000)))),
      cancel: () => globalThis.ended?.(),
    })) }),
    defineEndpoint({ method: 'GET', path: '/broken', access: 'public', run: () => new Response(new ReadableStream({
      start: (to) => to.enqueue(new TextEncoder().encode('begun')),
      pull: async (to) => { await wait(5); to.error(new Error('broken off')) },
    })) }),
  ]`

  test('is cancelled when its client has gone', async () => {
    await using shop = await openEndpoints(STREAMS, { settings: { port: 0 } })
    const port = await shop.app.live.start()
    const hooks = globalThis as { ended?: () => void }
    const ended = new Promise<void>((resolve) => (hooks.ended = resolve))
    const client = new AbortController()
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/ext/endless`, { signal: client.signal })
    await answer.body?.getReader().read()
    client.abort()
    await ended
  })

  test('that fails ends the response, is logged, and the server answers the next request', async () => {
    await using shop = await openEndpoints(STREAMS, { settings: { port: 0 } })
    const port = await shop.app.live.start()
    await assert.rejects(fetch(`http://127.0.0.1:${port}/api/v1/ext/broken`).then((answer) => answer.text()))
    assert.ok(shop.app.logged.some((line) => line.includes('GET /broken') && line.includes('broken off')))
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200)
  })
})

describe('the body of an endpoint', () => {
  const RAW = `defineEndpoint({
    method: 'POST', path: '/paid', access: 'public', body: 'raw', input: [{ name: 'kind', type: 'string' }],
    run: ({ raw, headers, input }) => ({ hex: raw.subarray(0, 20).toString('hex'), size: raw.length, signature: headers['x-signature'] ?? null, kind: input.kind }),
  })`

  test('is passed as its bytes, of any media type, without a token too', async () => {
    await using shop = await openEndpoints(RAW, { settings: { max_upload_bytes: 200_000 } })
    const bytes = Buffer.from([0, 255, 0x7b, 0xc3, 0x28, 13, 10])
    const signature = createHmac('sha256', 'key').update(bytes).digest('hex')
    for (const type of ['application/json', 'text/plain; charset=utf-8', 'multipart/form-data', 'nonsense', undefined]) {
      const headers = { 'x-signature': signature, ...(type === undefined ? {} : { 'content-type': type }) }
      const answer = await shop.call('POST', '/paid?kind=card', { body: bytes, headers })
      assert.deepEqual(answer.json, { hex: bytes.toString('hex'), size: 7, signature, kind: 'card' }, `${type} ${answer.text}`)
    }
    assert.equal((await shop.call('POST', '/paid')).json.size, 0)
    assert.equal((await shop.call('POST', '/paid', { body: Buffer.alloc(200_000) })).json.size, 200_000)
    assert.equal((await shop.call('POST', '/paid', { body: Buffer.alloc(200_001) })).status, 413)
    const packed = { body: gzipSync(bytes), headers: { 'content-encoding': 'gzip' } }
    assert.equal((await shop.call('POST', '/paid', packed)).json.size, 7)
    const bomb = { body: gzipSync(Buffer.alloc(300_000)), headers: { 'content-encoding': 'gzip' } }
    assert.equal((await shop.call('POST', '/paid', bomb)).status, 413)
    assert.equal((await shop.call('POST', '/paid?sort=card', { body: bytes })).status, 400)
  })

  test('in JSON has 64 KiB without a token, and its media type', async () => {
    await using shop = await openEndpoints(
      `defineEndpoint({ method: 'POST', path: '/note', access: 'public', input: [{ name: 'text', type: 'text' }], run: ({ input }) => input.text.length })`,
    )
    assert.equal((await shop.call('POST', '/note', { body: { text: 'x'.repeat(60_000) } })).json, 60_000)
    assert.equal((await shop.call('POST', '/note', { body: { text: 'x'.repeat(66_000) } })).status, 413)
    const form = { body: 'text=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    assert.equal((await shop.call('POST', '/note', form)).status, 415)
  })

  test('comes with headers, but without the credentials of the server', async () => {
    const headers = (path: string, access: string) =>
      `defineEndpoint({ method: 'GET', path: '${path}', access: '${access}', run: ({ headers }) => [headers.cookie ?? null, headers.authorization ?? null, headers['x-a']] })`
    await using shop = await openEndpoints(`[${headers('/open', 'public')}, ${headers('/users', 'authenticated')}]`)
    const sent = { cookie: 'admin_refresh_80=x', 'x-a': 'b' }
    assert.deepEqual((await shop.call('GET', '/users', { as: 'ann', headers: sent })).json, [null, null, 'b'])
    const basic = { ...sent, authorization: 'Basic YTpi' }
    assert.deepEqual((await shop.call('GET', '/open', { headers: basic })).json, [null, 'Basic YTpi', 'b'])
  })
})

describe('jobs of a public endpoint', () => {
  test('are refused from 100,000 waiting ones of a name', async () => {
    const job = `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'receipt', run() {} })`
    await using shop = await openEndpoints(
      `['/ask', '/together'].map((path) => defineEndpoint({ method: 'POST', path, access: 'public', run: (call, ctx) => {
  const ask = (to) => to.enqueue({ name: 'receipt', run() {} }, {}, { run_at: new Date('2030-01-01') })
  return path === '/ask' ? ask(ctx) : ctx.transaction(ask)
} }))`,
      {},
      { 'jobs/receipt.ts': job },
    )
    assert.equal((await shop.call('POST', '/ask')).status, 204)
    const { store } = shop.app.app
    const [first] = (await store.find(JOBS, { filters: [], sort: [], offset: 0, limit: 1 })).records
    assert.ok(first)
    const { id: _, ...values } = first
    for (let count = 1; count < 99_999; count += 9_999) {
      const operations = Array.from({ length: Math.min(9_999, 99_999 - count) }, () => ({
        kind: 'insert' as const,
        table: JOBS,
        values,
      }))
      assert.ok((await store.transact(operations)).ok)
    }
    shop.app.advance(2_000)
    assert.equal((await shop.call('POST', '/ask')).status, 204)
    for (const path of ['/ask', '/together']) {
      const full = await shop.call('POST', path)
      assert.deepEqual([full.status, full.headers['retry-after']], [503, '60'], path)
    }
    assert.equal((await store.find(JOBS, { filters: [], sort: [], offset: 0, limit: 1 })).total, 100_000)
  })
})

describe('the limits of an endpoint', () => {
  test('count by user, or by address if it is public', async () => {
    const of = (path: string, more: string) => `defineEndpoint({ method: 'POST', path: '${path}', ${more}, run: () => 1 })`
    await using shop = await openEndpoints(
      `[${of('/user', '')}, ${of('/open', "access: 'public'")}, ${of('/login', "access: 'public', limit: 'auth'")}, ${of('/up', "limit: 'upload'")}, ${of('/drop', "access: 'public', limit: 'upload'")}]`.replaceAll(
        ', ,',
        ',',
      ),
      { settings: { rate_limits: { default: 3, auth: 2, upload: 1 } } },
    )
    const until429 = async (path: string, as?: 'admin' | 'ann') => {
      for (let count = 0; count < 9; count++) if ((await shop.call('POST', path, as && { as })).status === 429) return count
      return undefined
    }
    assert.deepEqual([await until429('/user', 'ann'), await until429('/user', 'admin')], [3, 3])
    assert.deepEqual([await until429('/open'), await until429('/login')], [3, 2])
    assert.deepEqual([await until429('/up', 'ann'), await until429('/drop')], [1, 1])
  })
})

describe('a failing endpoint', () => {
  const FAILING = `[
    defineEndpoint({
      method: 'GET', path: '/throws',
      access: 'public', run: () => {
        throw new Error('secret of the database')
      },
    }),
    defineEndpoint({ method: 'GET', path: '/late', access: 'public', async run() {
      await wait(1)
      throw new TypeError('late')
    } }),
    defineEndpoint({ method: 'GET', path: '/text', access: 'public', run: () => Promise.reject('only text') }),
    defineEndpoint({ method: 'GET', path: '/teapot', access: 'public', run: () => refuse('short and stout', 418) }),
    defineEndpoint({ method: 'GET', path: '/fine', access: 'public', run: () => 'fine' }),
  ]`

  test('is a 500 without its message, and the log has file and line', async () => {
    await using shop = await openEndpoints(FAILING)
    for (const [path, place] of [
      ['/throws', 'endpoints/shop.ts:6 GET /throws: secret of the database'],
      ['/late', 'endpoints/shop.ts:11 GET /late: late'],
      ['/text', 'endpoints/shop.ts:13 GET /text: only text'],
      ['/teapot', 'endpoints/shop.ts:14 GET /teapot: The status of refuse is 400, 403, 404 or 409, not 418'],
    ] as const) {
      const answer = await shop.call('GET', path, { headers: { 'x-request-id': 'r-1' } })
      assert.deepEqual([answer.status, answer.json.request_id], [500, 'r-1'])
      assert.doesNotMatch(answer.text, /secret|late|stout|shop\.ts|only/)
      assert.ok(
        shop.app.logged.some((line) => line.includes(place)),
        shop.app.logged.join('\n'),
      )
      assert.equal((await shop.call('GET', '/fine')).json, 'fine')
    }
  })

  test('has 30 seconds; then its signal is aborted, and it can write no more', async () => {
    await using shop = await openEndpoints(`[
      defineEndpoint({ method: 'POST', path: '/slow', access: 'public', async run(call, ctx) {
        const isOver = new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        const write = async (tx) => tx.system.model('product').update(1, { stock: 0 })
        const begun = ctx.transaction(async (tx) => { await write(tx); globalThis.started?.(); await isOver })
        await isOver
        const late = [ctx.system.model('product').update(1, { stock: 0 }), ctx.enqueue({ name: 'none', run() {} }, {}), ctx.transaction(write)]
        globalThis.ended?.([begun, ...late])
      } }),
    ]`)
    const hooks = globalThis as { started?: () => void; ended?: (writes: Promise<unknown>[]) => void }
    const started = new Promise<void>((resolve) => (hooks.started = resolve))
    const ended = new Promise<PromiseSettledResult<unknown>[]>(
      (resolve) => (hooks.ended = (writes) => resolve(Promise.allSettled(writes))),
    )
    const answer = shop.call('POST', '/slow')
    await started
    shop.app.advance(30_000)
    const { status, json } = await answer
    assert.deepEqual([status, json.details], [503, 'endpoints/shop.ts:3 POST /slow took more than 30 s'])
    for (const write of await ended) {
      assert.match(write.status === 'rejected' ? String(write.reason) : 'stored', /took more than 30 s/)
    }
    const [product] = await shop.app.app.store.get('product', [1])
    assert.equal(product?.stock, 5)
  })

  test('learns by its signal that the client has gone', async () => {
    await using shop = await openEndpoints(
      `defineEndpoint({ method: 'GET', path: '/wait', access: 'public', async run(call, { signal }) {
        globalThis.started?.()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        globalThis.ended?.()
      } })`,
      { settings: { port: 0 } },
    )
    const port = await shop.app.live.start()
    const hooks = globalThis as { started?: () => void; ended?: () => void }
    const started = new Promise<void>((resolve) => (hooks.started = resolve))
    const ended = new Promise<void>((resolve) => (hooks.ended = resolve))
    const client = new AbortController()
    const asked = fetch(`http://127.0.0.1:${port}/api/v1/ext/wait`, { signal: client.signal }).catch(() => 'gone')
    await started
    client.abort()
    assert.equal(await asked, 'gone')
    await ended
  })
})

describe('the endpoints of a reloaded project', () => {
  test('take the place of the former ones; a faulty file leaves them as they are', async () => {
    await using shop = await openEndpoints(`defineEndpoint({ method: 'GET', path: '/a', access: 'public', run: () => 1 })`)
    const { folder, live } = shop.app
    const reload = async (exported: string) => {
      await writeFile(join(folder.path, 'endpoints/shop.ts'), endpointFile(`export default ${exported}`))
      const project = await loadProject({ folder: folder.path, env: {}, flags: {} })
      return live.replace({ project: { ...project, settings: live.app.settings } })
    }
    await reload(`defineEndpoint({ method: 'GET', path: '/b', access: 'public', run: () => 2 })`)
    assert.equal((await shop.call('GET', '/a')).status, 404)
    assert.equal((await shop.call('GET', '/b')).json, 2)
    await assert.rejects(reload('defineEndpoint({'))
    assert.equal((await shop.call('GET', '/b')).json, 2)
  })
})
