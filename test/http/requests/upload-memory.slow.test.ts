import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CONNECTION_LIMITS } from '../../../src/http/listener.ts'
import { readForm } from '../../../src/http/multipart.ts'
import { strictRoutes } from '../../../src/http/strict-routes.ts'
import { streamedBody } from '../../../src/http/upload-body.ts'
import { listeningTest } from '../../helpers/api/raw.ts'

const SIZE = 268_435_456
const PIECE = Buffer.alloc(65_536, '\r\n--x')
const HEAD = '--xx\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
const END = '\r\n--xx--\r\n'

async function* form() {
  yield Buffer.from(HEAD)
  for (let sent = 0; sent < SIZE; sent += PIECE.length) yield PIECE
  yield Buffer.from(END)
}

listeningTest('a form of 256 MiB is read in bounded memory', {}, async ({ server, port, authorization }) => {
  let highest = 0
  server.route(
    strictRoutes(
      [
        {
          method: 'POST',
          path: '/upload',
          options: { auth: 'bearer', plugins: { streamsBody: true } },
          handler: async (request) => {
            const hash = createHash('sha256')
            const body = streamedBody(request, CONNECTION_LIMITS, 2 * SIZE)
            const contentType = String(request.headers['content-type'])
            await readForm({ contentType, body, maxParts: 1 }, ({ content }) =>
              pipeline(content, async (pieces: AsyncIterable<Buffer>) => {
                for await (const piece of pieces) {
                  hash.update(piece)
                  highest = Math.max(highest, process.memoryUsage.rss())
                }
              }),
            )
            return { sha256: hash.digest('hex') }
          },
        },
      ],
      1000,
    ),
  )
  const idle = process.memoryUsage.rss()
  const reply = await fetch(`http://127.0.0.1:${port}/upload`, {
    method: 'POST',
    headers: {
      'Content-Type': 'multipart/form-data; boundary=xx',
      'Content-Length': String(SIZE + HEAD.length + END.length),
      Authorization: authorization.trim().replace('Authorization: ', ''),
    },
    body: Readable.toWeb(Readable.from(form())) as ReadableStream,
    duplex: 'half',
  } as RequestInit)
  const expected = createHash('sha256')
  for (let hashed = 0; hashed < SIZE; hashed += PIECE.length) expected.update(PIECE)
  assert.deepEqual(await reply.json(), { sha256: expected.digest('hex') })
  // The client is in the same process.
  assert.ok(highest - idle < 128 * 1_048_576, `${highest - idle} bytes more than idle`)
})
