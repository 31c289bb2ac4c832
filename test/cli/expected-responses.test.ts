import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { appErrorOf, commandClient } from '../../src/cli/api-client.ts'
import { processIo } from '../../src/cli/io.ts'
import { serverFetch } from '../../src/cli/server-fetch.ts'
import { uploadLocalFile } from '../../src/cli/stored-files.ts'
import type { Client } from '../../src/client/client.ts'
import { AppError, ERRORS } from '../../src/errors.ts'
import { type Answer, startReceiver } from '../helpers/api/receiver.ts'
import { temporaryFolder } from '../helpers/fixture.ts'

const FILE = { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="tag.csv"' }
const STRANGER = /is not an admin server, or its API is at another path: it responds with status \d+ and an unknown body/

/** Asks something that answers in a certain way; its address is that of a root. */
async function asking<T>(answer: Answer, ask: (client: Client) => Promise<T>, root = '/api/v1', timeoutMs = 150_000): Promise<T> {
  const stranger = await startReceiver(answer)
  const api = new URL(stranger.url).origin + root
  try {
    return await ask(commandClient(processIo(), { api }, serverFetch({ api, token: () => 'x', refusal: '', timeoutMs })))
  } catch (error) {
    throw appErrorOf(error)
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
        asking(answer, (client) => client.model('x').export({ format: 'csv' })),
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
      const asked = asking(json(status, body), (client) => client.request('/models/user?page_size=100'))
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
    test(`are detected by the expected members: ${method} ${path}`, () =>
      assert.rejects(
        asking(json(200, body), (client) => client.request(path, { method })),
        { message: STRANGER },
      ))
  }

  test('cause a hint at the root of the API if a base path was used', async () => {
    const asked = (root: string) => asking(json(404, { message: 'no' }), (client) => client.request('/webhooks'), root)
    await assert.rejects(
      asked('/api/shop'),
      /\(if \/api\/shop is a base path, use the root of the API: \S+\/api\/shop\/api\/v1\)$/,
    )
    await assert.rejects(asked('/api/v1'), /and an unknown body$/)
  })

  test('those of an admin server are accepted', async () => {
    const body = { error: 'Validation failed', details: { title: ['Title is mandatory'] } }
    await assert.rejects(
      asking(json(400, body), (client) => client.request('/webhooks')),
      { code: 'VALIDATION_FAILED', details: body.details },
    )
  })

  test('a redirect is shown without its user name, password and query', async () => {
    const answer: Answer = (response) => response.writeHead(302, { location: 'https://me:pw@b.example/login?key=1#x' }).end()
    await assert.rejects(
      asking(answer, (client) => client.request('/webhooks')),
      /redirects to https:\/\/b\.example\/login; use/,
    )
  })
})

describe('a rate limit', () => {
  const url = 'http://x.test/api/v1'

  /** Calls an API that asks to wait for so many times. */
  async function called(times: number, retryAfter: Record<string, string>, stop?: AbortSignal) {
    const said: string[] = []
    const waited: number[] = []
    let calls = 0
    const fetch = async () =>
      calls++ < times
        ? new Response('{"error":"Rate limit exceeded","details":"too many"}', { status: 429, headers: retryAfter })
        : new Response('{}')
    const wait = async (milliseconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted()
      waited.push(milliseconds)
    }
    const client = commandClient({ stderr: { write: (text) => said.push(text) } }, { api: url }, fetch, undefined, wait)
    const error = await client.request('/x', { ...(stop && { signal: stop }) }).then(() => undefined, appErrorOf)
    return { said, waited, calls, error }
  }

  test('is waited for, and the command says so', async () => {
    const { said, waited, error } = await called(2, { 'retry-after': '7' })
    assert.deepEqual([waited, error], [[7000, 7000], undefined])
    assert.equal(said[0], 'The server asks to wait; trying again in 7 s\n')
  })

  test('is an error without Retry-After, after a long one, and after ten waits', async () => {
    for (const [times, headers, calls] of [
      [1, {}, 1],
      [1, { 'retry-after': '61' }, 1],
      [Number.POSITIVE_INFINITY, { 'retry-after': '1' }, 11],
    ] as const) {
      const result = await called(times, headers)
      assert.ok(result.error instanceof AppError)
      assert.deepEqual([result.error.code, result.error.details, result.calls], ['RATE_LIMITED', 'too many', calls])
    }
  })

  test('is waited for until a signal interrupts it', async () => {
    const reason = new AppError('TASK_FAILED', 'Interrupted by SIGINT')
    const { error } = await called(1, { 'retry-after': '60' }, AbortSignal.abort(reason))
    assert.equal(error, reason)
  })
})

describe('an upload', () => {
  test('waits for a server that has refused to read it, with too many uploads at a time', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'a.txt')
    await writeFile(path, 'a')
    const said: string[] = []
    let asked = 0
    const answer: Answer = (response) =>
      asked++ === 0
        ? response
            .writeHead(503, { 'retry-after': '0' })
            .end(JSON.stringify({ error: ERRORS.UPLOADS_BUSY.message, details: 'busy' }))
        : response.writeHead(201).end(JSON.stringify({ data: [{ id: 'x-1' }], total: 1 }))
    const file = { path, name: 'a.txt', open: () => assert.fail('it is read by its path') }
    const stderr = { write: (text: string) => said.push(text) }
    const id = await asking(answer, (client) =>
      uploadLocalFile({ app: undefined, client }, { stderr }, { model: 'note', field: 'paper' }, file),
    )
    assert.deepEqual([id, asked, said], ['x-1', 2, ['The server asks to wait; trying again in 0 s\n']])
  })

  test('has as long as a server gives to its bytes; other requests have not', async () => {
    const late: Answer = (response) => setTimeout(() => response.writeHead(201).end(JSON.stringify({ data: [] })), 300)
    const request = (file?: Blob) =>
      asking(late, (client) => client.request('/files/note/paper', { method: 'POST', ...(file && { file }) }), '/api/v1', 20)
    await request(new Blob([Buffer.alloc(200_000)]))
    await assert.rejects(request(), /no response in 0.02 s/)
  })
})
