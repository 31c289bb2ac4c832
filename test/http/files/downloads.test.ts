import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { get } from 'node:http'
import type { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { filesIn } from '../../../src/model/files.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { withListening } from '../../helpers/api/raw.ts'
import { play, type Scenario, scenario } from '../../helpers/api/scenario.ts'
import { FILES_PROJECT, PIXEL, storeFile, storeRecord } from '../../helpers/api/stored-files.ts'

const sha256Of = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

const DENIED = { error: 'Insufficient permissions', status_code: 403 }
const NOT_FOUND = { error: 'File not found', status_code: 404, details: 'There is no such file' }
const NO_TOKEN = { error: 'Authentication required', status_code: 401 }

describe('who may read a file', () => {
  let app: TestApp
  const urls: Record<string, string> = {}

  before(async () => {
    app = await openTestApp({ files: FILES_PROJECT })
    const ofAnn = await storeRecord(app, 'article', { title: 'of Ann', owner_id: 2 })
    const shared = await storeRecord(app, 'article', { title: 'shared', owner_id: 2, shared: true })
    const poster = await storeRecord(app, 'poster', { title: 'public' })
    const invoice = await storeRecord(app, 'invoice', { number: '1' })
    const put = async (model: string, id: number, field: string, bytes: string | Buffer, more = {}) =>
      (await storeFile(app, model, id, field, { bytes, ...more })).url
    urls.own = await put('article', ofAnn, 'manual', 'of Ann')
    urls.shared = await put('article', shared, 'manual', 'shared')
    urls.public = await put('poster', poster, 'picture', PIXEL, { type: 'image/png', width: 1, name: 'dot.png' })
    urls.invoice = await put('invoice', invoice, 'scan', 'secret')
    urls.portrait = await put('user', 2, 'portrait', 'a face')
  })
  after(() => app.close())

  type Row = readonly [
    name: string,
    as: string | null,
    url: (urls: Readonly<Record<string, string>>) => string,
    status: number,
    part?: object,
  ]
  const other = (name: string, from: RegExp, to: string) => (all: Readonly<Record<string, string>>) =>
    (all[name] ?? '').replace(from, to)
  const rows: readonly Row[] = [
    ['the owner of a record reads its file', 'ann', (all) => all.own ?? '', 200],
    ['a superuser reads every file', 'admin', (all) => all.invoice ?? '', 200],
    ['a record that is hidden hides its file', 'bob', (all) => all.own ?? '', 404, NOT_FOUND],
    ['a record that is shown shows its file', 'bob', (all) => all.shared ?? '', 200],
    ['without the permission to view the model it is refused', 'ann', (all) => all.invoice ?? '', 403, DENIED],
    ['without a token it needs one', null, (all) => all.invoice ?? '', 401, NO_TOKEN],
    ['a record that everyone may view needs no token', null, (all) => all.shared ?? '', 200],
    ['one that they may not view is unknown', null, (all) => all.own ?? '', 404, NOT_FOUND],
    ['a model that everyone may view needs no token', null, (all) => all.public ?? '', 200],
    ['their own record needs no permission', 'ann', (all) => all.portrait ?? '', 200],
    ['that of another user does', 'bob', (all) => all.portrait ?? '', 403, DENIED],
    ['a file of another record is unknown', 'admin', other('own', /article\/1/, 'article/2'), 404, NOT_FOUND],
    ['a file of another field is unknown', 'admin', other('own', /manual/, 'cover'), 404, NOT_FOUND],
    ['a file of another model is unknown', 'admin', other('own', /article/, 'poster'), 404, NOT_FOUND],
    ['another token of the same row is unknown', 'admin', other('own', /k3J9x0aQ2m/, 'k3J9x0aQ2n'), 404, NOT_FOUND],
    ['another row is unknown', 'admin', other('own', /.$/, '2'), 404, NOT_FOUND],
    ['a row that is not there is unknown', 'admin', other('own', /-\w+$/, '-zzzz'), 404, NOT_FOUND],
    ['an id that is none is unknown', 'admin', other('own', /[^/]+$/, 'x'), 404, NOT_FOUND],
    ['a field of another type is unknown', 'admin', other('own', /manual/, 'title'), 404, NOT_FOUND],
    ['a field that is not there is unknown', 'admin', other('own', /manual/, 'constructor'), 404, NOT_FOUND],
    ['a model that is not there is unknown', 'admin', other('own', /article/, 'nothing'), 404, NOT_FOUND],
    ['the registry is unknown', 'admin', other('own', /article/, 'storedfile'), 404, NOT_FOUND],
    ['a model that is not there needs a token', null, other('own', /article/, 'nothing'), 401, NO_TOKEN],
    ['a record that is not there is unknown', 'admin', other('own', /article\/1/, 'article/99'), 404, NOT_FOUND],
    ['an id of a record in another notation is unknown', 'admin', other('own', /article\/1/, 'article/01'), 404, NOT_FOUND],
    ['an id of a record that is a text is unknown', 'admin', other('own', /article\/1/, 'article/x'), 404, NOT_FOUND],
    ['a thumbnail has a name', 'admin', (all) => `${all.public}?thumbnail=preview`, 200],
    [
      'an unknown name of a thumbnail is an error',
      'admin',
      (all) => `${all.public}?thumbnail=previw`,
      400,
      { details: { thumbnail: ["Unknown thumbnail 'previw'; did you mean 'preview'?"] } },
    ],
    [
      'a file field has no thumbnails',
      'ann',
      (all) => `${all.own}?thumbnail=preview`,
      400,
      { details: { thumbnail: ["Unknown thumbnail 'preview' (known: none)"] } },
    ],
    ['a hidden file has no thumbnails to ask for', 'bob', (all) => `${all.own}?thumbnail=x`, 404, NOT_FOUND],
    ['a thumbnail is named once', 'admin', (all) => `${all.public}?thumbnail=preview&thumbnail=preview`, 400],
    ['an unknown parameter is an error', 'admin', (all) => `${all.public}?width=10`, 400],
    ['download is true or false', 'admin', (all) => `${all.public}?download=yes`, 400],
  ]
  for (const [name, as, url, status, expectPart] of rows) {
    test(name, async () => {
      const request = `GET ${url(urls)}` as Scenario['request']
      await play(app, { request, as, status, ...(expectPart === undefined ? {} : { expectPart }) })
    })
  }
})

describe('a file as it is sent', () => {
  let app: TestApp
  let record: number

  before(async () => {
    app = await openTestApp({ files: FILES_PROJECT })
    record = await storeRecord(app, 'article', { title: 'a', shared: true })
  })
  after(() => app.close())

  /** A type and a name, how the file is sent, and under which names. */
  const rows: readonly (readonly [type: string, name: string, sentAs: string, disposition: string])[] = [
    ['image/png', 'a.png', 'image/png', `inline; filename="a.png"; filename*=UTF-8''a.png`],
    ['image/avif', 'a', 'image/avif', `inline; filename="a"; filename*=UTF-8''a`],
    ['application/pdf', 'a.pdf', 'application/pdf', `inline; filename="a.pdf"; filename*=UTF-8''a.pdf`],
    ['audio/mpeg', 'a.mp3', 'audio/mpeg', `inline; filename="a.mp3"; filename*=UTF-8''a.mp3`],
    ['video/mp4', 'a.mp4', 'video/mp4', `inline; filename="a.mp4"; filename*=UTF-8''a.mp4`],
    ['text/plain', 'a.txt', 'text/plain; charset=utf-8', `inline; filename="a.txt"; filename*=UTF-8''a.txt`],
    ['text/plain', 'a.png', 'text/plain; charset=utf-8', `attachment; filename="a.png"; filename*=UTF-8''a.png`],
    ['text/plain', 'a.html', 'text/plain; charset=utf-8', `attachment; filename="a.html"; filename*=UTF-8''a.html`],
    ['application/zip', 'a.zip', 'application/zip', `attachment; filename="a.zip"; filename*=UTF-8''a.zip`],
    ...[
      'text/html',
      'image/svg+xml',
      'application/xml',
      'text/xml',
      'application/xhtml+xml',
      'text/javascript',
      'application/javascript',
      'text/css',
      'application/atom+xml',
      'x',
      'a/b; c',
    ].map((type) => [type, 'a.png', 'application/octet-stream', `attachment; filename="a.png"; filename*=UTF-8''a.png`] as const),
    [
      'image/png',
      'größe "1" 東京.png',
      'image/png',
      `inline; filename="gr__e _1_ __.png"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%221%22%20%E6%9D%B1%E4%BA%AC.png`,
    ],
    ['image/png', "it's (1)*.png", 'image/png', `inline; filename="it's (1)*.png"; filename*=UTF-8''it%27s%20%281%29%2A.png`],
    [
      'image/png',
      'a\r\nSet-Cookie: b',
      'image/png',
      `inline; filename="a__Set-Cookie: b"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b`,
    ],
    ['image/png', '😀.png', 'image/png', `inline; filename="_.png"; filename*=UTF-8''%F0%9F%98%80.png`],
  ]
  for (const [type, name, sentAs, disposition] of rows) {
    test(`${type} of the name ${JSON.stringify(name)} is ${disposition.split(';')[0]}, as ${sentAs}`, async () => {
      const { url } = await storeFile(app, 'article', record, 'manual', { bytes: 'bytes', type, name })
      const { headers } = await play(app, { request: `GET ${url}` as Scenario['request'], as: 'ann', status: 200 })
      assert.deepEqual([headers['content-type'], headers['content-disposition']], [sentAs, disposition])
      const asked = await play(app, { request: `GET ${url}?download=true` as Scenario['request'], as: 'ann', status: 200 })
      assert.match(String(asked.headers['content-disposition']), /^attachment; /)
    })
  }

  test('has header fields by which no browser runs or embeds it, and is never compressed', async () => {
    const text = 'compressible '.repeat(1000)
    const { url, file } = await storeFile(app, 'article', record, 'manual', { bytes: text, type: 'text/plain', name: 'a.txt' })
    const reply = await play(app, {
      request: `GET ${url}` as Scenario['request'],
      as: 'ann',
      headers: { 'accept-encoding': 'gzip, deflate, br' },
      status: 200,
      expectHeaders: {
        etag: `"${file.sha256}"`,
        'cache-control': 'private, no-cache',
        'accept-ranges': 'bytes',
        'content-security-policy':
          "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
      },
    })
    assert.equal(reply.headers['content-encoding'], undefined)
    assert.equal(reply.text, text)
  })

  test('is answered with 304 to those who have it, after access is judged', async () => {
    const id = await storeRecord(app, 'article', { title: 'hidden', owner_id: 1 })
    const { url, file } = await storeFile(app, 'article', id, 'manual', { bytes: 'x' })
    const request = `GET ${url}` as Scenario['request']
    for (const tag of [`"${file.sha256}"`, `W/"${file.sha256}"`, `"other", "${file.sha256}"`, '*']) {
      const headers = { 'if-none-match': tag }
      const known = await play(app, { request, headers, status: 304 })
      assert.deepEqual([known.headers.etag, known.headers['cache-control']], [`"${file.sha256}"`, 'private, no-cache'])
      await play(app, { request, as: 'ann', headers, status: 404 })
    }
    await play(app, { request, headers: { 'if-none-match': '"other"' }, status: 200 })
  })

  test('another thumbnail has another tag', async () => {
    const { url, file } = await storeFile(app, 'article', record, 'cover', {
      bytes: PIXEL,
      type: 'image/png',
      name: 'dot.png',
      width: 1,
    })
    const tags = await Promise.all(
      ['', '?thumbnail=card', '?thumbnail=preview'].map(async (query) => {
        const { headers } = await play(app, { request: `GET ${url}${query}` as Scenario['request'], as: 'ann', status: 200 })
        if (query !== '') assert.equal(headers['content-disposition'], `inline; filename="dot.webp"; filename*=UTF-8''dot.webp`)
        return String(headers.etag)
      }),
    )
    assert.equal(new Set(tags).size, 3)
    assert.ok(tags.every((tag) => tag.startsWith(`"${file.sha256}`)))
  })

  test('a public one may be kept for five minutes, and embedded by other sites', async () => {
    const poster = await storeRecord(app, 'poster', { title: 'p' })
    const { url } = await storeFile(app, 'poster', poster, 'picture', { bytes: PIXEL, type: 'image/png', width: 1 })
    const expectHeaders = { 'cache-control': 'public, max-age=300', 'cross-origin-resource-policy': 'cross-origin' }
    await play(app, { request: `GET ${url}` as Scenario['request'], as: null, status: 200, expectHeaders })
  })

  test('counts towards rate_limits.download, by user or by address', async () => {
    await using limited = await openTestApp({ files: FILES_PROJECT, settings: { rate_limits: { download: 2, default: 1 } } })
    const poster = await storeRecord(limited, 'poster', { title: 'p' })
    const { url } = await storeFile(limited, 'poster', poster, 'picture', { bytes: PIXEL, type: 'image/png', width: 1 })
    const request = `GET ${url}` as Scenario['request']
    for (const as of [null, 'ann']) {
      await play(limited, { request, as, status: 200, expectHeaders: { ratelimit: /^"download";r=1/ } })
      await play(limited, { request, as, status: 200 })
      await play(limited, { request, as, status: 429, expectPart: { error: 'Rate limit exceeded' } })
    }
  })
})

test('a client that goes closes the file, and one that waits holds it up', async () => {
  await withListening({ files: FILES_PROJECT }, async (app) => {
    const id = await storeRecord(app, 'article', { title: 'a' })
    const { url, file } = await storeFile(app, 'article', id, 'manual', { bytes: Buffer.alloc(64 << 20, 'a') })
    const opened: Readable[] = []
    const { blobs } = app.app
    const open = blobs.open.bind(blobs)
    blobs.open = async (...parameters) => {
      const stream = await open(...parameters)
      if (stream !== undefined) opened.push(stream)
      return stream
    }
    const headers = { authorization: `Bearer ${await app.tokenOf('admin')}` }
    let read = 0
    await new Promise<void>((resolve, reject) => {
      const request = get({ port: app.port, path: url, headers }, (response) => {
        assert.equal(response.headers['content-length'], String(file.size))
        assert.equal(response.headers['x-content-type-options'], 'nosniff')
        assert.equal(response.headers['cross-origin-resource-policy'], 'same-origin')
        opened[0]?.on('data', (bytes: Buffer) => {
          read += bytes.length
        })
        response.once('data', () => {
          response.pause()
          // The system takes some megabytes; then the server waits.
          untilQuiet(() => read).then(() => request.destroy(), reject)
        })
        response.on('close', resolve)
        response.on('error', () => {})
      })
      request.once('error', reject)
    })
    const [stream] = opened
    while (stream?.destroyed === false) await new Promise(setImmediate)
    assert.ok(read > 0 && read < 32 << 20, `${read} bytes were read ahead`)
    assert.deepEqual(app.reported, [])
  })
})

/** Resolves when a number has not changed for a while. */
async function untilQuiet(value: () => number): Promise<void> {
  for (let last = -1; last !== value(); await delay(100)) last = value()
}

test('bytes that are missing are a fault of the server, and not half an answer', async () => {
  await using app = await openTestApp({ files: FILES_PROJECT })
  const id = await storeRecord(app, 'article', { title: 'a' })
  const { url, file } = await storeFile(app, 'article', id, 'manual', { bytes: 'x' })
  await app.app.blobs.remove(file.sha256)
  await play(app, { request: `GET ${url}` as Scenario['request'], status: 500 })
  assert.match(String(app.reported[0]), /are missing where the server keeps them; restore them from a backup/)
})

describe('the address of a file in answers', () => {
  /** The addresses in a body, at any depth. */
  const urlsIn = (body: unknown): string[] =>
    typeof body === 'object' && body !== null
      ? Object.entries(body).flatMap(([name, value]) => (name === 'url' ? [String(value)] : urlsIn(value)))
      : []

  test('is in reads, lists, searches, writes, nested records, reverse relations and the history, and never stored', async () => {
    await using app = await openTestApp({ files: FILES_PROJECT, settings: { history: { days: 1 }, base_path: '/shop' } })
    const id = await storeRecord(app, 'article', { title: 'manual of a thing', shared: true })
    const { url, file } = await storeFile(app, 'article', id, 'manual', { bytes: 'x' })
    assert.equal(url, `/shop/api/v1/files/article/${id}/manual/${file.id}`)
    const poster = await storeRecord(app, 'poster', { title: 'p', article_id: id })
    const picture = await storeFile(app, 'poster', poster, 'picture', { bytes: PIXEL, type: 'image/png', width: 1 })
    const models = '/shop/api/v1/models'
    const rows: readonly Scenario[] = [
      scenario('a read', `GET ${models}/article/${id}`, 200),
      scenario('a list', `GET ${models}/article`, 200),
      scenario('some fields', `GET ${models}/article?fields=manual`, 200),
      scenario('a search', `GET ${models}/article/search?q=thing`, 200),
      scenario('a change', `PUT ${models}/article/${id}`, 200, { body: { data: { title: 'manual of another thing' } } }),
      scenario('a dry run', `PUT ${models}/article/${id}?dry_run=true`, 200, { body: { data: { title: 'x' } } }),
      scenario('a bulk change', `PUT ${models}/article/bulk`, 200, { body: { updates: [{ id, data: { title: 'a thing' } }] } }),
    ]
    for (const each of rows) {
      const { json } = await play(app, each)
      assert.deepEqual(urlsIn(json), [url], `${each.name}: ${JSON.stringify(json)}`)
    }
    const nested = await play(app, { request: `GET ${models}/poster/${poster}`, status: 200 })
    assert.deepEqual(urlsIn(nested.json).sort(), [url, picture.url].sort())
    const reverse = await play(app, { request: `GET ${models}/article/${id}?fields=title&include=posters`, status: 200 })
    assert.deepEqual(urlsIn(reverse.json), [picture.url])
    await play(app, {
      request: `PUT ${models}/article/${id}`,
      rawBody: JSON.stringify({ data: { manual: null } }),
      headers: { 'content-type': 'application/json' },
      status: 200,
    })
    const history = await play(app, { request: `GET ${models}/article/${id}/history`, status: 200 })
    assert.deepEqual(urlsIn(history.json), [url])
    const [record] = await app.app.store.get('poster', [poster])
    assert.deepEqual(urlsIn(record), [])
    assert.equal(filesIn(record?.picture)[0]?.sha256, sha256Of(PIXEL))
    const exported = await play(app, { request: `GET ${models}/poster/export?format=ndjson`, status: 200 })
    assert.doesNotMatch(exported.text, /"url"/)
  })
})
