import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/app.ts'
import { send } from '../../helpers/scenario.ts'
import { EventReader } from './event-reader.ts'

const USER = (name: string, more = ''): string =>
  `- { username: ${name}, email: ${name}@example.org, password: harbour-${name}-2024${more} }\n`

const FILES = {
  'models/note.yaml': `name: Note
fields:
  - { name: text, type: string }
  - { name: owner_id, type: foreignkey, model: user, on_delete: set_null }
access: { view: self.owner_id == user.id, add: authenticated, change: authenticated, delete: authenticated }
`,
  'models/tag.yaml': 'name: Tag\nfields:\n  - { name: name, type: string }\n',
  'models/secret.yaml': 'name: Secret\nfields:\n  - { name: name, type: string }\n',
  'roles/readers.yaml': 'name: readers\npermissions: [view_tag]\n',
  'seed/user.yaml': [USER('admin', ', is_superuser: true'), USER('ann', ', groups: [{ name: readers }]'), USER('bob')].join(''),
}

interface Served {
  readonly app: TestApp
  readonly url: string
  open(as: string, query?: string, lastId?: string): Promise<EventReader>
}

/** Serves the project on a port, with timers of the process and a clock that stands still. */
async function withServer(work: (served: Served) => Promise<void>): Promise<void> {
  const app = await openTestApp({ files: FILES, settings: { port: 0 } })
  const readers: EventReader[] = []
  const port = await app.live.start()
  const url = `http://127.0.0.1:${port}`
  const open: Served['open'] = async (as, query = '', lastId) => {
    const { response, reader } = await EventReader.open(`${url}/api/v1/events${query}`, await app.tokenOf(as), lastId)
    assert.equal(response.status, 200)
    assert.match(String(response.headers.get('content-type')), /^text\/event-stream/)
    assert.equal(response.headers.get('content-encoding'), null)
    readers.push(reader)
    await reader.until(({ events }) => events.length > 0)
    return reader
  }
  try {
    await work({ app, url, open })
  } finally {
    for (const reader of readers) reader.stop()
    await app.live.stop()
    await app.close()
  }
}

const write = async (app: TestApp, request: string, body?: unknown, as = 'admin') => {
  const reply = await send(app, { request: request as `GET /${string}`, as, ...(body === undefined ? {} : { body }) })
  assert.ok(reply.status < 300, reply.text)
  return reply.json.data
}

const tag = (app: TestApp, name: string) => write(app, 'POST /api/v1/models/tag', { data: { name } })

/** Lets the batches of events go out. */
async function settle({ app }: Served): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    app.advance(100)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const told = (reader: EventReader): string[] =>
  reader.changes.map(({ data: { model, record_id: id, action } }) => `${action} ${model} ${id}`)

describe('live events', () => {
  test('tell of changes in commit order, without data of records', () =>
    withServer(async (served) => {
      const reader = await served.open('admin')
      await tag(served.app, 'a')
      await write(served.app, 'PUT /api/v1/models/tag/1', { data: { name: 'b' } })
      await write(served.app, 'DELETE /api/v1/models/tag/1')
      await settle(served)
      await reader.until(({ changes }) => changes.length === 3)
      assert.deepEqual(told(reader), ['create tag 1', 'update tag 1', 'delete tag 1'])
      assert.deepEqual(Object.keys(reader.changes[0]?.data ?? {}), ['model', 'record_id', 'action', 'at'])
    }))

  test('are only of models and records that the user may view', () =>
    withServer(async (served) => {
      const [admin, ann, bob] = [await served.open('admin'), await served.open('ann'), await served.open('bob')]
      await tag(served.app, 'a')
      await write(served.app, 'POST /api/v1/models/secret', { data: { name: 'x' } })
      await write(served.app, 'POST /api/v1/models/note', { data: { text: 'of ann', owner_id: 2 } })
      await write(served.app, 'PUT /api/v1/models/note/1', { data: { owner_id: 3 } })
      await write(served.app, 'PUT /api/v1/models/note/1', { data: { text: 'of bob' } })
      await write(served.app, 'DELETE /api/v1/models/note/1')
      await settle(served)
      await admin.until(({ changes }) => changes.length === 6)
      await bob.until(({ changes }) => changes.length === 3)
      assert.deepEqual(told(ann), ['create tag 1', 'create note 1', 'update note 1'], 'the last is that the note is lost')
      assert.deepEqual(told(bob), ['update note 1', 'update note 1', 'delete note 1'])
    }))

  test('can be limited to models, and refuse those that the user may not view', () =>
    withServer(async (served) => {
      const reader = await served.open('admin', '?models=secret')
      await tag(served.app, 'a')
      await write(served.app, 'POST /api/v1/models/secret', { data: { name: 'x' } })
      await settle(served)
      await reader.until(({ changes }) => changes.length === 1)
      assert.deepEqual(told(reader), ['create secret 1'])
      const { response } = await EventReader.open(`${served.url}/api/v1/events?models=secret`, await served.app.tokenOf('ann'))
      assert.equal(response.status, 403)
      const unknown = await EventReader.open(`${served.url}/api/v1/events?model=tag`, await served.app.tokenOf('admin'))
      assert.equal(unknown.response.status, 400)
    }))

  test('go on after Last-Event-ID, and reset for an id that is not known', () =>
    withServer(async (served) => {
      const first = await served.open('admin')
      await tag(served.app, 'a')
      await tag(served.app, 'b')
      await settle(served)
      await first.until(({ changes }) => changes.length === 2)
      first.stop()
      await tag(served.app, 'c')
      const second = await served.open('admin', '', first.changes[0]?.id)
      await settle(served)
      await second.until(({ changes }) => changes.length === 2)
      assert.deepEqual(told(second), ['create tag 2', 'create tag 3'])
      const lost = await served.open('admin', '', 'another-run-7')
      assert.equal(lost.events[0]?.event, 'reset')
    }))

  test('end when the permission, the session, the account or the token ends', () =>
    withServer(async (served) => {
      const { app } = served
      const ann = await served.open('ann')
      await tag(app, 'a')
      await settle(served)
      await ann.until(({ changes }) => changes.length === 1)
      await write(app, 'PUT /api/v1/models/group/1', { data: { permissions: [] } })
      await tag(app, 'b')
      await settle(served)
      assert.deepEqual(told(ann), ['create tag 1'])
      await write(app, 'PUT /api/v1/models/user/2', { data: { is_active: false } })
      await settle(served)
      await ann.ended
      assert.equal(ann.events.at(-1)?.event, 'expired')
      const { access_token: token, refresh_token: refresh } = await app.app.logins.login('bob', 'harbour-bob-2024')
      const { reader } = await EventReader.open(`${served.url}/api/v1/events`, token)
      await reader.until(({ events }) => events.length > 0)
      await app.app.logins.logout(refresh)
      await settle(served)
      await reader.ended
      assert.equal(reader.events.at(-1)?.event, 'expired')
      const admin = await served.open('admin')
      app.advance(31 * 60_000)
      await admin.ended
      assert.equal(admin.events.at(-1)?.event, 'expired')
    }))

  test('are limited to five streams of a user', () =>
    withServer(async (served) => {
      const readers = await Promise.all(Array.from({ length: 5 }, () => served.open('admin')))
      const token = await served.app.tokenOf('admin')
      const { response } = await EventReader.open(`${served.url}/api/v1/events`, token)
      assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '30'])
      readers[0]?.stop()
      await new Promise((resolve) => setTimeout(resolve, 50))
      await served.open('admin')
    }))

  test('end with reset when the data is replaced, which they do not delay', () =>
    withServer(async (served) => {
      const reader = await served.open('admin')
      const begun = performance.now()
      await served.app.live.replace({ data: { kind: 'reset', seeds: true, accounts: false } })
      await reader.ended
      assert.equal(reader.events.at(-1)?.event, 'reset')
      assert.ok(performance.now() - begun < 3000)
      const again = await served.open('admin', '', reader.lastId)
      assert.equal(again.events[0]?.event, 'reset')
    }))

  test('have comments, so that proxies do not close them', () =>
    withServer(async (served) => {
      const token = await served.app.tokenOf('admin')
      const response = await fetch(`${served.url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } })
      const chunks = response.body?.getReader()
      await chunks?.read()
      served.app.advance(25_000)
      assert.equal(new TextDecoder().decode((await chunks?.read())?.value), ':\n\n')
      await chunks?.cancel()
    }))

  test('cut off a reader that does not read', () =>
    withServer(async (served) => {
      const { app, url } = served
      const token = await app.tokenOf('admin')
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      await new Promise((resolve) => socket.once('data', resolve))
      socket.pause()
      for (let round = 0; round < 200 && app.app.events.size > 0; round++) {
        await write(app, 'POST /api/v1/models/tag/bulk', { records: Array.from({ length: 1000 }, () => ({ name: 'x' })) })
        await settle(served)
      }
      assert.equal(app.app.events.size, 0)
      socket.resume()
      await closed
    }))

  test('answer HEAD without a stream', () =>
    withServer(async ({ app, url }) => {
      const headers = { authorization: `Bearer ${await app.tokenOf('admin')}` }
      const response = await fetch(`${url}/api/v1/events`, { method: 'HEAD', headers })
      assert.equal(response.status, 204)
      assert.equal(app.app.events.size, 0)
    }))
})
