import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../../src/http/listener.ts'
import { strictRoutes } from '../../../src/http/strict-routes.ts'
import { streamedBody } from '../../../src/http/upload-body.ts'
import { type ListeningApp, listen, listeningTest, open, speak } from '../../helpers/api/raw.ts'
import { play } from '../../helpers/api/scenario.ts'

const LIMIT = 100_000
const QUICK: ConnectionLimits = { ...CONNECTION_LIMITS, checkInterval: 10, lingerTimeout: 300 }

/** A route that takes uploads of 100 kB; with `?refuse`, it refuses them before it reads. */
function addRoute({ server }: ListeningApp, limits = QUICK): void {
  server.route(
    strictRoutes(
      [
        {
          method: 'POST',
          path: '/upload',
          options: { auth: 'bearer', plugins: { streamsBody: true, readsQuery: true } },
          handler: async (request) => {
            if (request.query.refuse !== undefined) throw new AppError('FORBIDDEN', 'refused')
            return { size: (await buffer(streamedBody(request, limits, LIMIT))).length }
          },
        },
      ],
      1000,
    ),
  )
}

const head = ({ authorization }: Pick<ListeningApp, 'authorization'>, more: string, path = '/upload') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}${more}\r\n`

/** Sends as fast as it can until the server closes the connection, and returns what it said meanwhile. */
async function flood(port: number, head: string): Promise<string> {
  const socket = await open(port)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  const piece = Buffer.alloc(65_536)
  const send = () => {
    while (socket.writable && socket.write(piece));
  }
  socket.on('drain', send).on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(head)
  send()
  await closed
  return text
}

const uploadTest = (name: string, work: (app: ListeningApp) => Promise<void>, connections = QUICK) =>
  listeningTest(name, { connections }, async (app) => {
    addRoute(app, connections)
    await work(app)
    await play(app, { request: 'GET /api/v1/models/tag', status: 200 })
    assert.deepEqual(app.reported, [])
  })

describe('an upload', () => {
  uploadTest('is read as a stream, whatever its type', async (app) => {
    const reply = await speak(app.port, head(app, `Content-Length: ${LIMIT}\r\nConnection: close\r\n`), Buffer.alloc(LIMIT))
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(reply.json, { size: LIMIT })
  })

  uploadTest('leaves the connection to the next request', async (app) => {
    const request = head(app, 'Content-Length: 3\r\n')
    const reply = await speak(app.port, `${request}abc${request.replace('Host', 'Connection: close\r\nHost')}abc`)
    assert.equal(reply.text.split('HTTP/1.1 200 OK').length, 3, reply.text)
  })

  uploadTest('is asked for by 100 Continue once it is admitted', async (app) => {
    const socket = await open(app.port)
    socket.write(head(app, 'Content-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n'))
    const [first] = await once(socket, 'data')
    assert.match(String(first), /^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    const heard = listen(socket)
    socket.write('abc')
    assert.equal((await heard).status, 200)
  })

  for (const [name, status, path, more, token] of [
    ['without the permission', 403, '/upload?refuse', 'Content-Length: 3\r\n', true],
    ['that is too large', 413, '/upload', 'Content-Length: 10000000000\r\n', true],
    ['without a token', 401, '/upload', 'Content-Length: 3\r\n', false],
    ['that is encoded', 415, '/upload', 'Content-Length: 3\r\nContent-Encoding: gzip\r\n', true],
  ] as const) {
    const headOf = (app: ListeningApp) => head(token ? app : { authorization: '' }, more, path)
    uploadTest(`${name} is refused in the place of 100 Continue`, async (app) => {
      const reply = await speak(app.port, headOf(app).replace('Host', 'Expect: 100-continue\r\nHost'))
      assert.equal(reply.status, status, reply.text)
      assert.equal(reply.headers.connection, 'close')
      assert.doesNotMatch(reply.text, /100 Continue/)
    })

    uploadTest(`${name} is refused while its client goes on sending, which gets the answer`, async (app) => {
      const reading: Socket[] = []
      app.live.listener.server.on('connection', (socket: Socket) => reading.push(socket))
      const large = headOf(app).replace('Content-Length: 3', 'Content-Length: 10000000000')
      const text = await flood(app.port, large)
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `))
      const read = reading[0]?.bytesRead ?? 0
      assert.ok(read < LIMIT + 1_048_576, `${read} bytes were read`)
    })
  }

  uploadTest('of unknown length is read up to its limit, and refused', async (app) => {
    const reading: Socket[] = []
    app.live.listener.server.on('connection', (socket: Socket) => reading.push(socket))
    const text = await flood(app.port, `${head(app, 'Transfer-Encoding: chunked\r\n')}ffffffff\r\n`)
    assert.match(text, /^HTTP\/1\.1 413 /)
    const read = reading[0]?.bytesRead ?? 0
    assert.ok(read < LIMIT + 1_048_576, `${read} bytes were read`)
  })

  uploadTest('whose client leaves ends, and nothing else', async (app) => {
    const socket = await open(app.port)
    socket.write(`${head(app, 'Content-Length: 10\r\n')}abc`)
    await once(app.live.listener.server, 'request')
    socket.destroy()
  })

  uploadTest(
    'that falls silent is cut',
    async (app) => {
      const reply = await speak(app.port, `${head(app, 'Content-Length: 10\r\n')}abc`)
      assert.equal(reply.status, 408, reply.text)
    },
    { ...QUICK, uploadSilence: 100 },
  )

  uploadTest(
    'that falls silent behind a request that is not answered yet is cut, with its connection',
    async (app) => {
      let answer = () => {}
      const held = new Promise<string>((resolve) => {
        answer = () => resolve('late')
      })
      app.server.route({ method: 'GET', path: '/held', handler: () => held })
      const socket = await open(app.port)
      socket.on('error', () => {}).resume()
      socket.write(`GET /held HTTP/1.1\r\nHost: x\r\n\r\n${head(app, 'Content-Length: 10\r\n')}abc`)
      await once(socket, 'close', { signal: AbortSignal.timeout(10_000) })
      answer()
    },
    { ...QUICK, uploadSilence: 100 },
  )

  uploadTest(
    'may take longer than other requests while bytes arrive',
    async (app) => {
      const socket = await open(app.port)
      const heard = listen(socket)
      socket.write(head(app, 'Content-Length: 20\r\nConnection: close\r\n'))
      for (let sent = 0; sent < 20; sent++) {
        socket.write('a')
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      assert.equal((await heard).status, 200)
    },
    { ...QUICK, requestTimeout: 100, headersTimeout: 100 },
  )
})

listeningTest(
  'a body that goes on dripping behind its response is cut',
  { connections: { ...QUICK, requestTimeout: 200, headersTimeout: 100 } },
  async (app) => {
    const socket = await open(app.port)
    const heard = listen(socket)
    socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`)
    const drip = setInterval(() => socket.writable && socket.write('a'), 20)
    assert.match((await heard).text, /^HTTP\/1\.1 200 /)
    clearInterval(drip)
  },
)

listeningTest(
  'a body that goes on dripping behind the refusal of a full queue is cut, though the connection is kept',
  { connections: { ...QUICK, requestTimeout: 200, headersTimeout: 100, maxQueued: 0 } },
  async ({ port, live }) => {
    const { gate } = live.listener
    gate.pause()
    const socket = await open(port)
    socket.on('error', () => {})
    socket.write('POST /api/v1/models/tag HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n')
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 503 .*\r\nConnection: keep-alive\r\n/s)
    const drip = setInterval(() => socket.writable && socket.write('a'), 20)
    try {
      await once(socket.resume(), 'close', { signal: AbortSignal.timeout(10_000) })
    } finally {
      clearInterval(drip)
      socket.destroy()
      gate.resume()
    }
  },
)
