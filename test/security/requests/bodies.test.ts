import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import { type ListeningApp, listen, listeningTest, open, speak } from '../../helpers/api/raw.ts'
import { play, send } from '../../helpers/api/scenario.ts'

const LIMIT = 65_536
const LIMITED = { settings: { max_upload_bytes: LIMIT } }
const TAG = JSON.stringify({ data: { name: 'Knots', slug: 'knots' } })

const head = (more: string, path = '/api/v1/models/tag') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n${more}\r\n`
const chunk = (size: number) => `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`
const encoded = (encoding: string, body: Buffer) => [`Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n`, body]

/** The server is none the worse for it. */
async function goesOn(app: ListeningApp): Promise<void> {
  await play(app, { request: 'GET /api/v1/models/tag', status: 200, expectPart: { total: 12 } })
  assert.deepEqual(app.reported, [])
}

describe('a body that is too large', () => {
  const refused = (name: string, more: string, ...body: readonly (string | Buffer)[]) =>
    listeningTest(`${name}: 413`, LIMITED, async (app) => {
      const reply = await speak(app.port, head(app.authorization + more), ...body)
      assert.equal(reply.status, 413, reply.text)
      assert.equal(reply.json?.error, 'Payload too large')
      await goesOn(app)
    })

  refused('by its Content-Length', 'Content-Length: 100000\r\n', 'a'.repeat(100_000))
  refused('in chunks', 'Transfer-Encoding: chunked\r\n', ...Array.from({ length: 20 }, () => chunk(10_000)), '0\r\n\r\n')
  refused('and never ends', 'Transfer-Encoding: chunked\r\n', ...Array.from({ length: 20 }, () => chunk(10_000)))
  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['GZIP', gzipSync],
  ] as const) {
    const [more, body] = encoded(encoding, pack(Buffer.alloc(40_000_000, ' '))) as [string, Buffer]
    assert.ok(body.length < LIMIT, 'the bomb is small while it is packed')
    refused(`once its ${encoding} is undone`, more, body)
  }
  const [more, body] = encoded('gzip', gzipSync(Buffer.alloc(1_000_000, ' '))) as [string, Buffer]
  refused(
    'once its gzip is undone, in chunks',
    more.replace(/Content-Length.*/s, 'Transfer-Encoding: chunked\r\n'),
    `${body.length.toString(16)}\r\n`,
    body,
    '\r\n0\r\n\r\n',
  )

  listeningTest('costs no more memory than the limit allows, many times over', LIMITED, async (app) => {
    const [more, body] = encoded('gzip', gzipSync(Buffer.alloc(60_000_000, ' '))) as [string, Buffer]
    const before = process.memoryUsage().rss
    const replies = await Promise.all(Array.from({ length: 20 }, () => speak(app.port, head(app.authorization + more), body)))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [413])
    const grown = process.memoryUsage().rss - before
    assert.ok(grown < 200_000_000, `20 bombs of 60 MB took ${grown} bytes`)
    await goesOn(app)
  })

  listeningTest('is not read without a token', LIMITED, async (app) => {
    for (const more of ['Content-Length: 100000000\r\n', 'Transfer-Encoding: chunked\r\n']) {
      const reply = await speak(app.port, head(more), 'a')
      assert.equal(reply.status, 401, reply.text)
      assert.equal(reply.headers['www-authenticate'], 'Bearer')
      assert.equal(reply.headers.connection, 'close')
    }
  })

  listeningTest('is not requested by 100 Continue without a token', LIMITED, async (app) => {
    const reply = await speak(app.port, head('Content-Length: 100\r\nExpect: 100-continue\r\n'))
    assert.equal(reply.status, 401, reply.text)
  })

  listeningTest('is limited to 64 KiB on routes without a token', {}, async (app) => {
    const body = JSON.stringify({ username: 'admin', password: 'a'.repeat(70_000) })
    const reply = await speak(app.port, head(`Content-Length: ${body.length}\r\n`, '/api/v1/auth/token'), body)
    assert.equal(reply.status, 413, reply.text)
  })
})

describe('a body on a model of which others may create records', () => {
  const NOTICES = {
    files: {
      'models/notice.yaml': 'name: Notice\nfields:\n  - { name: text, type: text }\naccess: { view: public }\n',
      'models/entry.yaml': 'name: Entry\nfields:\n  - { name: text, type: text }\naccess: { add: public }\n',
      'seed/user.yaml':
        '- { username: admin, email: admin@example.org, password: harbour-admin-2024, is_superuser: true }\n' +
        '- { username: ann, email: ann@example.org, password: harbour-ann-2024 }\n',
    },
  }
  const begun = 'Content-Length: 1000000\r\n'

  for (const [method, path] of [
    ['POST', '/api/v1/models/notice'],
    ['PUT', '/api/v1/models/notice/1'],
    ['DELETE', '/api/v1/models/notice/1'],
    ['POST', '/api/v1/models/notice/bulk'],
    ['PATCH', '/api/v1/models/notice/bulk'],
    ['DELETE', '/api/v1/models/notice/bulk'],
    ['POST', '/api/v1/models/nothing'],
  ] as const) {
    listeningTest(`is not read without a token: ${method} ${path}`, NOTICES, async ({ port }) => {
      const reply = await speak(port, head(begun, path).replace('POST', method), '{')
      assert.equal(reply.status, 401, reply.text)
    })
  }

  for (const [request, status] of [
    ['POST /api/v1/models/notice', 403],
    ['PUT /api/v1/models/notice/1', 403],
    ['PUT /api/v1/models/nothing/1', 400],
    ['DELETE /api/v1/models/notice/bulk', 403],
    ['POST /api/v1/models/notice/import', 403],
    ['POST /api/v1/webhooks', 403],
    ['POST /api/v1/mock', 403],
    ['POST /api/v1/reset', 403],
    ['POST /api/v1/snapshots', 403],
  ] as const) {
    listeningTest(`is not read from a user without the permission: ${request}`, NOTICES, async (app) => {
      const [method = '', path = ''] = request.split(' ')
      const type = path.endsWith('import') ? 'text/csv' : 'application/json'
      const authorization = `Authorization: Bearer ${await app.tokenOf('ann')}\r\n`
      const sent = head(authorization + begun, path)
        .replace('POST', method)
        .replace('application/json', type)
      const reply = await speak(app.port, sent, '{')
      assert.equal(reply.status, status, reply.text)
    })
  }

  listeningTest('is read without a token up to 64 KiB', NOTICES, async ({ port }) => {
    const text = JSON.stringify({ data: { text: 'open' } })
    const sent = (length: number) =>
      speak(port, head(`Content-Length: ${length}\r\n`, '/api/v1/models/entry'), text.padEnd(length))
    assert.equal((await sent(65_536)).status, 201)
    assert.equal((await sent(65_537)).status, 413)
  })
})

describe('a body of many values', () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join()
  const refused = (name: string, body: string, details: string) =>
    listeningTest(name, {}, async (app) => {
      const reply = await speak(app.port, head(`${app.authorization}Content-Length: ${body.length}\r\n`), body)
      assert.equal(reply.status, 400, reply.text)
      assert.equal(reply.json.details, details)
      await goesOn(app)
    })

  refused('is refused for its members', `{"data":{${members(100_001)}}}`, 'The request body has more than 100000 members')
  refused(
    'is refused for its lists',
    `{"data":{"name":[${'[],'.repeat(200_000)}1]}}`,
    'The request body has more than 300000 values',
  )
  refused('is refused before it is parsed', `{"data":{${members(100_001)}`, 'The request body has more than 100000 members')

  listeningTest('is read if they are in a text', {}, async (app) => {
    const body = JSON.stringify({ data: { name: 'Knots', slug: 'knots', description: ',:[{'.repeat(100_000) } })
    const reply = await speak(app.port, head(`${app.authorization}Content-Length: ${body.length}\r\n`), body)
    assert.doesNotMatch(reply.text, /more than/)
  })
})

describe('a body that is as large as may be, or packed', () => {
  for (const [name, pack] of [
    ['as it is', undefined],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ] as const) {
    listeningTest(`is read: ${name}`, LIMITED, async (app) => {
      const text = TAG.padEnd(LIMIT)
      const body = pack === undefined ? Buffer.from(text) : pack(text)
      const more = pack === undefined ? '' : `Content-Encoding: ${name}\r\n`
      const reply = await speak(app.port, head(`${app.authorization}${more}Content-Length: ${body.length}\r\n`), body)
      assert.equal(reply.status, 201, reply.text)
    })
  }

  listeningTest('is read in pieces that cut characters in half', {}, async (app) => {
    const body = Buffer.from(JSON.stringify({ data: { name: 'Ankergründe 👍', slug: 'anchors' } }))
    const socket = await open(app.port)
    const heard = listen(socket)
    socket.write(head(`${app.authorization}Content-Length: ${body.length}\r\n`))
    for (const byte of body) {
      socket.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { status, text } = await heard
    assert.equal(status, 201, text)
    const { json } = await send(app, { request: 'GET /api/v1/models/tag?filters=slug=anchors' })
    assert.equal(json.data[0].name, 'Ankergründe 👍')
  })
})

describe('a body that does not match its headers', () => {
  const refused = (name: string, status: number, more: string, body: Buffer, details: RegExp) =>
    listeningTest(name, {}, async (app) => {
      const reply = await speak(app.port, head(`${app.authorization}${more}Content-Length: ${body.length}\r\n`), body)
      assert.equal(reply.status, status, reply.text)
      assert.match(reply.json.details, details)
      await goesOn(app)
    })

  refused('gzip', 400, 'Content-Encoding: gzip\r\n', Buffer.from(TAG), /is not gzip/)
  refused('gzip that ends early', 400, 'Content-Encoding: gzip\r\n', gzipSync(TAG).subarray(0, 30), /is not gzip/)
  refused('packed twice', 415, 'Content-Encoding: gzip, gzip\r\n', gzipSync(gzipSync(TAG)), /cannot be encoded/)
  refused('brotli', 415, 'Content-Encoding: br\r\n', Buffer.from('a'), /cannot be encoded as 'br'/)
  refused('UTF-8', 400, '', Buffer.from(TAG.replace('Knots', 'Kn\xf6ts'), 'latin1'), /not valid UTF-8/)
})

listeningTest('a client that disconnects within a body does not affect others', {}, async (app) => {
  const socket = await open(app.port)
  socket.write(`${head(`${app.authorization}Content-Length: 1000\r\n`)}{"data":`)
  await new Promise((resolve) => setImmediate(resolve))
  socket.destroy()
  await goesOn(app)
})
