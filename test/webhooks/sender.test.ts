import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { systemClock } from '../../src/util/clock.ts'
import { MAX_RESPONSE_BYTES, Sender } from '../../src/webhooks/sender.ts'
import { UrlGuard } from '../../src/webhooks/url-guard.ts'
import { type Answer, type Receiver, startReceiver } from '../helpers/api/receiver.ts'

const REQUEST = { headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' }, body: '{"a":"ü"}' }

async function withReceiver(
  answers: readonly Answer[],
  body: (receiver: Receiver, sender: Sender) => Promise<void>,
  { guard = new UrlGuard(true), timeoutMs = 5000 }: { guard?: UrlGuard; timeoutMs?: number } = {},
): Promise<void> {
  const receiver = await startReceiver(...answers)
  const sender = new Sender({ guard, clock: systemClock, timeoutMs })
  try {
    await body(receiver, sender)
  } finally {
    sender.close()
    await receiver.close()
  }
}

describe('one attempt', () => {
  test('posts the body with its headers and returns status and text', async () => {
    const answer: Answer = (response) => response.writeHead(202, { 'retry-after': '7' }).end('thank you')
    await withReceiver([answer], async ({ url, received }, sender) => {
      const { took, ...rest } = await sender.send(`${url}?key=1`, REQUEST)
      assert.deepEqual(rest, { status: 202, reason: undefined, text: 'thank you', retryAfter: '7' })
      assert.ok(took >= 0, 'the duration is negative')
      assert.equal(received[0]?.path, '/hook?key=1')
      assert.equal(received[0]?.body, REQUEST.body)
      assert.equal(received[0]?.headers['webhook-id'], 'msg_1')
      assert.equal(received[0]?.headers['content-length'], '10')
    })
  })

  test('follows no redirect', async () => {
    await using other = await startReceiver(200)
    const answer: Answer = (response) => response.writeHead(302, { location: other.url }).end()
    await withReceiver([answer], async ({ url, received }, sender) => {
      assert.equal((await sender.send(url, REQUEST)).status, 302)
      assert.equal(received.length, 1)
    })
    assert.equal(other.received.length, 0, 'the redirect was followed')
  })

  test('reuses a connection, and opens another if the receiver has closed it', async () => {
    await withReceiver([200], async ({ url, server, received }, sender) => {
      let connections = 0
      server.on('connection', () => connections++)
      await sender.send(url, REQUEST)
      await sender.send(url, REQUEST)
      assert.equal(connections, 1)
      // Closed without notice: the sender sees it when it writes.
      server.once('request', (request) => request.socket.destroy())
      assert.equal((await sender.send(url, REQUEST)).status, 200)
      assert.equal(connections, 2)
      assert.equal(received.length >= 3, true)
    })
  })

  test('connections that are closed late, one after another, do not extend the time limit', async () => {
    const TIMEOUT_MS = 400
    const held: (() => void)[] = []
    const hold: Answer = (response) => held.push(() => response.writeHead(200).end())
    const closeLate: Answer = (response) => setTimeout(() => response.destroy(), 0.6 * TIMEOUT_MS)
    await withReceiver(
      [hold, hold, hold, closeLate],
      async ({ url, received, arrived }, sender) => {
        const connected = Array.from({ length: 3 }, () => sender.send(url, REQUEST))
        await arrived(3)
        for (const answer of held) answer()
        await Promise.all(connected)
        assert.equal((await sender.send(url, REQUEST)).status, undefined)
        assert.ok(received.length <= 5, `it was sent ${received.length - 3} times`)
      },
      { timeoutMs: TIMEOUT_MS },
    )
  })

  test('a request that is aborted by closing is not sent again', async () => {
    await withReceiver([200, () => {}], async ({ url, server, received }, sender) => {
      await sender.send(url, REQUEST)
      const cutOff = sender.send(url, REQUEST)
      await once(server, 'request')
      sender.close()
      assert.equal((await cutOff).status, undefined)
      assert.equal(received.length, 2)
    })
  })

  test('an endless response is cut, and its status counts', async () => {
    const endless: Answer = (response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    }
    await withReceiver([endless], async ({ url }, sender) => {
      const { status, text } = await sender.send(url, REQUEST)
      assert.equal(status, 200)
      assert.equal(text, 'x'.repeat(MAX_RESPONSE_BYTES))
    })
  })

  test('a slow response ends with the time limit', async () => {
    const drops: Answer = (response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 5)
      response.on('close', () => clearInterval(timer))
    }
    await withReceiver(
      [drops],
      async ({ url }, sender) => {
        const { status, text } = await sender.send(url, REQUEST)
        assert.equal(status, 200)
        assert.match(text, /^\.+$/)
      },
      // The head must arrive within the limit, on a busy machine too.
      { timeoutMs: 1000 },
    )
  })

  test('a receiver that never answers times out', async () => {
    await withReceiver(
      [() => {}],
      async ({ url }, sender) => {
        const { status, reason } = await sender.send(url, REQUEST)
        assert.equal(status, undefined)
        assert.equal(reason, 'There was no answer within 0.04 seconds')
      },
      { timeoutMs: 40 },
    )
  })

  test('closing before the response head is a failure; closing within the body is not', async () => {
    const early: Answer = (response) => response.destroy()
    const half: Answer = (response) => {
      response.writeHead(500, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    }
    await withReceiver([early, half], async ({ url }, sender) => {
      const first = await sender.send(url, REQUEST)
      assert.equal(first.status, undefined)
      assert.match(first.reason ?? '', /socket hang up|ECONNRESET/)
      const second = await sender.send(url, REQUEST)
      assert.deepEqual([second.status, second.text], [500, 'half'])
    })
  })

  test('invalid UTF-8 and NUL are replaced in the stored text', async () => {
    const answer: Answer = (response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0x62]))
    await withReceiver([answer], async ({ url }, sender) => {
      assert.equal((await sender.send(url, REQUEST)).text, 'a\uFFFD\uFFFDb')
    })
  })

  test('a server that does not speak HTTP, and a closed port', async () => {
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('hello\r\n\r\n'),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const sender = new Sender({ guard: new UrlGuard(true), clock: systemClock })
    assert.match((await sender.send(`http://127.0.0.1:${port}/`, REQUEST)).reason ?? '', /Parse Error/)
    server.close()
    await once(server, 'close')
    assert.match((await sender.send(`http://127.0.0.1:${port}/`, REQUEST)).reason ?? '', /ECONNREFUSED/)
    sender.close()
  })
})

describe('the guard checks every attempt', () => {
  const closed = new UrlGuard(false)

  test('a blocked address in the URL is not connected to', async () => {
    await withReceiver(
      [200],
      async ({ url, received, server }, sender) => {
        let connections = 0
        server.on('connection', () => connections++)
        const port = new URL(url).port
        for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '0x7f.1', '017700000001']) {
          const { status, reason } = await sender.send(`http://${host}:${port}/`, REQUEST)
          assert.equal(status, undefined, host)
          assert.match(reason ?? '', /The URL leads to .*allow_private: true/, host)
        }
        assert.deepEqual([received.length, connections], [0, 0])
      },
      { guard: closed },
    )
  })

  test('a name is resolved for each connection, which uses the resolved address', async () => {
    const names: string[] = []
    const answers = ['127.0.0.1', '127.0.0.1', '169.254.169.254']
    const resolve = async (name: string) => {
      names.push(name)
      return [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]
    }
    const closing: Answer = (response) => response.writeHead(200, { connection: 'close' }).end()
    await withReceiver(
      [closing],
      async ({ url, received }, sender) => {
        const address = url.replace('127.0.0.1', 'rebind.example')
        assert.equal((await sender.send(address, REQUEST)).status, 200)
        assert.equal((await sender.send(address, REQUEST)).status, 200)
        const blocked = await sender.send(address, REQUEST)
        assert.match(blocked.reason ?? '', /^rebind\.example leads to 169\.254\.169\.254/)
        assert.equal(received.length, 2)
        assert.deepEqual(names, ['rebind.example', 'rebind.example', 'rebind.example'])
      },
      { guard: new UrlGuard(true, resolve) },
    )
  })
})
