import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { FILE_TABLE } from '../../../src/model/files.ts'
import { ADMIN_SEED, openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type ListeningApp, listen, listeningTest, open } from '../../helpers/api/raw.ts'
import { play } from '../../helpers/api/scenario.ts'
import { FILES_PROJECT, PIXEL, storeFile, storeRecord } from '../../helpers/api/stored-files.ts'
import { sendAs } from '../cookies.ts'

const MIB = 1 << 20

const FILES = {
  'models/article.yaml': 'name: Article\nfields: [{ name: paper, type: file, max_size: 10 MiB }]\n',
  ...ADMIN_SEED,
}

const BINARY = 'application/octet-stream'

for (const [what, content, type] of [
  ['HTML', '<!doctype html><script>alert(1)</script>', BINARY],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', BINARY],
  ['a script', 'alert(document.cookie)', 'text/plain; charset=utf-8'],
] as const) {
  listeningTest(
    `${what} as a.png in a field of all files is sent as a download that no browser runs`,
    { files: FILES },
    async (app) => {
      const authorization = `Bearer ${await app.tokenOf('admin')}`
      const root = `http://127.0.0.1:${app.port}`
      const upload = { method: 'POST', headers: { authorization, 'content-type': 'image/png' }, body: content }
      const sent = await fetch(`${root}/api/v1/files/article/paper?name=a.png`, upload)
      assert.equal(sent.status, 201)
      const { data: uploads } = (await sent.json()) as { data: { id: string }[] }
      const body = { data: { paper: uploads[0]?.id } }
      const { json } = await play(app, { request: 'POST /api/v1/models/article', body, status: 201 })
      const reply = await fetch(`${root}${json.data.paper.url}`, { headers: { authorization } })
      const { status, headers } = reply
      assert.deepEqual([status, await reply.text(), headers.get('content-type')], [200, content, type])
      assert.match(String(headers.get('content-disposition')), /^attachment; filename="a\.png"/)
      assert.match(String(headers.get('content-security-policy')), /^default-src 'none'; .*; sandbox; frame-ancestors 'none'$/)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    },
  )
}

test('1,000 names of thumbnails that the field does not have start no job and keep nothing', async (t) => {
  await using app = await openTestApp({ files: FILES_PROJECT })
  const id = await storeRecord(app, 'article', { title: 'a' })
  const { url } = await storeFile(app, 'article', id, 'cover', { bytes: PIXEL, type: 'image/png', width: 1 })
  const authorization = `Bearer ${await app.tokenOf('admin')}`
  const asked = t.mock.method(app.app.images, 'thumbnail')
  const before = app.app.images.figures()
  for (let number = 0; number < 1000; number++) {
    const name = [`${number}x${number}`, `card${number}`, `../${number}`, `card%00${number}`][number % 4]
    assert.equal((await sendAs(app, `GET ${url}?thumbnail=${name}`, { authorization })).status, 400, name)
  }
  assert.equal(asked.mock.callCount(), 0)
  assert.deepEqual(app.app.images.figures(), before)
  assert.deepEqual(await readdir(join(app.folder.path, 'data/cache')).catch(() => []), [])
})

/** Asserts that no upload has left anything but those with rows. */
async function assertRows({ app }: TestApp, sizes: readonly number[]): Promise<void> {
  assert.deepEqual(await readdir(app.blobs.incoming).catch(() => []), [])
  const { records } = await app.store.find(FILE_TABLE, { filters: [], sort: [], offset: 0, limit: 10 })
  assert.deepEqual(
    records.map(({ size }) => size),
    sizes,
  )
}

/** Begins an upload. @returns the connection, and the server's end of it */
async function begin(app: ListeningApp, more: string): Promise<readonly [socket: Socket, accepted: Socket]> {
  const accepting = once(app.live.listener.server, 'connection')
  const socket = await open(app.port)
  socket.write(
    `POST /api/v1/files/article/paper HTTP/1.1\r\nHost: x\r\nContent-Type: ${BINARY}\r\n${app.authorization}${more}\r\n`,
  )
  const [accepted] = await accepting
  return [socket, accepted]
}

for (const [how, more, begins, most] of [
  ['by its length', `Content-Length: ${10 * 1024 * MIB}\r\n`, '', MIB],
  // A chunk of 10 GB.
  ['while it is read', 'Transfer-Encoding: chunked\r\n', '280000000\r\n', 11 * MIB],
] as const) {
  listeningTest(`10 GB for a field of 10 MiB are refused ${how}`, { files: FILES }, async (app) => {
    const [socket, accepted] = await begin(app, more)
    let text = ''
    socket.on('data', (bytes: Buffer) => (text += bytes)).on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(begins)
    const piece = Buffer.alloc(65_536)
    while (!socket.destroyed && socket.bytesWritten < 1024 * MIB) {
      if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
    }
    await closed
    assert.match(text, /^HTTP\/1\.1 413 /)
    assert.ok(accepted.bytesRead <= most, `${accepted.bytesRead} bytes were read`)
    await assertRows(app, [])
  })
}

listeningTest('a body that is shorter than its length leaves nothing', { files: FILES }, async (app) => {
  const [socket] = await begin(app, 'Content-Length: 100\r\n')
  const heard = listen(socket)
  socket.end('only this')
  const { status } = await heard
  assert.notEqual(status, 201)
  await assertRows(app, [])
})

listeningTest('a body that is longer than its length is cut there; the rest is no request', { files: FILES }, async (app) => {
  const [socket] = await begin(app, 'Content-Length: 5\r\n')
  const heard = listen(socket)
  socket.write('helloand more\r\n\r\n')
  const { status, text } = await heard
  assert.equal(status, 201, text)
  assert.match(text, /HTTP\/1\.1 400 /)
  await assertRows(app, [5])
})
