import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Replacement } from '../../src/app.ts'
import { CONNECTION_LIMITS } from '../../src/http/listener.ts'
import type { TestApp } from '../helpers/api/app.ts'
import { type ListeningApp, listen, open, withListening } from '../helpers/api/raw.ts'
import { makeProject } from '../helpers/fixture.ts'
import { collectGarbage } from '../helpers/garbage.ts'

const TAGS = '/api/v1/models/tag'

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each test knows what it asked for
  readonly json: any
  /** True on a connection that was there before. */
  readonly reused: boolean
}

/** A client of one connection, or of several. */
class Client {
  readonly #app: ListeningApp
  readonly agent: Agent

  constructor(app: ListeningApp, maxSockets = 1) {
    this.#app = app
    this.agent = new Agent({ keepAlive: true, maxSockets })
  }

  ask(method: string, path: string, body?: object): Promise<Answer> {
    const authorization = this.#app.authorization.slice('Authorization: '.length).trim()
    const headers = { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.#app.port, method, path, agent: this.agent, headers }
      const sent = request(options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, json: JSON.parse(text), reused: sent.reusedSocket }),
        )
      })
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}

/** Does something with a listening server and a client, whose connections are closed behind it. */
const withClient = (work: (app: ListeningApp, client: Client) => Promise<void>, options = {}, sockets = 1): Promise<void> =>
  withListening(options, async (app) => {
    const client = new Client(app, sockets)
    try {
      await work(app, client)
    } finally {
      client.agent.destroy()
    }
  })

/** Makes reading a tag wait until it is released. */
function holdTags({ live: { app } }: TestApp): { reached: Promise<void>; release: () => void } {
  const { get } = app.store
  let reach = () => {}
  let release = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  app.store.get = async (table, ids) => {
    if (table === 'tag') {
      reach()
      await released
    }
    return get.call(app.store, table, ids)
  }
  return { reached, release }
}

const name = (index: number) => ({ data: { name: `Tag ${index}`, slug: `tag-${index}` } })

describe('an application that is replaced while it is served', () => {
  test('keeps its connections open before, during and after a replacement', () =>
    withClient(async ({ live }, client) => {
      const before = await client.ask('GET', `${TAGS}/1`)
      for (let turn = 0; turn < 3; turn++) {
        const replaced = live.replace({})
        const during = client.ask('GET', `${TAGS}/1`)
        await replaced
        for (const answer of [await during, await client.ask('GET', `${TAGS}/1`)]) {
          assert.deepEqual([answer.status, answer.reused, answer.json], [200, true, before.json])
        }
      }
      assert.equal((await client.ask('GET', '/healthz')).headers.connection, 'keep-alive')
    }))

  test('loses no write that was acknowledged, and answers all of them', () =>
    withClient(
      async ({ live }, client) => {
        const answers: Promise<Answer>[] = []
        for (let index = 0; index < 200; index++) {
          answers.push(client.ask('POST', TAGS, name(index)))
          if (index % 40 === 20) {
            void live.replace({})
            await setImmediate()
          }
        }
        const made = await Promise.all(answers)
        assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]))
        const list = await client.ask('GET', `${TAGS}?filters=slug__startswith=tag-&page_size=1`)
        assert.equal(list.json.total, 200)
        assert.equal(new Set(made.map(({ json }) => json.data.id)).size, 200)
      },
      {},
      32,
    ))

  test('waits for requests in flight and queues others', () =>
    withClient(
      async (app, client) => {
        const { reached, release } = holdTags(app)
        const first = client.ask('GET', `${TAGS}/1`)
        await reached
        const former = app.live.app
        const { replace } = former
        let isReleased = false
        const begun: boolean[] = []
        Object.assign(former, {
          replace: (next: Replacement) => {
            begun.push(isReleased)
            return replace(next)
          },
        })
        const replaced = app.live.replace({})
        const second = client.ask('GET', `${TAGS}/2`)
        const isFirst = await Promise.race([second.then(() => false), setImmediate(true)])
        isReleased = true
        release()
        await replaced
        assert.deepEqual([isFirst, begun], [true, [true]], 'nothing happens before')
        assert.deepEqual([(await first).status, (await second).status], [200, 200])
        assert.notEqual(await replaced, former)
      },
      {},
      2,
    ))

  test('answers GET /healthz during a replacement, while other requests wait', () =>
    withClient(
      async (app, client) => {
        const former = app.live.app
        const { replace } = former
        let waiting: Promise<Answer> | undefined
        let health: Answer | undefined
        Object.assign(former, {
          replace: async (next: Replacement) => {
            waiting = client.ask('GET', `${TAGS}/1`)
            health = await client.ask('GET', '/healthz')
            return replace(next)
          },
        })
        assert.notEqual(await app.live.replace({}), former)
        assert.deepEqual([health?.status, health?.json], [200, { status: 'ok' }])
        assert.equal((await waiting)?.status, 200)
      },
      { connections: { ...CONNECTION_LIMITS, queueTimeout: 60_000 } },
      2,
    ))

  test('answers 503 with Retry-After to requests that wait too long or exceed the queue, on connections that stay open', () =>
    withClient(
      async (app, client) => {
        const { reached, release } = holdTags(app)
        const first = client.ask('GET', `${TAGS}/1`)
        await reached
        const replaced = app.live.replace({})
        const waiting = [client.ask('GET', `${TAGS}/2`), client.ask('GET', `${TAGS}/2`)]
        for (const { status, headers, json } of await Promise.all(waiting)) {
          assert.deepEqual([status, headers['retry-after'], json.error], [503, '1', 'Server is not ready'])
          assert.equal(headers['x-frame-options'], 'DENY')
        }
        release()
        await Promise.all([first, replaced])
        const later = await client.ask('GET', `${TAGS}/2`)
        assert.deepEqual([later.status, later.reused], [200, true])
      },
      { connections: { ...CONNECTION_LIMITS, maxQueued: 1, queueTimeout: 50 } },
      3,
    ))

  test('does not wait longer than the limit for requests in flight', () =>
    withClient(
      async (app, client) => {
        const { reached, release } = holdTags(app)
        const first = client.ask('GET', `${TAGS}/1`)
        await reached
        await app.live.replace({})
        assert.equal((await client.ask('GET', `${TAGS}/2`)).status, 200)
        release()
        assert.equal((await first).status, 200)
      },
      { connections: { ...CONNECTION_LIMITS, settleTimeout: 20 } },
      2,
    ))

  test('does not wait for a body that does not arrive; when it does, the response asks to retry', () =>
    withClient(
      async (app, client) => {
        const body = JSON.stringify(name(1))
        const socket = await open(app.port)
        const heard = listen(socket)
        const head = `POST ${TAGS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${app.authorization}Content-Type: application/json\r\n`
        socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, 5)}`)
        await client.ask('GET', `${TAGS}/1`)
        const { gate } = app.live.listener
        while (gate.inFlight.size === 0) await setImmediate()
        // Were it waited for, this would take as long as a connection may.
        await app.live.replace({})
        assert.equal((await client.ask('GET', `${TAGS}/1`)).status, 200)
        socket.write(body.slice(5))
        const { status, headers, json } = await heard
        assert.deepEqual([status, headers['retry-after'], json.error], [503, '1', 'Storage unavailable'])
        assert.deepEqual(app.reported, [], 'it is no fault')
      },
      { connections: { ...CONNECTION_LIMITS, arrivalTimeout: 1, settleTimeout: 60_000, queueTimeout: 90_000 } },
    ))

  test('stays unchanged if the replacement cannot be opened', () =>
    withClient(async ({ live }, client) => {
      // The seed files are read again from the folder, of which one is for no model.
      const faulty = await makeProject({ 'seed/nothing.yaml': '[]' })
      const broken = { ...live.app.project, folder: faulty.path }
      await assert.rejects(live.replace({ project: broken, data: { kind: 'reset', seeds: true, accounts: true } }), /nothing/)
      await faulty.remove()
      assert.equal((await client.ask('GET', `${TAGS}/1`)).status, 200)
      assert.equal((await client.ask('POST', TAGS, name(1))).status, 201)
    }))

  test('again and again leaves nothing behind', () =>
    withClient(async ({ live }, client) => {
      const former: WeakRef<object>[] = []
      const count = () => process.getActiveResourcesInfo().length
      await live.replace({})
      await client.ask('GET', `${TAGS}/1`)
      const before = count()
      for (let turn = 0; turn < 10; turn++) {
        former.push(new WeakRef(live.app))
        await client.ask('GET', `${TAGS}/1`)
        await live.replace({})
        assert.equal((await client.ask('GET', `${TAGS}/1`)).reused, true)
      }
      assert.ok(count() <= before + 2, `${count()} resources, before ${before}`)
      collectGarbage()
      const kept = former.filter((each) => each.deref() !== undefined)
      assert.ok(kept.length <= 1, `${kept.length} former applications are still in memory`)
    }))
})
