import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { UploadGate } from '../../../src/http/upload-gate.ts'
import { type ListeningApp, listeningTest, open } from '../../helpers/api/raw.ts'

/** Uploads that run until they are ended. */
function uploads(gate: UploadGate) {
  const ends: (() => void)[] = []
  const begin = (userId: number | undefined) =>
    gate.run(userId, () => new Promise<string>((resolve) => ends.push(() => resolve('received'))))
  return { begin, end: () => ends.shift()?.() }
}

describe('uploads at a time', () => {
  test('are four by user by default, and 32 in all', async () => {
    const { begin, end } = uploads(new UploadGate())
    const running = Array.from({ length: 32 }, (_, index) => begin(index % 8))
    await assert.rejects(begin(0), { code: 'RATE_LIMITED', retryAfter: 5, message: /At most 4 uploads of a user/ })
    await assert.rejects(begin(8), { code: 'UPLOADS_BUSY', status: 503, retryAfter: 5 })
    await assert.rejects(begin(undefined), { code: 'UPLOADS_BUSY' })
    end()
    assert.equal(await running[0], 'received')
    const next = begin(0)
    await assert.rejects(begin(8), { code: 'UPLOADS_BUSY' })
    for (let count = 0; count < 32; count++) end()
    await Promise.all([...running, next])
    const last = begin(8)
    end()
    assert.equal(await last, 'received')
  })

  test('count no more once they have failed', async () => {
    const gate = new UploadGate({ ofUser: 1, ofAll: 1 })
    for (let count = 0; count < 3; count++) {
      await assert.rejects(
        gate.run(1, () => {
          throw new Error('failed')
        }),
        { message: 'failed' },
      )
    }
    assert.equal(await gate.run(1, () => 'received'), 'received')
  })
})

const USERS = Array.from({ length: 9 }, (_, index) => `user${index}`)

const FILES = {
  'models/letter.yaml':
    'name: Letter\nfields:\n  - { name: scan, type: file }\naccess: { view: authenticated, add: authenticated }\n',
  'seed/user.yaml': `- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }\n${USERS.map(
    (name) => `- { username: ${name}, email: ${name}@example.org, password: a-long-password }\n`,
  ).join('')}`,
}

/** Begins an upload on a connection of its own, and returns the beginning of what the server says to it. */
async function begin(app: ListeningApp, username: string) {
  const socket = await open(app.port)
  const authorization = `Authorization: Bearer ${await app.tokenOf(username)}\r\n`
  socket.write(`POST /api/v1/files/letter/scan HTTP/1.1\r\nHost: x\r\n${authorization}`)
  socket.write('Content-Type: application/octet-stream\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n')
  const [said] = await once(socket, 'data')
  return { socket, said: String(said) }
}

listeningTest(
  'uploads are refused in the place of 100 Continue: the fifth of a user, and the 33rd of all',
  { files: FILES },
  async (app) => {
    const ASKED = /^HTTP\/1\.1 100 Continue\r\n\r\n$/
    const running: Socket[] = []
    const [last = '', ...users] = USERS.toReversed()
    for (const user of users) {
      for (let count = 0; count < 4; count++) {
        const { socket, said } = await begin(app, user)
        running.push(socket)
        assert.match(said, ASKED)
      }
      const fifth = await begin(app, user)
      assert.match(fifth.said, /^HTTP\/1\.1 429 /)
      assert.match(fifth.said, /\r\nretry-after: 5\r\n/i)
      fifth.socket.destroy()
    }
    assert.equal(running.length, 32)
    const refused = await begin(app, last)
    assert.match(refused.said, /^HTTP\/1\.1 503 /)
    assert.match(refused.said, /\r\nretry-after: 5\r\n/i)
    refused.socket.destroy()
    // The end of one lets another begin.
    const [first, ...others] = running
    first?.write('ok')
    const [answer] = first === undefined ? [] : await once(first, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 201 /)
    const next = await begin(app, last)
    assert.match(next.said, ASKED)
    for (const socket of [first, next.socket, ...others]) socket?.destroy()
  },
)
