import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { open as connection } from '../../helpers/api/raw.ts'
import { send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'
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

export interface Served {
  readonly app: TestApp
  readonly url: string
  open(as: string, query?: string, lastId?: string): Promise<EventReader>
}

/** Serves the project on a port, with timers of the process and a clock that stands still. */
export async function withServer(work: (served: Served) => Promise<void>): Promise<void> {
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
    await beginFollowing(app)
    await work({ app, url, open })
  } finally {
    for (const reader of readers) reader.stop()
    await app.live.stop()
    await app.close()
  }
}

/** Declares such a test. */
export const serverTest = testsOf(withServer)

/**
 * Opens a first stream and closes it. Where processes share the records, it is open when all of them write their changes to the log, and a
 * second and a half must pass until then; streams after it are open at once, until the application is replaced.
 */
export async function beginFollowing(app: TestApp): Promise<void> {
  const sink = { write() {}, backlog: 0, end() {}, destroy() {} }
  const token = await app.tokenOf('admin')
  const close = await whileTimePasses(
    app,
    app.app.events.open({ token, models: undefined, lastEventId: undefined }, () => sink),
  )
  close()
}

/** Moves the clock to what is due next, again and again, until a promise is settled. */
export async function whileTimePasses<T>({ time }: TestApp, promise: Promise<T>): Promise<T> {
  let isSettled = false
  const settled = promise.finally(() => {
    isSettled = true
  })
  settled.catch(() => {})
  for (await turn(); !isSettled; await turn()) time.advance(time.waits()[0] ?? 0)
  return settled
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

/** Resolves when as many streams are open as expected: the server notices only later that a client has closed one. */
export async function untilOpen({ app }: TestApp, count: number): Promise<void> {
  while (app.events.size !== count) await turn()
}

export const write = async (app: TestApp, request: string, body?: unknown, as = 'admin') => {
  const reply = await send(app, { request: request as `GET /${string}`, as, ...(body === undefined ? {} : { body }) })
  assert.ok(reply.status < 300, reply.text)
  return reply.json.data
}

export const tag = (app: TestApp, name: string) => write(app, 'POST /api/v1/models/tag', { data: { name } })

/** Lets the batches of events go out. */
export async function settle({ app }: Served): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    app.advance(100)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export const told = (reader: EventReader): string[] =>
  reader.changes.map(({ data: { model, record_id: id, action } }) => `${action} ${model} ${id}`)

/** Opens a stream on a connection that is not read any further. */
export async function openStalled({ app, url }: Served, as: string): Promise<Socket> {
  const socket = await connection(Number(new URL(url).port))
  socket.on('error', () => {})
  const token = await app.tokenOf(as)
  socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await once(socket, 'data')
  socket.pause()
  return socket
}

/** Makes many changes at once. */
export const manyTags = (app: TestApp, count = 1000) =>
  write(app, 'POST /api/v1/models/tag/bulk', { records: Array.from({ length: count }, () => ({ name: 'x' })) })
