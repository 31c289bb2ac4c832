import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { open, withListening } from '../../helpers/api/raw.ts'

const READ = '/api/v1/models/tag/1'
/** More than is sent uncompressed to who takes it compressed. */
const LIST = '/api/v1/models/post'

type Headers = Readonly<Record<string, string>>

/** Asks, and gives what came, headers without those that the moment decides. */
async function ask(app: TestApp, url: string, headers: Headers = {}, method = 'GET') {
  const authorization = `Bearer ${await app.tokenOf('admin')}`
  const response = await app.server.inject({ method, url, headers: { authorization, ...headers } })
  assert.equal(response.statusCode, 200, response.payload)
  const { date, ...rest } = response.headers
  return { headers: rest, body: response.rawPayload }
}

async function withApp(settings: Record<string, unknown>, run: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp({ settings })
  await run(app)
}

describe('a directly written response', () => {
  for (const url of [READ, LIST]) {
    test(`equals that of hapi, ${url}`, () =>
      withApp({}, (plain) =>
        // Where origins are told of, every answer is hapi's.
        withApp({ cors: ['http://front.test'] }, async (hapi) => {
          const ours = await ask(plain, url)
          const theirs = await ask(hapi, url)
          const names = Object.keys(theirs.headers).filter((name) => !/^access-control-/.test(name))
          const expected: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, theirs.headers[name]]))
          // `vary` also names the origin there.
          const vary = String(expected.vary).replace(/^origin,?/, '')
          assert.deepEqual(
            { ...ours.headers, vary: ours.headers.vary ?? '' },
            { ...expected, vary, 'content-length': ours.body.length },
          )
          assert.deepEqual(ours.body, theirs.body)
        }),
      ))
  }

  test('is not used for HEAD: the same headers, and no body', () =>
    withApp({}, async (app) => {
      const got = await ask(app, READ)
      const head = await ask(app, READ, {}, 'HEAD')
      assert.equal(head.body.length, 0)
      assert.equal(head.headers['content-length'], got.headers['content-length'])
      assert.equal(head.headers.etag, got.headers.etag)
    }))

  test('is not used for long responses to clients that accept compression', () =>
    withApp({}, async (app) => {
      const plain = await ask(app, LIST)
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.equal(plain.headers.vary, 'accept-encoding')
      const packed = await ask(app, LIST, { 'accept-encoding': 'gzip, deflate, br' })
      assert.equal(packed.headers['content-encoding'], 'gzip')
      assert.equal(packed.headers.vary, 'accept-encoding')
      assert.deepEqual(gunzipSync(packed.body), plain.body)
      const short = await ask(app, READ, { 'accept-encoding': 'gzip, deflate, br' })
      assert.equal(short.headers['content-encoding'], undefined)
    }))

  test('is not written directly while a body is unread: the connection ends', { timeout: 20_000 }, () =>
    withListening({}, async ({ port, authorization }) => {
      const socket = await open(port)
      let heard = ''
      socket.setEncoding('latin1').on('data', (text: string) => {
        heard += text
      })
      socket.write(`GET ${READ} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: 5\r\n\r\n`)
      await new Promise((resolve) => socket.once('close', resolve))
      assert.match(heard, /^HTTP\/1\.1 200 /)
      assert.match(heard, /^connection: close\r$/im)
    }),
  )
})
