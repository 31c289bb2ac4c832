import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { FILES_PROJECT, PIXEL, storeFile, storeRecord } from '../../helpers/api/stored-files.ts'

const TEN = '0123456789'

/** A header `Range` for ten bytes, the status, and the bytes that are sent. */
const ROWS: readonly (readonly [range: string, status: number, body: string])[] = [
  ['bytes=0-0', 206, '0'],
  ['bytes=5-5', 206, '5'],
  ['bytes=0-', 206, TEN],
  ['bytes=-1', 206, '9'],
  ['bytes=-99', 206, TEN],
  ['bytes=9-', 206, '9'],
  ['bytes=0-999', 206, TEN],
  ['bytes=10-', 416, ''],
  ['bytes=-0', 416, ''],
  ['bytes=5-2', 200, TEN],
  ['bytes=a-b', 200, TEN],
  ['bytes=', 200, TEN],
  ['items=0-1', 200, TEN],
  ['bytes=0-1,2-4', 206, '01234'],
  ['bytes=0-1,5-6', 200, TEN],
]

describe('ranges of a file', () => {
  let app: TestApp
  const urls: Record<string, string> = {}

  const get = async (url: string, headers: Readonly<Record<string, string>> = {}, method: 'GET' | 'HEAD' = 'GET') => {
    const authorization = `Bearer ${await app.tokenOf('admin')}`
    return app.server.inject({ method, url, headers: { authorization, ...headers } })
  }

  before(async () => {
    app = await openTestApp({ files: FILES_PROJECT })
    const id = await storeRecord(app, 'article', { title: 'a' })
    const large = Buffer.alloc(3 * 1024 * 1024 + 17, 'a')
    large.write('here', 1024 * 1024 - 2)
    const store = async (field: string, bytes: Buffer | string, more = {}) =>
      (await storeFile(app, 'article', id, field, { bytes, ...more })).url
    urls.ten = await store('manual', TEN)
    urls.empty = await store('attachments', '')
    urls.large = await store('attachments', large)
    urls.image = await store('cover', PIXEL, { type: 'image/png', name: 'dot.png', width: 1 })
  })
  after(() => app.close())

  for (const [range, status, body] of ROWS) {
    test(`${range} is answered with ${status}`, async () => {
      const reply = await get(urls.ten ?? '', { range })
      assert.equal(reply.statusCode, status)
      if (status === 416) {
        assert.equal(reply.headers['content-range'], 'bytes */10')
        assert.equal(JSON.parse(reply.payload).error, 'Range not satisfiable')
        return
      }
      assert.equal(reply.payload, body)
      assert.equal(reply.headers['content-length'], body.length)
      const start = TEN.indexOf(body)
      const expected = status === 206 ? `bytes ${start}-${start + body.length - 1}/10` : undefined
      assert.equal(reply.headers['content-range'], expected)
    })
  }

  test('HEAD ignores them', async () => {
    const reply = await get(urls.ten ?? '', { range: 'bytes=0-0' }, 'HEAD')
    const { 'content-length': length, 'accept-ranges': ranges, 'content-range': range } = reply.headers
    assert.deepEqual([reply.statusCode, reply.payload, length, ranges, range], [200, '', 10, 'bytes', undefined])
  })

  test('If-Range gives the part of the same bytes, and the whole file for others, weak tags and times', async () => {
    const { etag } = (await get(urls.ten ?? '')).headers
    const ask = async (ifRange: string) => (await get(urls.ten ?? '', { range: 'bytes=3-4', 'if-range': ifRange })).payload
    assert.equal(await ask(String(etag)), '34')
    for (const stale of ['"other"', `W/${etag}`, 'Sat, 29 Oct 1994 19:43:31 GMT']) assert.equal(await ask(stale), TEN, stale)
  })

  test('an empty file is sent whole', async () => {
    for (const range of ['bytes=0-', 'bytes=-1', 'bytes=5-']) {
      const reply = await get(urls.empty ?? '', { range })
      assert.deepEqual([reply.statusCode, reply.payload, reply.headers['content-length']], [200, '', 0], range)
    }
  })

  test('If-None-Match goes before', async () => {
    const { etag } = (await get(urls.ten ?? '')).headers
    const reply = await get(urls.ten ?? '', { range: 'bytes=0-0', 'if-none-match': String(etag) })
    assert.deepEqual([reply.statusCode, reply.payload], [304, ''])
  })

  test('a part of a large file is streamed, also across blocks', async () => {
    const reply = await get(urls.large ?? '', { range: `bytes=${1024 * 1024 - 3}-${1024 * 1024 + 2}` })
    assert.deepEqual([reply.statusCode, reply.payload], [206, 'aherea'])
    const rest = await get(urls.large ?? '', { range: 'bytes=1000-' })
    assert.equal(rest.rawPayload.length, 3 * 1024 * 1024 + 17 - 1000)
    assert.equal((await get(urls.large ?? '')).rawPayload.length, 3 * 1024 * 1024 + 17)
  })

  test('a thumbnail has them, too', async () => {
    const url = `${urls.image}?thumbnail=card`
    const whole = await get(url)
    assert.equal(whole.statusCode, 200, whole.payload)
    assert.equal(whole.headers['content-type'], 'image/webp')
    const size = whole.rawPayload.length
    const rows: readonly (readonly [string, number, number, number])[] = [
      ['bytes=0-3', 206, 0, 4],
      ['bytes=-5', 206, size - 5, size],
      ['bytes=5-2', 200, 0, size],
      ['bytes=0-1,5-6', 200, 0, size],
    ]
    for (const [range, status, start, end] of rows) {
      const reply = await get(url, { range })
      assert.equal(reply.statusCode, status, range)
      assert.deepEqual(reply.rawPayload, whole.rawPayload.subarray(start, end), range)
    }
    const beyond = await get(url, { range: `bytes=${size}-` })
    assert.deepEqual([beyond.statusCode, beyond.headers['content-range']], [416, `bytes */${size}`])
    const head = await get(url, { range: 'bytes=0-0' }, 'HEAD')
    assert.deepEqual([head.statusCode, head.headers['content-length'], head.payload], [200, size, ''])
  })
})
