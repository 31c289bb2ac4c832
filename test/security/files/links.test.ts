import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, TEST_START, type TestApp } from '../../helpers/api/app.ts'
import { play, type Reply, type Scenario } from '../../helpers/api/scenario.ts'
import { FILES_PROJECT, PIXEL, storeFile, storeRecord } from '../../helpers/api/stored-files.ts'
import { sendAs } from '../cookies.ts'

const LINKS = 'POST /api/v1/files/links'

interface Desk {
  readonly app: TestApp
  /** A file of a record of Ann, which only she may read, and its picture. */
  readonly url: string
  readonly cover: string
  sign(body: object, as?: string): Promise<string[]>
  /** Opens a link without a token. */
  open(link: string): Promise<Reply>
}

const deskTest = (name: string, body: (desk: Desk) => Promise<void>): void =>
  void test(name, async () => {
    await using app = await openTestApp({ files: FILES_PROJECT })
    const record = await storeRecord(app, 'article', { title: 'of Ann', owner_id: 2 })
    const { url } = await storeFile(app, 'article', record, 'manual', { bytes: 'of Ann', name: 'a.pdf', type: 'application/pdf' })
    const { url: cover } = await storeFile(app, 'article', record, 'cover', { bytes: PIXEL, type: 'image/png', width: 1 })
    await body({
      app,
      url,
      cover,
      sign: async (asked, as = 'ann') => (await play(app, { request: LINKS, as, body: asked, status: 200 })).json.data,
      open: (link) => sendAs(app, `GET ${link}`, {}),
    })
  })

describe('a signed link', () => {
  deskTest('reads a file without a token, and may be embedded by other sites', async ({ url, cover, sign, open }) => {
    const links = await sign({ files: [cover, url, `${cover}?thumbnail=card`, `${url}?download=true`] })
    const replies = await Promise.all(links.map(open))
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers['content-type']]),
      [
        [200, 'image/png'],
        [200, 'application/pdf'],
        [200, 'image/webp'],
        [200, 'application/pdf'],
      ],
    )
    assert.ok(links.every((link, index) => link.startsWith([cover, url, cover, url][index] ?? '-')))
    for (const { headers } of replies) {
      assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
      assert.equal(headers['cache-control'], 'private, no-cache')
    }
    assert.match(String(replies[1]?.headers['content-disposition']), /^inline/)
    assert.match(String(replies[3]?.headers['content-disposition']), /^attachment/)
  })

  deskTest('is the same for a quarter of an hour, and ends then', async ({ app, url, sign, open }) => {
    const [link = ''] = await sign({ files: [url], expires_in: 3601 })
    const end = Number(new URL(link, 'http://a').searchParams.get('expires'))
    assert.equal(end, TEST_START / 1000 + 4500)
    app.advance(899_000)
    assert.deepEqual(await sign({ files: [url], expires_in: 3601 }), [link])
    app.advance(1000)
    assert.notDeepEqual(await sign({ files: [url], expires_in: 3601 }), [link])
    app.advance(4500_000 - 900_000 - 1)
    assert.equal((await open(link)).status, 200)
    app.advance(1)
    assert.equal((await open(link)).status, 403)
  })

  deskTest('is refused if any byte of it is another', async ({ url, cover, sign, open }) => {
    const [link = ''] = await sign({ files: [`${cover}?thumbnail=card`] })
    const start = link.indexOf('?') + 1
    for (let at = start; at < link.length; at++) {
      const byte = link[at] ?? ''
      // A changed name of a parameter is an unknown parameter.
      const changed = `${link.slice(0, at)}${byte === 'A' ? 'B' : 'A'}${link.slice(at + 1)}`
      const { status } = await open(changed)
      assert.ok([400, 403].includes(status), `${changed} was answered with ${status}`)
    }
    const query = link.slice(start)
    const parts = query.split('&')
    const others = [
      `${url}?${query}`,
      `${cover}?${parts.slice(1).join('&')}`,
      link.replace('thumbnail=card', 'thumbnail=preview'),
      ...parts.slice(1).map((part) => `${cover}?${parts.filter((each) => each !== part).join('&')}`),
      ...parts
        .slice(1)
        .map((part) => `${cover}?${parts.map((each) => (each === part ? part.replace(/=.*/, '=') : each)).join('&')}`),
      link.replace(/signer=\d+/, 'signer=1'),
      link.replace(/expires=\d+/, 'expires=99999999999'),
      `${link}=`,
    ]
    for (const other of others) assert.equal((await open(other)).status, 403, other)
    assert.equal((await open(`${link}&signer=2`)).status, 400, 'a parameter twice')
    assert.equal((await open(link)).status, 200)
  })

  deskTest('is for GET and HEAD of its file, and for nothing else', async ({ app, url, sign }) => {
    const [link = ''] = await sign({ files: [url] })
    const query = link.slice(link.indexOf('?'))
    assert.equal((await sendAs(app, `HEAD ${link}`, {})).status, 200)
    for (const each of [`DELETE ${link}`, `POST ${link}`]) assert.ok((await sendAs(app, each, {})).status >= 400, each)
    assert.notEqual((await sendAs(app, `GET /api/v1/models/invoice${query}`, {})).status, 200)
  })

  const put = (app: TestApp, path: string, data: object) =>
    play(app, { request: `PUT /api/v1/models/${path}` as Scenario['request'], body: { data }, status: 200 })

  const endings: readonly (readonly [name: string, end: (desk: Desk) => Promise<unknown>, status: number])[] = [
    ['the signer is disabled', ({ app }) => put(app, 'user/2', { is_active: false }), 403],
    ['the record is hidden from the signer', ({ app }) => put(app, 'article/1', { owner_id: 3 }), 404],
  ]
  for (const [name, end, status] of endings) {
    deskTest(`is judged when it is used: ${name}`, async (desk) => {
      const [link = ''] = await desk.sign({ files: [desk.url] })
      assert.equal((await desk.open(link)).status, 200)
      await end(desk)
      assert.equal((await desk.open(link)).status, status)
    })
  }

  deskTest('of a user who may not read the file leads nowhere', async ({ url, sign, open }) => {
    const [link = ''] = await sign({ files: [url] }, 'bob')
    assert.equal((await open(link)).status, 404)
    const [ofAdmin = ''] = await sign({ files: [url] }, 'admin')
    assert.equal((await open(ofAdmin)).status, 200)
  })

  deskTest('is judged by itself, whatever token is sent with it', async ({ app, url, sign }) => {
    const [link = ''] = await sign({ files: [url] }, 'bob')
    await play(app, { request: `GET ${link}` as Scenario['request'], as: 'admin', status: 404 })
  })

  test('of another secret is refused', async () => {
    const links: string[] = []
    for (const secret_key of ['a first secret of more than 32 bytes, made up', 'another secret of more than 32 bytes, made up']) {
      await using app = await openTestApp({ files: FILES_PROJECT, settings: { secret_key } })
      const id = await storeRecord(app, 'article', { owner_id: 2 })
      const { url } = await storeFile(app, 'article', id, 'manual', { bytes: 'x' })
      for (const link of links) assert.equal((await sendAs(app, `GET ${link}`, {})).status, 403)
      const signed = await play(app, { request: LINKS, as: 'ann', body: { files: [url] }, status: 200 })
      links.push(...signed.json.data)
      assert.equal((await sendAs(app, `GET ${links.at(-1)}`, {})).status, 200)
    }
  })
})

describe('a request for links', () => {
  const FILE = '/api/v1/files/article/1/manual/k3J9x0aQ2m-1'
  const NO_ADDRESS = (index: number) => `files[${index}] is not the address of a file, as records have it in 'url'`
  const rows: readonly (readonly [name: string, body: unknown, messages: Readonly<Record<string, readonly string[]>>])[] = [
    ['without files', {}, { files: ['files must be an array of 1 to 100 addresses of files'] }],
    ['of no file', { files: [] }, { files: ['files must be an array of 1 to 100 addresses of files'] }],
    ['of 101 files', { files: Array(101).fill(FILE) }, { files: ['files must be an array of 1 to 100 addresses of files'] }],
    ['of a number', { files: [1] }, { files: ['files must be an array of 1 to 100 addresses of files'] }],
    ['that is an array', [FILE], { files: ['files must be an array of 1 to 100 addresses of files'] }],
    ...[
      '/api/v1/models/article/1',
      `http://evil.example${FILE}`,
      `/${FILE}`,
      `${FILE}/x`,
      `${FILE}/../x`,
      '/api/v1/files/article/1/manual/',
      '/api/v1/files/article/0/manual/x',
      `${FILE}?thumbnail=a&thumbnail=b`,
      `${FILE}?expires=1`,
      `${FILE}?download=yes`,
      `${FILE}?a?b`,
      `${FILE}#a`,
    ].map((file) => [`of ${file}`, { files: [FILE, file] }, { files: [NO_ADDRESS(1)] }] as const),
    ...[0, 604_801, 1.5, '3600', null].map(
      (expires_in) =>
        [
          `for ${expires_in} seconds`,
          { files: [FILE], expires_in },
          { expires_in: ['expires_in must be a number of seconds from 1 to 604800, which is 7 days'] },
        ] as const,
    ),
    [
      'with another member',
      { files: [FILE], expire_in: 1 },
      { expire_in: ["Unknown member 'expire_in'; did you mean 'expires_in'?"] },
    ],
  ]
  for (const [name, body, messages] of rows) {
    deskTest(`${name} is refused`, async ({ app }) => {
      await play(app, { request: LINKS, as: 'ann', body, status: 400, expect: { detail: { error: messages } } })
    })
  }

  deskTest('needs a token', async ({ app, url }) => {
    await play(app, { request: LINKS, as: null, body: { files: [url] }, status: 401 })
  })

  deskTest('of 100 files for seven days is answered in their order', async ({ url, cover, sign }) => {
    const files = Array.from({ length: 100 }, (_, index) => (index % 3 === 0 ? cover : url))
    const links = await sign({ files, expires_in: 604_800 })
    assert.deepEqual(
      links.map((link) => link.split('?')[0]),
      files,
    )
  })
})
