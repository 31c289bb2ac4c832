import { Connection } from './connection.ts'

/** Connections of every load, each with a token of its own. */
export const CONNECTIONS = 16

/** Where a load goes. */
export interface Target {
  readonly address: string
  /** One for each connection. */
  readonly tokens: readonly string[]
}

/** A request, as a row of a benchmark means it. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Path and query, encoded. */
  readonly path: string
  /** JSON. */
  readonly body?: string
}

/** One exchange; `begin` and `end` by `performance.now()`. */
export interface Sample {
  readonly method: Ask['method']
  readonly begin: number
  readonly end: number
}

export interface LoadResult {
  readonly samples: readonly Sample[]
  /** Answers with another status than the one that was asked for. */
  readonly errors: number
  /** The first of them, for a person. */
  readonly firstError: string | undefined
  /** How long it took. */
  readonly milliseconds: number
  readonly perSecond: number
  /** How busy this process was, 1 being one core: near 1 it is the generator that is measured. */
  readonly generatorLoad: number
}

/**
 * Keeps every connection busy, one request at a time, until `isOver`; then waits for what is under way.
 *
 * @throws {Error} when a connection breaks
 */
export async function runLoad(target: Target, next: () => Ask, isOver: () => boolean): Promise<LoadResult> {
  const address = new URL(target.address)
  const samples: Sample[] = []
  let errors = 0
  let firstError: string | undefined
  const connections = await Promise.all(target.tokens.map(() => Connection.open(address)))

  const keepBusy = async (connection: Connection, token: string) => {
    const headers = ` HTTP/1.1\r\nHost: ${address.host}\r\nAuthorization: Bearer ${token}\r\n`
    while (!isOver()) {
      const ask = next()
      const text = serialize(ask, headers)
      const begin = performance.now()
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

/** A load's end: so many seconds from now. */
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
