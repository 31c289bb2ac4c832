import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../../src/http/listener.ts'
import { listen, listeningTest, open, speak, withListening } from '../../helpers/api/raw.ts'
import { play } from '../../helpers/api/scenario.ts'

/** Limits that a test can wait for. */
const quick = (limits: Partial<ConnectionLimits>) => ({ connections: { ...CONNECTION_LIMITS, checkInterval: 20, ...limits } })

const LIST = 'GET /api/v1/models/tag?page_size=1 HTTP/1.1\r\nHost: x\r\n'

describe('a connection', () => {
  listeningTest('has these limits by default', {}, async ({ live }) => {
    const listener = live.listener.server
    assert.deepEqual(
      {
        headersTimeout: listener.headersTimeout,
        // `BodyDeadlines` has a deadline for each kind of request.
        requestTimeout: listener.requestTimeout,
        keepAliveTimeout: listener.keepAliveTimeout,
        idleTimeout: listener.timeout,
        maxHeadersCount: listener.maxHeadersCount,
        maxConnections: listener.maxConnections,
      },
      {
        headersTimeout: 10_000,
        requestTimeout: 0,
        keepAliveTimeout: 65_000,
        idleTimeout: 120_000,
        maxHeadersCount: 0,
        maxConnections: 900,
      },
    )
  })

  test('that sends headers slowly is closed, and others are served meanwhile', { timeout: 20_000 }, () =>
    withListening(quick({ headersTimeout: 150 }), async (app) => {
      const dripping = await Promise.all(Array.from({ length: 20 }, () => open(app.port)))
      const ends = dripping.map(listen)
      for (const socket of dripping) socket.write('GET / HTTP/1.1\r\nX-A: ')
      const drip = setInterval(() => {
        for (const socket of dripping) if (socket.writable) socket.write('a')
      }, 20)
      try {
        assert.equal((await speak(app.port, `${LIST}Connection: close\r\n${app.authorization}\r\n`)).status, 200)
        for (const reply of await Promise.all(ends)) assert.equal(reply.status, 408, reply.text)
      } finally {
        clearInterval(drip)
      }
    }),
  )

  listeningTest('that sends nothing is closed', quick({ headersTimeout: 150 }), async (app) => {
    assert.equal((await speak(app.port)).status, 408)
  })

  listeningTest('that drips its body is closed', quick({ headersTimeout: 150, requestTimeout: 200 }), async (app) => {
    const head = `POST /api/v1/models/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${app.authorization}`
    const reply = await speak(app.port, `${head}Content-Length: 1000\r\n\r\n`, '{')
    assert.equal(reply.status, 408, reply.text)
    assert.equal(reply.json.status_code, 408)
    await play(app, { request: 'GET /api/v1/models/tag', status: 200, expectPart: { total: 12 } })
  })

  listeningTest('that is idle is closed', quick({ keepAliveTimeout: 100 }), async (app) => {
    const reply = await speak(app.port, `${LIST}${app.authorization}\r\n`)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.connection, 'keep-alive')
  })

  listeningTest('beyond the limit is closed on arrival', quick({ maxConnections: 2 }), async (app) => {
    const [first, second] = [await open(app.port), await open(app.port)]
    // A connection is only counted once it was answered.
    for (const socket of [first, second]) {
      socket.write(`${LIST}${app.authorization}\r\n`)
      await once(socket, 'data')
    }
    assert.equal((await speak(app.port, LIST)).text, '')
    first.destroy()
    second.destroy()
  })

  for (const [name, headers, status] of [
    ['100', 100, 200],
    ['101', 101, 431],
  ] as const) {
    listeningTest(`may have 100 headers, and none is dropped: ${name}`, {}, async (app) => {
      // Three of them are those of the request itself; the token comes last.
      const many = Array.from({ length: headers - 3 }, (_, index) => `X-${index}: a\r\n`).join('')
      const reply = await speak(app.port, `${LIST}Connection: close\r\n${many}${app.authorization}\r\n`)
      assert.equal(reply.status, status, reply.text)
      assert.equal(reply.headers.connection, 'close')
    })
  }

  listeningTest(
    'is cut when very many requests are sent before the first is answered',
    quick({ maxPipelined: 3 }),
    async (app) => {
      const request = `${LIST}${app.authorization}\r\n`
      const last = `${LIST}Connection: close\r\n${app.authorization}\r\n`
      const answers = (text: string) => text.split('HTTP/1.1 200 OK').length - 1
      assert.equal(answers((await speak(app.port, request.repeat(3) + last)).text), 4)
      assert.ok(answers((await speak(app.port, request.repeat(4) + last)).text) < 5, 'one more than may wait')
      const socket = await open(app.port)
      for (let turn = 0; turn < 10; turn++) {
        socket.write(request)
        await once(socket, 'data')
      }
      socket.destroy()
    },
  )
})

describe('requests that may be read in two ways', () => {
  for (const [name, head] of [
    ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'],
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n'],
    ['a length that is none', 'Content-Length: +3\r\n'],
    ['chunks in disguise', 'Transfer-Encoding: xchunked\r\n'],
    ['chunks and more', 'Transfer-Encoding: gzip, chunked\r\n'],
    ['two hosts', 'Host: y\r\nTransfer-Encoding: chunked\r\n'],
    ['a header folded', 'X-A: a\r\n b\r\nTransfer-Encoding : chunked\r\n'],
  ] as const) {
    listeningTest(`${name}: 400, and the connection is closed`, {}, async (app) => {
      const smuggled = `0\r\n\r\n${LIST}${app.authorization}\r\n`
      const reply = await speak(
        app.port,
        `POST /api/v1/models/tag HTTP/1.1\r\nHost: x\r\n${app.authorization}${head}\r\n${smuggled}`,
      )
      assert.equal(reply.status, 400, reply.text)
      assert.equal(reply.text.split('HTTP/1.1 ').length, 2, 'one answer, not two')
    })
  }

  listeningTest('a response in progress is finished before malformed data behind it is rejected', {}, async (app) => {
    const reply = await speak(app.port, `${LIST}${app.authorization}\r\nNONSENSE\r\n\r\n`)
    assert.equal(reply.status, 200, reply.text)
    assert.match(reply.text, /HTTP\/1\.1 400 Bad Request/)
  })
})

describe('stopping', () => {
  listeningTest('closes idle connections immediately, and accepts no new ones', {}, async (app) => {
    const socket = await open(app.port)
    socket.write(`${LIST}${app.authorization}\r\n`)
    await once(socket, 'data')
    const closed = once(socket, 'close')
    socket.resume()
    const start = performance.now()
    await app.live.stop()
    await closed
    assert.ok(performance.now() - start < 5000, 'it did not wait for the timeout')
    await assert.rejects(open(app.port), { code: 'ECONNREFUSED' })
  })

  listeningTest('lets a started request finish, and then closes its connection', {}, async (app) => {
    const body = JSON.stringify({ data: { name: 'Knots', slug: 'knots' } })
    const socket = await open(app.port)
    const heard = listen(socket)
    const head = `POST /api/v1/models/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`
    socket.write(`${head}${app.authorization}Content-Length: ${body.length}\r\n\r\n`)
    await once(socket, 'data')
    const stopped = app.live.stop()
    socket.write(body)
    const { text } = await heard
    await stopped
    assert.match(text, /HTTP\/1\.1 201 Created/)
    assert.match(text, /connection: close/)
  })

  listeningTest('cuts a request that does not end', { connections: { ...CONNECTION_LIMITS, stopTimeout: 100 } }, async (app) => {
    const socket = await open(app.port)
    const heard = listen(socket)
    socket.write(
      `POST /api/v1/models/tag HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n${app.authorization}\r\n`,
    )
    await once(socket, 'data')
    await app.live.stop()
    await heard
  })
})
