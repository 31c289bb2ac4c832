import { AppError } from '../errors.ts'
import { isObject } from '../util/json.ts'
import { parseUrl } from '../util/urls.ts'
import { type ApiRequests, errorIn, payloadOf, retryAfterIn } from './api-requests.ts'

/** A server and the credentials for it. */
export interface ServerConnection {
  /** The root of its API: `http://127.0.0.1:8000/api/v1`. */
  readonly api: string
  /** Returns an access token; called for each request. */
  token(): string
  /** Verifies the identity of the server; called before each request that carries a token. */
  readonly verifyServer?: () => Promise<void>
  /** Completes the error `The server at … rejects …` for a 401: which token, and the remedy. */
  readonly refusal: string
  /** Maximum time until the headers of a response, in milliseconds. */
  readonly timeoutMs?: number
}

/** Longer than the idle timeout of a server's connections. */
const TIMEOUT_MS = 150_000

/** Calls the API of a server over HTTP. Redirects are not followed, so a token never reaches another server. */
export function overHttp(connection: ServerConnection): ApiRequests {
  const { api } = connection
  return {
    async request(method, path, body) {
      const { response, timeout } = await send(connection, path, { method, body })
      try {
        const text = await response.text().catch((cause: Error) => {
          throw new AppError('TASK_FAILED', `The server at ${api} cut off its response: ${reasonOf(cause)}`, { cause })
        })
        return parseBody(connection, response, text, (parsedBody) => isExpectedBody(method, path, parsedBody))
      } finally {
        clearTimeout(timeout)
      }
    },
    async download(path, signal) {
      // Compression would only have to be undone here.
      const headers = { 'accept-encoding': 'identity' }
      const { response, timeout } = await send(connection, path, { method: 'GET', headers, ...(signal && { signal }) })
      // The body of a large file may take longer than the timeout.
      clearTimeout(timeout)
      if (response.headers.get('content-disposition')?.startsWith('attachment') === true && response.ok) {
        const problem = framingProblem(response)
        if (problem === undefined) return textOf(api, response)
        await response.body?.cancel()
        throw new AppError('TASK_FAILED', `The server at ${api} ${problem}`)
      }
      parseBody(connection, response, await response.text(), () => true)
      throw notAdminServer(api, 'the response is not a file')
    },
  }
}

/**
 * Opens a stream of Server-Sent Events and returns its text, which fails when the connection breaks.
 *
 * @throws {AppError} with the error that the API responds with
 */
export async function openStream(
  connection: ServerConnection,
  path: string,
  { lastEventId, signal }: { readonly lastEventId: string | undefined; readonly signal: AbortSignal },
): Promise<AsyncIterable<string>> {
  const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const headers = { accept: 'text/event-stream', 'accept-encoding': 'identity', ...resume }
  const { response, timeout } = await send(connection, path, { method: 'GET', headers, signal })
  clearTimeout(timeout)
  const { api } = connection
  if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream') === true) return textOf(api, response)
  parseBody(connection, response, await response.text(), () => true)
  throw notAdminServer(api, 'the response is not a stream of events')
}

interface RequestParts {
  readonly method: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

async function send(connection: ServerConnection, path: string, { method, body, headers, signal }: RequestParts) {
  const { api, verifyServer, token, timeoutMs = TIMEOUT_MS } = connection
  const sent = payloadOf(body)
  await verifyServer?.()
  const timedOut = new AbortController()
  const timeout = setTimeout(() => timedOut.abort(new Error(`no response in ${timeoutMs / 1000} s`)), timeoutMs)
  const signals = signal === undefined ? [timedOut.signal] : [timedOut.signal, signal]
  try {
    const response = await fetch(api + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any(signals),
      headers: {
        ...headers,
        // A new token each time, since a command may run longer than a token is valid.
        authorization: `Bearer ${token()}`,
        ...(sent === undefined ? {} : { 'content-type': sent.type }),
      },
      ...(sent === undefined ? {} : { body: sent.payload }),
    })
    return { response, timeout }
  } catch (cause) {
    clearTimeout(timeout)
    signal?.throwIfAborted()
    throw unreachable(api, cause)
  }
}

/** Why a truncated file could not be detected; undefined when HTTP framing (a length or chunks) shows where the file ends. */
function framingProblem({ status, headers }: Response): string | undefined {
  if (status !== 200) return `responds with status ${status} instead of the whole file; is there a proxy that sends parts?`
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') return `sends the file compressed with ${encoding}, unrequested; is there a proxy that compresses?`
  const transfer = headers.get('transfer-encoding')
  if (transfer === null ? headers.has('content-length') : transfer.toLowerCase() === 'chunked') return undefined
  return 'does not show where a file ends; is there a proxy that speaks HTTP/1.0?'
}

/** Decodes a file as a stream. Fails when the connection ends before the file does. */
async function* textOf(api: string, { body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
  try {
    for await (const chunk of body ?? []) yield decoder.decode(chunk as Uint8Array, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('TASK_FAILED', `The server at ${api} cut off the file: ${reasonOf(error)}`, { cause: error })
  }
}

/** Parses the body of a response. @throws {AppError} for a redirect, an error response, or the response of another server */
function parseBody(
  { api, refusal }: ServerConnection,
  { status, headers }: Response,
  text: string,
  isExpected: (body: unknown) => boolean,
): unknown {
  if (status >= 300 && status < 400) {
    const target = shownTarget(headers.get('location'), api)
    throw new AppError('TASK_FAILED', `The server at ${api} redirects to ${target}; use that address. No token was sent there`)
  }
  const body = parsed(text)
  if (status < 300 && body !== undefined && isExpected(body)) return body
  const error = status < 300 ? undefined : errorIn(status, body, retryAfterIn(headers))
  if (error === undefined) throw notAdminServer(api, `it responds with status ${status} and an unknown body`)
  if (error.code === 'UNAUTHENTICATED') {
    throw new AppError('TASK_FAILED', `The server at ${api} rejects ${refusal}`, { cause: error })
  }
  if (error.code === 'ROUTE_NOT_FOUND') {
    const remedy = `is it the right address, and of this version?${rootHint(api)}`
    throw new AppError('TASK_FAILED', `The server at ${api} does not have this path; ${remedy}`, { cause: error })
  }
  throw error
}

/** The target of a redirect without user name, password and query, which may be secret. */
function shownTarget(location: string | null, api: string): string {
  const target = location === null ? undefined : parseUrl(location, api)
  return target === undefined ? 'somewhere else' : target.origin + target.pathname
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A hint for an address such as `/api/shop`, which is used as the root of an API but may be a base path. */
const rootHint = (api: string): string =>
  /\/api\/v\d+$/.test(api) ? '' : ` (if ${new URL(api).pathname} is a base path, use the root of the API: ${api}/api/v1)`

const notAdminServer = (api: string, sign: string): AppError =>
  new AppError(
    'TASK_FAILED',
    `The server at ${api} is not an admin server, or its API is at another path: ${sign}${rootHint(api)}`,
  )

/** The error for a server that cannot be connected to. */
export const unreachable = (api: string, cause: unknown): AppError =>
  new AppError('TASK_FAILED', `The server at ${api} cannot be reached: ${reasonOf(cause)}`, { cause })

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no process listens there',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in 10 s',
  UND_ERR_BODY_TIMEOUT: 'no data arrived for too long',
}

/** The reason for an error of `fetch`, which is in the error's cause. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown }
  const { code = '', message } = cause as NodeJS.ErrnoException
  if (/CERT|SIGNED|SIGNATURE|ALTNAME/.test(code)) {
    return `its certificate is not trusted (${message}); set NODE_EXTRA_CA_CERTS to a file with the CA certificate`
  }
  return REASONS[code] ?? message
}

/** The JSON properties that commands read from a response, by `METHOD path`, where the path is a URL path with its query. The first matching entry applies. */
const EXPECTED: readonly (readonly [RegExp, (body: Record<string, unknown>) => boolean])[] = [
  [
    / \/openapi\.json$/,
    ({ components }) => isObject(components) && isObject(components.schemas) && allObjects(components.schemas),
  ],
  [/ \/auth\/issue$/, ({ access_token: token }) => typeof token === 'string'],
  [/^DELETE \/auth\/sessions\?/, ({ total }) => typeof total === 'number'],
  [/ \/reset$/, ({ seeded, removed }) => typeof seeded === 'number' && isObject(removed)],
  [/ \/mock$/, ({ data }) => isObject(data) && isObject(data.created)],
  [/^POST .*\/import\?/, ({ created, updated, total, ignored }) => areNumbers(created, updated, total) && Array.isArray(ignored)],
  [/^GET [^?]*\/search\?/, ({ data, hits, total }) => isList(data) && isList(hits) && areNumbers(total)],
  [/^GET [^?]*\/\d+$/, ({ data }) => isObject(data)],
  [/^GET /, ({ data }) => isList(data)],
  [/^/, ({ data }) => isObject(data)],
]

/** True if a body has the shape that an admin server returns for a request. Other servers may also respond with JSON. */
function isExpectedBody(method: string, path: string, body: unknown): boolean {
  if (!isObject(body)) return false
  const [, matches] = EXPECTED.find(([request]) => request.test(`${method} ${path}`)) ?? []
  return matches?.(body) === true
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isObject)

const allObjects = (value: Record<string, unknown>): boolean => Object.values(value).every(isObject)

const areNumbers = (...values: readonly unknown[]): boolean => values.every((value) => typeof value === 'number')

/** An event of a server's stream. */
interface ServerEvent {
  readonly type: string
  readonly data: string
  /** Position in the stream, to go on after it; undefined for an event that has none. */
  readonly id: string | undefined
}

/**
 * Parses a stream of Server-Sent Events as an admin server writes it: lines end with LF, and an event has one line of data.
 * Comments are ignored, and an event that is cut off is dropped.
 */
export async function* serverEvents(text: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = ''
  for await (const piece of text) {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [type, data, id] = ['event', 'data', 'id'].map((name) => fieldOf(block, name))
      if (type !== undefined && data !== undefined) yield { type, data, id }
    }
  }
}

const fieldOf = (block: string, name: string): string | undefined =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)
