import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { SHELL } from '../../../src/auth/permissions.ts'
import { AppError } from '../../../src/errors.ts'
import { connectTo } from '../../../src/http/in-process.ts'
import { FILE_TABLE, rowOfFileId } from '../../../src/model/files.ts'
import { NEEDS_DATA_FOLDER, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { assertContract } from '../../helpers/api/contract.ts'
import { listen, listeningTest, open, speak } from '../../helpers/api/raw.ts'
import { play, send as sendJson } from '../../helpers/api/scenario.ts'
import { diskError, FaultyDisk, type Step } from '../../helpers/store/faulty-disk.ts'
import { encoded } from '../../images/pictures.ts'

const FILES = {
  'models/article.yaml': `
name: Article
access: { view: authenticated, add: { group: writers } }
fields:
  - { name: title, type: string }
  - { name: cover, type: image, max_size: 4 KiB, min_width: 50, accept: [image/png] }
  - { name: scans, type: file, multiple: true, accept: [application/pdf, text/plain], max_size: 1 KiB }
`,
  'seed/group.yaml': '- { id: 1, name: writers }\n',
  'seed/user.yaml': `
- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }
- { username: ann, email: ann@example.org, password: a-long-password, groups: [{ name: writers }] }
- { username: bob, email: bob@example.org, password: a-long-password }
`,
}

const PDF = Buffer.from('%PDF-1.4\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n', 'latin1')

const PNG = await encoded('png')

/** A request with a body of bytes. */
interface Sent {
  readonly path: string
  readonly body: Buffer
  readonly type?: string
  readonly as?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

async function send(test: TestApp, { path, body, type = 'application/octet-stream', as = 'admin', headers = {} }: Sent) {
  const token = as === null ? {} : { authorization: `Bearer ${await test.tokenOf(as)}` }
  const url = `/api/v1/files/${path}`
  const reply = await test.server.inject({
    ...{ method: 'POST', url, payload: body },
    headers: { 'content-type': type, ...token, ...headers },
  })
  const { statusCode: status, payload: text } = reply
  assertContract(test, { method: 'POST', url, status, headers: reply.headers, text })
  return { status, json: JSON.parse(text) }
}

/** A form of files. */
function form(...parts: readonly (readonly [disposition: string, content: Buffer | string])[]): Pick<Sent, 'body' | 'type'> {
  const pieces = parts.flatMap(([disposition, content]) => [
    `--cut\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`,
    content,
    '\r\n',
  ])
  return {
    type: 'multipart/form-data; boundary=cut',
    body: Buffer.concat([...pieces, '--cut--\r\n'].map((each) => Buffer.from(each))),
  }
}

/** The numbers of kept and of received files, of rows of the registry, and of previews. */
async function remains({ app, folder }: TestApp) {
  const kept = []
  for await (const { sha256 } of app.blobs.list()) kept.push(sha256)
  const received = await readdir(app.blobs.incoming).catch(() => [])
  const { total } = await app.store.find(FILE_TABLE, { filters: [], sort: [], offset: 0, limit: 0 })
  const entries = await readdir(join(folder.path, 'data', 'cache'), { recursive: true, withFileTypes: true }).catch(() => [])
  const previews = entries.filter((entry) => entry.isFile()).length
  return { kept: kept.length, received: received.length, rows: total, previews }
}

const NOTHING = { kept: 0, received: 0, rows: 0, previews: 0 }

test('the body is the file', async () => {
  await using app = await openTestApp({ files: FILES })
  const { status, json } = await send(app, { path: 'article/scans?name=..%2Fletter%0A.pdf', body: PDF })
  assert.equal(status, 201)
  const [upload] = json.data
  assert.deepEqual(json, {
    total: 1,
    data: [
      {
        ...{ id: upload.id, name: 'letter.pdf', type: 'application/pdf', size: PDF.length },
        ...{ sha256: createHash('sha256').update(PDF).digest('hex'), width: null, height: null },
        expires_at: '2026-01-16T12:00:00.000Z',
      },
    ],
  })
  assert.match(upload.id, /^[A-Za-z0-9_-]{22}-1$/)
  assert.deepEqual(await remains(app), { kept: 1, received: 0, rows: 1, previews: 0 })
  const [row] = await app.app.store.get(FILE_TABLE, [rowOfFileId(upload.id)?.row ?? 0])
  assert.deepEqual([row?.model, row?.field, row?.record_id, row?.user_id], ['article', 'scans', null, 1])
})

test('a form has several files, in their order', async () => {
  await using app = await openTestApp({ files: FILES })
  const body = form(['name="file"; filename="b.pdf"', PDF], ['name="file"; filename="日本.txt"', 'Hello\n'])
  const { status, json } = await send(app, { path: 'article/scans', ...body, as: 'ann' })
  assert.equal(status, 201)
  assert.deepEqual(
    json.data.map(({ name, type }: { name: string; type: string }) => [name, type]),
    [
      ['b.pdf', 'application/pdf'],
      ['日本.txt', 'text/plain'],
    ],
  )
  assert.deepEqual(await remains(app), { kept: 2, received: 0, rows: 2, previews: 0 })
})

test('a field of a type that its bytes do not tell takes any text, which a record may have', async () => {
  const model = 'name: Table\nfields:\n  - { name: rows, type: file, accept: [text/csv] }\n'
  await using app = await openTestApp({ files: { ...FILES, 'models/table.yaml': model } })
  const { status, json } = await send(app, { path: 'table/rows?name=a.csv', body: Buffer.from('a,b\n1,2\n') })
  assert.deepEqual([status, json.data?.[0].type], [201, 'text/plain'])
  const body = { data: { rows: json.data[0].id } }
  const created = await sendJson(app, { request: 'POST /api/v1/models/table', as: 'admin', body })
  assert.equal(created.status, 201, created.text)
})

test('an image has its size', async () => {
  await using app = await openTestApp({ files: FILES })
  const png = await encoded('png')
  const { status, json } = await send(app, { path: 'article/cover?name=a.txt', body: png, type: 'text/html' })
  assert.equal(status, 201)
  assert.deepEqual([json.data[0].type, json.data[0].width, json.data[0].height], ['image/png', 60, 40])
})

/** Refused uploads, which leave nothing. */
const REFUSED: Readonly<Record<string, Omit<Sent, 'body'> & { body?: Buffer; status: number; answer: unknown }>> = {
  'without a token': { path: 'article/scans', as: null, status: 401, answer: 'Authentication required' },
  'without the permission to add or change': {
    path: 'article/scans',
    as: 'bob',
    status: 403,
    answer: 'Insufficient permissions',
  },
  'an unknown model': { path: 'poster/scans', status: 404, answer: 'Model not found' },
  'an unknown field': { path: 'article/scan', status: 400, answer: "Field 'scan' does not exist; did you mean 'scans'?" },
  'a field of another type': {
    path: 'article/title',
    status: 400,
    answer: "'title' takes no files; fields that do: cover, scans",
  },
  'an encoded body': {
    path: 'article/scans',
    headers: { 'content-encoding': 'gzip' },
    status: 415,
    answer: "A body cannot be encoded as 'gzip'; use identity",
  },
  'a file that is too large': {
    path: 'article/scans',
    body: Buffer.alloc(1025, 'a'),
    status: 413,
    answer: { scans: ['scans must not be larger than 1 KiB'] },
  },
  'a type that the field does not take': {
    path: 'article/scans',
    body: Buffer.from('<html>'),
    status: 400,
    answer: { scans: ['scans must be of type application/pdf or text/plain, not text/html'] },
  },
  'text as an image': {
    path: 'article/cover',
    body: Buffer.from('PNG'),
    status: 400,
    answer: { cover: ['cover must be a PNG image, not text'] },
  },
  'an unknown parameter': { path: 'article/scans?nam=a', status: 400, answer: "'nam'" },
  'a form without files': {
    path: 'article/scans',
    ...form(['name="title"', 'a']),
    status: 400,
    answer: "The form must have parts 'file' with the files in them, and no others",
  },
  'a form of one file': {
    path: 'article/cover',
    ...form(['name="file"; filename="a.pdf"', PDF]),
    status: 400,
    answer: { cover: ['cover must be a PNG image, not PDF'] },
  },
  'a form with faults in several files': {
    path: 'article/scans',
    ...form(
      ['name="file"; filename="a"', '<html>'],
      ['name="file"; filename="b.pdf"', PDF],
      ['name="file"; filename="c"', '<html>'],
    ),
    status: 400,
    answer: {
      '0.scans': ['scans must be of type application/pdf or text/plain, not text/html'],
      '2.scans': ['scans must be of type application/pdf or text/plain, not text/html'],
    },
  },
  'a form whose second file is too large': {
    path: 'article/scans',
    ...form(['name="file"; filename="a.pdf"', PDF], ['name="file"; filename="b.txt"', 'a'.repeat(2000)]),
    status: 413,
    answer: { '1.scans': ['scans must not be larger than 1 KiB'] },
  },
  'a form of an image and a file that is none': {
    path: 'article/cover',
    ...form(['name="file"; filename="a.png"', PNG], ['name="file"; filename="b.pdf"', PDF]),
    status: 400,
    answer: { '1.cover': ['cover must be a PNG image, not PDF'] },
  },
  'a form that ends early': {
    path: 'article/scans',
    type: 'multipart/form-data; boundary=cut',
    body: form(['name="file"; filename="a.pdf"', PDF]).body.subarray(0, -20),
    status: 400,
    answer: 'The request body is not multipart/form-data, as its Content-Type says',
  },
  'a form of 21 files': {
    path: 'article/scans',
    ...form(...Array.from({ length: 21 }, (_, index) => [`name="file"; filename="${index}.txt"`, 'a'] as const)),
    status: 400,
    answer: 'The form has more than 20 parts',
  },
}

for (const [what, { status, answer, body = PDF, ...sent }] of Object.entries(REFUSED)) {
  test(`refused: ${what}`, async () => {
    await using app = await openTestApp({ files: FILES })
    const reply = await send(app, { ...sent, body })
    assert.equal(reply.status, status, JSON.stringify(reply.json))
    const told = reply.json.detail?.error ?? (reply.json.error === answer ? answer : reply.json.details)
    if (answer === "'nam'") assert.match(JSON.stringify(told), /nam/)
    else assert.deepEqual(told, answer)
    assert.deepEqual(await remains(app), NOTHING)
  })
}

test('uploads that no record has are limited by user, until they expire', async () => {
  await using app = await openTestApp({ files: FILES, settings: { files: { pending_bytes: 1000 } } })
  const large = Buffer.alloc(700, 'a')
  assert.equal((await send(app, { path: 'article/scans', body: large })).status, 201)
  const refused = await send(app, { path: 'article/scans', body: large })
  assert.deepEqual([refused.status, refused.json.error], [409, 'Too many uploads wait for their records'])
  assert.equal((await send(app, { path: 'article/scans', body: large, as: 'ann' })).status, 201)
  app.advance(24 * 3_600_000)
  assert.equal((await send(app, { path: 'article/scans', body: large })).status, 201)
})

listeningTest(
  'uploads in flight and bodies of unknown length count, too',
  { files: FILES, settings: { files: { pending_bytes: 1000 } } },
  async (app) => {
    const head = (more: string) =>
      `POST /api/v1/files/article/scans HTTP/1.1\r\nHost: x\r\n${app.authorization}Content-Type: text/plain\r\n${more}\r\n`
    const expecting = head('Content-Length: 700\r\nExpect: 100-continue\r\nConnection: close\r\n')
    const first = await open(app.port)
    first.write(expecting)
    assert.match(String((await once(first, 'data'))[0]), /^HTTP\/1\.1 100 /)
    const second = await speak(app.port, expecting)
    assert.deepEqual([second.status, second.json.error], [409, 'Too many uploads wait for their records'])
    const chunked = head('Transfer-Encoding: chunked\r\nConnection: close\r\n')
    const third = await speak(app.port, `${chunked}2bc\r\n${'b'.repeat(700)}\r\n0\r\n\r\n`)
    assert.deepEqual([third.status, third.json.error], [409, 'Too many uploads wait for their records'])
    const heard = listen(first)
    first.write('a'.repeat(700))
    assert.equal((await heard).status, 201)
    assert.deepEqual(await remains(app), { kept: 1, received: 0, rows: 1, previews: 0 })
  },
)

test('uploads of the shell have no quota', async () => {
  await using app = await openTestApp({ files: FILES, settings: { files: { pending_bytes: 1000 } } })
  const call = connectTo(app.app)({ actor: SHELL, via: 'cli', requestId: undefined, chain: [] })
  const body = 'a'.repeat(700)
  for (let count = 0; count < 3; count++) {
    const reply = await call('/api/v1/files/article/scans', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body })
    assert.equal(reply.status, 201, await reply.text())
  }
})

test('an image that is discarded leaves the preview to an upload of the same bytes', async () => {
  await using app = await openTestApp({ files: FILES })
  const { uploads } = app.app
  await send(app, { path: 'article/cover', body: PNG })
  const target = uploads.admit(SHELL, 'article', 'cover')
  await uploads.discard([await uploads.receive(target, Readable.from([PNG]), 'a.png')])
  assert.deepEqual(await remains(app), { kept: 1, received: 0, rows: 1, previews: 1 })
})

test('the disk keeps some free space', async () => {
  await using app = await openTestApp({ files: FILES, settings: { files: { min_free: '1000000 GiB' } } })
  const refused = await send(app, { path: 'article/scans', body: PDF })
  assert.deepEqual([refused.status, refused.json.error], [507, 'Storage is full'])
  assert.deepEqual(await remains(app), NOTHING)
})

for (const [moment, isAt] of [
  ['the body', ({ kind, name }) => kind === 'write' && !name.startsWith('journal')],
  ['the rename', ({ kind }) => kind === 'rename'],
  ['the row', ({ kind, name }) => kind === 'write' && name.startsWith('journal')],
] as const satisfies readonly (readonly [string, (step: Step) => boolean])[]) {
  test(`a disk that is full at ${moment} is 507, and loses nothing`, { skip: NEEDS_DATA_FOLDER }, async () => {
    const disk = new FaultyDisk()
    await using app = await openTestApp({ files: FILES, disk })
    const stored = await send(app, { path: 'article/scans', body: PDF })
    assert.equal(stored.status, 201)
    let failures = 0
    disk.before = (step) => {
      if (!isAt(step)) return
      failures++
      throw diskError('ENOSPC')
    }
    const body = Buffer.from('another\n')
    const refused = await send(app, { path: 'article/scans', body })
    disk.mend()
    assert.deepEqual([refused.status, refused.json.error, failures], [507, 'Storage is full', 1])
    const { rows, received } = await remains(app)
    assert.deepEqual([rows, received], [1, 0])
    assert.equal((await send(app, { path: 'article/scans', body })).status, 201)
    const [{ id, sha256 }] = stored.json.data
    await play(app, { request: 'POST /api/v1/models/article', body: { data: { scans: [id] } }, status: 201 })
    assert.equal(await app.app.blobs.size(sha256), PDF.length)
  })
}

test('a disk that is full while a file is inspected is 507, and leaves nothing', async (t) => {
  await using app = await openTestApp({ files: FILES })
  t.mock.method(app.app.images, 'inspect', () => Promise.reject(diskError('ENOSPC')))
  const { status, json } = await send(app, { path: 'article/cover', body: await encoded('png') })
  assert.deepEqual([status, json.error], [507, 'Storage is full'])
  assert.deepEqual(await remains(app), NOTHING)
})

test('an image without sharp is 503 with the remedy; a short warning in the log says why', async (t) => {
  await using app = await openTestApp({ files: FILES })
  const words = 'Images need the package sharp: run `npm install sharp`'
  const missing = new AppError('IMAGES_UNAVAILABLE', words, { cause: new Error('Cannot find it') })
  t.mock.method(app.app.images, 'inspect', () => Promise.reject(missing))
  const { status, json } = await send(app, { path: 'article/cover', body: PNG })
  assert.deepEqual([status, json.error, json.details], [503, 'Images are unavailable', words])
  assert.deepEqual(await remains(app), NOTHING)
  const { time, ...logged } = app.logged
    .map((line) => JSON.parse(line))
    .find(({ level }) => level !== 'debug' && level !== 'info')
  const route = { method: 'POST', route: '/api/v1/files/{model}/{field}' }
  assert.deepEqual(logged, { level: 'warn', request_id: json.request_id, ...route, reason: 'Cannot find it', msg: words })
  assert.deepEqual(app.reported, [])
})

test('an upload is read and deleted by its user, until it expires', async () => {
  await using app = await openTestApp({ files: FILES })
  const { json } = await send(app, { path: 'article/scans', body: PDF, as: 'ann' })
  const url = `/api/v1/files/uploads/${json.data[0].id}`
  const ask = async (method: string, as: string) => {
    const headers = { authorization: `Bearer ${await app.tokenOf(as)}` }
    const reply = await app.server.inject({ method, url, headers })
    assertContract(app, { method, url, status: reply.statusCode, headers: reply.headers, text: reply.payload })
    return { status: reply.statusCode, json: JSON.parse(reply.payload) }
  }
  assert.deepEqual(await ask('GET', 'ann'), { status: 200, json: { data: json.data[0] } })
  assert.equal((await ask('GET', 'admin')).status, 404)
  assert.equal((await ask('DELETE', 'admin')).status, 404)
  assert.deepEqual(await ask('DELETE', 'ann'), { status: 200, json: { data: json.data[0] } })
  assert.equal((await ask('GET', 'ann')).status, 404)
  const again = await send(app, { path: 'article/scans', body: PDF, as: 'ann' })
  app.advance(24 * 3_600_000)
  const expired = await app.server.inject({
    url: `/api/v1/files/uploads/${again.json.data[0].id}`,
    headers: { authorization: `Bearer ${await app.tokenOf('ann')}` },
  })
  assert.equal(expired.statusCode, 404)
})
