import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openTestApp } from '../../helpers/api/app.ts'
import { listen, open, withListening } from '../../helpers/api/raw.ts'
import { play } from '../../helpers/api/scenario.ts'

const BAD = JSON.stringify({ data: { name: 'Knots', colour: 'red' } })
const GOOD = JSON.stringify({ data: { name: 'Knots', slug: 'knots' } })

const head = (body: string, more: string) =>
  `POST /api/v1/models/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n`

/** The statuses that are heard on a connection until its end. */
async function statuses(socket: Socket): Promise<string[]> {
  const { text } = await listen(socket)
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status)
}

describe('a body', () => {
  for (const [how, pause] of [
    ['with its head', undefined],
    ['behind its head', 50],
  ] as const) {
    test(`sent ${how} and rejected leaves the connection to the next request`, () =>
      withListening({}, async ({ port, authorization }) => {
        const socket = await open(port)
        const heard = statuses(socket)
        const say = async (body: string, more: string) => {
          if (pause === undefined) socket.write(head(body, more) + body)
          else {
            socket.write(head(body, more))
            await setTimeout(pause)
            socket.write(body)
          }
        }
        await say(BAD, authorization)
        await say(GOOD, authorization)
        await say(BAD, `${authorization}Connection: close\r\n`)
        assert.deepEqual(await heard, ['400', '201', '400'])
      }))
  }

  test('ends after its Content-Length, whatever follows', () =>
    withListening({}, async ({ port, authorization }) => {
      const socket = await open(port)
      const heard = statuses(socket)
      const last = `GET /api/v1/models/tag/1 HTTP/1.1\r\nHost: x\r\n${authorization}Connection: close\r\n\r\n`
      socket.write(head(GOOD, authorization) + GOOD + last)
      assert.deepEqual(await heard, ['201', '200'])
    }))

  test('of a GET request is not read', async () => {
    await using app = await openTestApp()
    for (const path of [
      '/api/v1/models/tag',
      '/api/v1/auth/me',
      '/api/v1/webhooks',
      '/admin/api/v1/lint',
      '/admin/api/v1/site',
    ] as const) {
      await play(app, { request: `GET ${path}`, rawBody: '{ this is no JSON', status: 200 })
    }
  })
})
