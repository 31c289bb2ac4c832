import { type ClientOptions, createClient } from '../../src/client/client.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../helpers/api/app.ts'

/** An application that listens on loopback. */
export interface LiveApp extends TestApp {
  readonly url: string
  /** Every completed request: method and path, without the query. */
  readonly asked: string[]
}

/** A superuser of the fixture `blog`. */
export const ADMIN = { username: 'admin', password: 'harbour-admin-2024' }
/** A user of the fixture `blog` who may write posts, but not delete users. */
export const AUTHOR = { username: 'anna.lind', password: 'lighthouse-keys-17' }

export async function openLive({ settings = {}, ...options }: TestAppOptions = {}): Promise<LiveApp> {
  const app = await openTestApp({ ...options, settings: { port: 0, ...settings } })
  const asked: string[] = []
  app.server.events.on('response', ({ method, path }) => asked.push(`${method.toUpperCase()} ${path}`))
  await app.live.start()
  return { ...app, url: app.server.info.uri, asked }
}

/** Creates a client and logs in. */
export async function loggedIn({ url }: LiveApp, options: Partial<ClientOptions> = {}, { username, password } = ADMIN) {
  const client = createClient({ url, ...options } as ClientOptions)
  await client.login(username, password)
  return client
}

/** A recorded request. */
export interface Sent {
  readonly method: string
  /** Relative to `/models/`, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}

/** A `fetch` that records its requests. */
export function noting(): { sent: Sent[]; fetch: typeof fetch } {
  const sent: Sent[] = []
  const noted: typeof fetch = (input, init) => {
    const { pathname, searchParams } = new URL(String(input))
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    sent.push({ method: init?.method ?? 'GET', path: pathname.replace(/^.*\/models\//, ''), query: searchParams, body })
    return fetch(input, init)
  }
  return { sent, fetch: noted }
}
