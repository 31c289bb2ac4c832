import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { runCli } from '../../helpers/cli/cli.ts'
import { startServer } from '../../helpers/cli/process.ts'
import { makeProject } from '../../helpers/fixture.ts'
import { EventReader, type ReadEvent } from './event-reader.ts'

const WRITES = 5000
const WRITERS = 16
/** Interval at which the connection of one subscriber is cut, in milliseconds. */
const CUT_MS = 250

const FILES = {
  'admin.config.yaml': 'rate_limits: { default: 0, auth: 0, upload: 0 }\n',
  'models/tag.yaml': 'name: Tag\nfields:\n  - { name: name, type: string }\n',
  'roles/readers.yaml': 'name: readers\npermissions: [view_tag]\n',
  'seed/user.yaml': `- { username: admin, email: admin@example.org, password: harbour-admin-2024, is_superuser: true }
- { username: ann, email: ann@example.org, password: harbour-ann-2024, groups: [{ name: readers }] }
`,
}

/** A subscriber that opens its stream again after the last event that it has. */
class Subscriber {
  readonly told: ReadEvent[] = []
  cuts = 0
  readonly #url: string
  readonly #token: string
  #reader: EventReader | undefined
  #lastId: string | undefined

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  async open(): Promise<void> {
    const { response, reader } = await EventReader.open(this.#url, this.#token, this.#lastId)
    assert.equal(response.status, 200)
    this.#reader = reader
    await reader.until(({ events }) => events.length > 0)
    assert.equal(reader.events[0]?.event, 'ready')
  }

  /** Ends the connection, wherever it is within an event, and opens another. */
  async cut(): Promise<void> {
    this.cuts++
    await this.close()
    await this.open()
  }

  async close(): Promise<void> {
    this.#reader?.stop()
    await this.#reader?.ended
    this.told.push(...(this.#reader?.changes ?? []))
    this.#lastId = this.#reader?.lastId ?? this.#lastId
  }

  /** Waits until some number of changes was told, in all. */
  async all(count: number): Promise<void> {
    await this.#reader?.until(({ changes }) => this.told.length + changes.length >= count)
    // Changes that are told twice would follow at once.
    await delay(500)
    await this.close()
  }
}

test(`${WRITES} changes by ${WRITERS} clients are told once each to subscribers that are cut off`, {
  timeout: 120_000,
}, async () => {
  await using folder = await makeProject(FILES)
  await using server = await startServer(['--project', folder.path])
  const tokenOf = async (user: string) => (await runCli(['token', '--user', user], { cwd: folder.path })).stdout.trim()
  const admin = await tokenOf('admin')
  const subscribers = [admin, await tokenOf('ann')].map((token) => new Subscriber(`${server.address}/api/v1/events`, token))
  for (const subscriber of subscribers) await subscriber.open()

  let left = WRITES
  const expected: string[] = []
  const write = async (method: string, path: string, data?: object): Promise<number> => {
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
    const body = data === undefined ? {} : { body: JSON.stringify({ data }) }
    const reply = await fetch(`${server.address}/api/v1/models/tag${path}`, { method, headers, ...body })
    assert.ok(reply.ok, `${method} ${path}: ${reply.status}`)
    return JSON.parse(await reply.text()).data.id
  }
  const keepWriting = async () => {
    while (left > 0) {
      left--
      const id = await write('POST', '', { name: 'a' })
      expected.push(`create ${id}`)
      for (const name of ['b', 'c']) {
        if (left <= 0) return
        left--
        await write('PUT', `/${id}`, { name })
        expected.push(`update ${id}`)
      }
      if (left <= 0 || id % 2 === 0) continue
      left--
      await write('DELETE', `/${id}`)
      expected.push(`delete ${id}`)
    }
  }
  let isWriting = true
  const cutting = async () => {
    for (let turn = 0; isWriting; turn++) {
      await delay(CUT_MS)
      await subscribers[turn % subscribers.length]?.cut()
    }
  }
  const cut = cutting()
  await Promise.all(Array.from({ length: WRITERS }, keepWriting))
  isWriting = false
  await cut
  for (const subscriber of subscribers) await subscriber.all(WRITES)

  assert.equal(expected.length, WRITES)
  const [first = [], second = []] = subscribers.map(({ told }) =>
    told.map(({ id, data }) => `${id} ${data.action} ${data.record_id}`),
  )
  assert.deepEqual(first, second, 'the subscribers were told the same, in the same order')
  const changes = first.map((line) => line.replace(/^\S+ /, ''))
  assert.deepEqual(changes.toSorted(), expected.toSorted(), 'each change was told once')
  const sequences = first.map((line) => Number(/-(\d+) /.exec(line)?.[1]))
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  )
  assert.ok(
    subscribers.every(({ cuts }) => cuts >= 3),
    subscribers.map(({ cuts }) => cuts).join(),
  )
})
