import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a receiver got it. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a receiver does with a request: answers with a status, or anything at all. */
export type Answer = number | ((response: ServerResponse, request: IncomingMessage) => void)

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  readonly server: Server
  /** Resolves once there were so many requests. Fails after a minute. */
  arrived(count: number): Promise<void>
  close(): Promise<void>
}

/** Milliseconds in which a request must arrive. */
const ARRIVAL_MS = 60_000

/** A receiver of webhooks on this machine. @param answers to the first requests, in order; the last one stays */
export async function startReceiver(...answers: Answer[]): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    try {
      for await (const chunk of request) body += chunk
    } catch {
      return
    }
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    const { url: path = '', headers } = request
    received.push({ path, headers: headers as Record<string, string>, body })
    if (typeof answer === 'function') answer(response, request)
    else response.writeHead(answer ?? 200).end()
    server.emit('received')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    server,
    async arrived(count) {
      const signal = AbortSignal.timeout(ARRIVAL_MS)
      while (received.length < count)
        await once(server, 'received', { signal }).catch((cause: unknown) => {
          throw new Error(`${received.length} of ${count} requests have arrived`, { cause })
        })
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
