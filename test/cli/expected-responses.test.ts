import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { errorIn, retryAfterIn } from '../../src/cli/api-requests.ts'
import { overHttp } from '../../src/cli/http-requests.ts'
import { processIo } from '../../src/cli/io.ts'
import { withRetries } from '../../src/cli/retry-limit.ts'
import { AppError } from '../../src/errors.ts'
import { type Answer, startReceiver } from '../helpers/api/receiver.ts'

const FILE = { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="tag.csv"' }
const STRANGER = /is not an admin server, or its API is at another path: it responds with status \d+ and an unknown body/

/** Asks something that answers in a certain way; its address is that of a root. */
async function asking<T>(answer: Answer, ask: (api: ReturnType<typeof overHttp>) => Promise<T>, root = '/api/v1'): Promise<T> {
  const stranger = await startReceiver(answer)
  try {
    return await ask(overHttp({ api: new URL(stranger.url).origin + root, token: () => 'x', refusal: '' }))
  } finally {
    await stranger.close()
  }
}

const json =
  (status: number, body: unknown): Answer =>
  (response) =>
    response.writeHead(status).end(JSON.stringify(body))

describe('a download is complete only if HTTP framing shows its end', () => {
  const half = gzipSync('id,name\r\n1,x\r\n')
  for (const [what, answer, says] of [
    [
      'a part',
      (response) => response.writeHead(206, FILE).end('id,name\r\n'),
      /responds with status 206 instead of the whole file/,
    ],
    [
      'packed by a proxy',
      (response) => response.writeHead(200, { ...FILE, 'content-encoding': 'gzip' }).end(half),
      /sends the file compressed with gzip, unrequested/,
    ],
    [
      'packed on its way',
      (response, { socket }) => {
        const head = Object.entries({ ...FILE, 'transfer-encoding': 'gzip', connection: 'close' })
        socket.end(`HTTP/1.1 200 OK\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\nid`)
        response.destroy()
      },
      /does not show where a file ends/,
    ],
  ] as const satisfies readonly (readonly [string, Answer, RegExp])[]) {
    test(what, () =>
      assert.rejects(
        asking(answer, ({ download }) => download('/x')),
        { code: 'TASK_FAILED', message: says },
      ),
    )
  }
})

describe('responses of other servers', () => {
  for (const [status, body] of [
    [502, { error: { code: 502, message: 'no' } }],
    [422, { detail: { error: { x: [{ loc: 1 }] } } }],
    [200, { error: 'but fine' }],
    [200, { status: 'ok' }],
    [200, { data: {} }],
    [200, { data: [null] }],
    [200, null],
  ] as const) {
    test(`${status} ${JSON.stringify(body)}`, async () => {
      const asked = asking(json(status, body), ({ request }) => request('GET', '/models/user?page_size=100'))
      await assert.rejects(asked, { code: 'TASK_FAILED', message: STRANGER })
    })
  }

  for (const [method, path, body] of [
    ['GET', '/openapi.json', { components: { schemas: { a: 1 } } }],
    ['GET', '/models/post/search?q=x', { data: [], total: 0 }],
    ['POST', '/mock', { data: {} }],
    ['POST', '/reset', {}],
    ['POST', '/models/post/import?dry_run=true', { data: {} }],
    ['POST', '/webhooks', { data: 1 }],
  ] as const) {
    test(`are detected by the expected members: ${method} ${path}`, async () => {
      await assert.rejects(
        asking(json(200, body), ({ request }) => request(method, path)),
        { message: STRANGER },
      )
    })
  }

  test('cause a hint at the root of the API if a base path was used', async () => {
    const asked = (root: string) => asking(json(404, { message: 'no' }), ({ request }) => request('GET', '/webhooks'), root)
    await assert.rejects(
      asked('/api/shop'),
      /\(if \/api\/shop is a base path, use the root of the API: \S+\/api\/shop\/api\/v1\)$/,
    )
    await assert.rejects(asked('/api/v1'), /and an unknown body$/)
  })

  test('those of an admin server are accepted', () => {
    const error = errorIn(400, { error: 'Validation failed', details: { title: ['Title is mandatory'] } })
    assert.deepEqual([error?.code, error?.details], ['VALIDATION_FAILED', { title: ['Title is mandatory'] }])
  })

  test('a redirect is shown without its user name, password and query', async () => {
    const answer: Answer = (response) => response.writeHead(302, { location: 'https://me:pw@b.example/login?key=1#x' }).end()
    await assert.rejects(
      asking(answer, ({ request }) => request('GET', '/webhooks')),
      /redirects to https:\/\/b\.example\/login; use/,
    )
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
    const headers = new Headers({ 'retry-after': given, ...(sent === null ? {} : { date: sent }) })
    assert.equal(
      retryAfterIn(headers, () => now),
      seconds,
      given,
    )
  }
  assert.equal(retryAfterIn(new Headers()), undefined)
})

test('waiting ends when it is interrupted', async () => {
  const stop = new AbortController()
  const io = { ...processIo(), stderr: { write: () => stop.abort(new AppError('TASK_FAILED', 'Interrupted by SIGINT')) } }
  const refused = async () => {
    throw new AppError('RATE_LIMITED', 'too many', { retryAfter: 60 })
  }
  await assert.rejects(withRetries(io, refused, { stopped: stop.signal }), { message: 'Interrupted by SIGINT' })
})
