import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { CONNECTION_LIMITS } from '../../../src/http/listener.ts'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'

const BOUND = { timeout: 20_000 }

/** A connection on which requests are written by hand. */
class Connection {
  readonly #socket: Socket
  readonly #host: string
  received = ''

  private constructor(socket: Socket, host: string) {
    this.#socket = socket
    this.#host = host
    socket.setEncoding('utf8').on('data', (text) => {
      this.received += text
    })
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new Connection(socket, `127.0.0.1:${port}`)
  }

  /** Sends a request. */
  ask(path: string, token?: string): void {
    const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${authorization}\r\n`)
  }

  /** Sends a request and gives what is answered to it, whole. */
  async answer(path: string, token?: string): Promise<string> {
    this.received = ''
    this.ask(path, token)
    for (;;) {
      const [head = '', body] = this.received.split('\r\n\r\n')
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1])
      if (body !== undefined && body.length >= length) return this.received
      await Promise.race([once(this.#socket, 'data'), this.ended().then(() => assert.fail(`no answer to ${path}`))])
    }
  }

  /** Resolves once the server has ended the connection. */
  async ended(): Promise<void> {
    if (!this.#socket.closed) await once(this.#socket, 'close')
  }
}

/** Makes reading a tag wait until it is released. */
function holdTags({ app: { store } }: TestApp): { reached: Promise<void>; release: () => void } {
  const { get } = store
  let reach = () => {}
  let release = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  store.get = async (table, ids) => {
    if (table === 'tag') {
      reach()
      await released
    }
    return get.call(store, table, ids)
  }
  return { reached, release }
}

describe('a server that is stopping, over real connections', () => {
  test('is unready immediately and continues for the stop delay, so that load balancers notice', BOUND, async () => {
    let waits = 0
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const wait = (milliseconds: number) => {
      waits = milliseconds
      return released
    }
    const app = await openTestApp({ settings: { port: 0, stop_delay_seconds: 3 }, wait })
    try {
      const token = await app.tokenOf('admin')
      await app.live.start()
      const port = Number(app.server.info.port)
      const before = await Connection.open(port)
      assert.match(await before.answer('/readyz'), /^HTTP\/1\.1 200 OK\r\n.*\{"status":"ready"\}$/s)

      const stopped = app.live.stop()
      for (const connection of [before, await Connection.open(port)]) {
        assert.match(await connection.answer('/readyz'), /^HTTP\/1\.1 503 Service Unavailable\r\n.*\{"status":"stopping"\}$/s)
        assert.match(await connection.answer('/healthz'), /^HTTP\/1\.1 200 /)
        assert.match(await connection.answer('/api/v1/models/tag/1', token), /^HTTP\/1\.1 200 .*"name":"Lighthouse"/s)
      }
      assert.equal(waits, 3000)
      release()
      await stopped
      await assert.rejects(Connection.open(port), { code: 'ECONNREFUSED' })
    } finally {
      release()
      await app.close()
    }
  })

  test('finishes open requests and accepts no new connections', BOUND, async () => {
    await using app = await openTestApp({ settings: { port: 0 } })
    const token = await app.tokenOf('admin')
    await app.live.start()
    const port = Number(app.server.info.port)
    const { reached, release } = holdTags(app)
    const busy = await Connection.open(port)
    const idle = await Connection.open(port)
    assert.match(await idle.answer('/readyz'), /^HTTP\/1\.1 200 /)
    busy.ask('/api/v1/models/tag/1', token)
    await reached

    const stopped = app.live.stop()
    await idle.ended()
    await assert.rejects(Connection.open(port), { code: 'ECONNREFUSED' })
    assert.equal(busy.received, '', 'the open request was answered too early')
    release()
    await Promise.all([stopped, busy.ended()])
    assert.match(busy.received, /^HTTP\/1\.1 200 OK\r\n.*"name":"Lighthouse"/s)
  })

  test('does not wait for ever', BOUND, async () => {
    await using app = await openTestApp({ settings: { port: 0 }, connections: { ...CONNECTION_LIMITS, stopTimeout: 10 } })
    const token = await app.tokenOf('admin')
    await app.live.start()
    const { reached, release } = holdTags(app)
    const busy = await Connection.open(Number(app.server.info.port))
    busy.ask('/api/v1/models/tag/1', token)
    await reached
    await app.live.stop()
    assert.equal(busy.received, '')
    release()
  })
})
