import { setTimeout as delay } from 'node:timers/promises'
import { Connection } from './connection.ts'

/** Number of connections of every load. Each has its own token. */
export const CONNECTIONS = 16

/** The server under load. */
export interface Target {
  readonly address: string
  /** One access token for each connection. */
  readonly tokens: readonly string[]
}

/** A request of a load. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Encoded path and query. */
  readonly path: string
  /** JSON. */
  readonly body?: string
}

/** The times of one exchange, from `performance.now()`. */
export interface Sample {
  readonly method: Ask['method']
  readonly begin: number
  readonly end: number
}

export interface LoadResult {
  readonly samples: readonly Sample[]
  /** Number of responses with an unexpected status. */
  readonly errors: number
  /** Description of the first error. */
  readonly firstError: string | undefined
  /** Duration of the load. */
  readonly milliseconds: number
  readonly perSecond: number
  /** CPU use of this process in cores. Near 1, the load generator limits the rate instead of the server. */
  readonly generatorLoad: number
}

/**
 * Keeps every connection busy with one request at a time until `isOver`, then waits for the requests in flight.
 *
 * @param perSecond limits the rate. The latency of a request that had to wait for a connection includes the wait
 * @throws {Error} if a connection breaks
 */
export async function runLoad(target: Target, next: () => Ask, isOver: () => boolean, perSecond?: number): Promise<LoadResult> {
  const address = new URL(target.address)
  const samples: Sample[] = []
  let errors = 0
  let firstError: string | undefined
  const turn = perSecond === undefined ? async () => performance.now() : paced(perSecond)
  const connections = await Promise.all(target.tokens.map(() => Connection.open(address)))

  const keepBusy = async (connection: Connection, token: string) => {
    const headers = ` HTTP/1.1\r\nHost: ${address.host}\r\nAuthorization: Bearer ${token}\r\n`
    while (!isOver()) {
      const ask = next()
      const text = serialize(ask, headers)
      const begin = await turn()
      const { status, bytes } = await connection.exchange(text)
      samples.push({ method: ask.method, begin, end: performance.now() })
      if (status === expectedStatus(ask)) continue
      errors++
      firstError ??= `${ask.method} ${ask.path} answered ${bytes.toString().slice(0, 2000)}`
    }
  }

  const busyBefore = process.cpuUsage()
  const begin = performance.now()
  try {
    await Promise.all(connections.map((connection, index) => keepBusy(connection, target.tokens[index] ?? '')))
  } finally {
    for (const connection of connections) connection.close()
  }
  const elapsed = performance.now() - begin
  const { user, system } = process.cpuUsage(busyBefore)
  return {
    samples,
    errors,
    firstError,
    milliseconds: elapsed,
    perSecond: (samples.length * 1000) / elapsed,
    generatorLoad: (user + system) / 1000 / elapsed,
  }
}

/** Returns a function that resolves, at this rate, with the time at which a request was due. */
function paced(perSecond: number): () => Promise<number> {
  const start = performance.now()
  let count = 0
  return async () => {
    const due = start + (count++ * 1000) / perSecond
    const wait = due - performance.now()
    if (wait <= 0) return due
    await delay(wait)
    return performance.now()
  }
}

/** A condition that becomes true after the given number of seconds. */
export function lasting(seconds: number): () => boolean {
  const deadline = performance.now() + seconds * 1000
  return () => performance.now() >= deadline
}

const expectedStatus = ({ method }: Ask): number => (method === 'POST' ? 201 : 200)

function serialize({ method, path, body }: Ask, headers: string): string {
  if (body === undefined) return `${method} ${path}${headers}\r\n`
  const length = Buffer.byteLength(body)
  return `${method} ${path}${headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`
}
