import { AppError, ERRORS, type ErrorCode } from '../errors.ts'
import { isObject } from '../util/json.ts'
import { parseUrl } from '../util/urls.ts'

/** A server and the credentials for it. */
export interface ServerConnection {
  /** The root of its API: `http://127.0.0.1:8000/api/v1`. */
  readonly api: string
  /** The setting `admin_path` of the server, where it is known to differ from the default. */
  readonly adminPath?: string | undefined
  /** Returns an access token; called for each request. */
  token(): string
  /** Verifies the identity of the server; called before each request that carries a token. */
  readonly verifyServer?: () => Promise<void>
  /** Completes the error `The server at … rejects …` for a 401: which token, and the remedy. */
  readonly refusal: string
  /** Maximum time until the headers of a response, in milliseconds, beside the time that a file takes to be sent. */
  readonly timeoutMs?: number
}

/** Longer than the idle timeout of a server's connections. */
const TIMEOUT_MS = 150_000

/** Bytes a millisecond of the slowest upload that a server accepts: 16 KiB a second. */
const LEAST_RATE = 16_384 / 1000

/** The time that a file may take to be sent, in milliseconds. */
const sendingMs = (body: unknown): number => (body instanceof Blob ? Math.ceil(body.size / LEAST_RATE) : 0)

/**
 * A `fetch` for a client that calls a server: it sends the token, and checks that an admin server responds. Redirects are not followed,
 * so a token never reaches another server.
 *
 * @throws {AppError} TASK_FAILED without a response of an admin server, or if it rejects the token or does not have the path
 */
export const serverFetch =
  (connection: ServerConnection): typeof fetch =>
  async (url, { method = 'GET', headers, signal, ...init } = {}) => {
    const { api, verifyServer, token, timeoutMs = TIMEOUT_MS } = connection
    await verifyServer?.()
    const timedOut = new AbortController()
    const waitMs = timeoutMs + sendingMs(init.body)
    const timeout = setTimeout(() => timedOut.abort(new Error(`no response in ${waitMs / 1000} s`)), waitMs)
    try {
      const sent = new Headers(headers)
      // A new token each time, since a command may run longer than a token is valid.
      sent.set('authorization', `Bearer ${token()}`)
      const signals = [timedOut.signal, ...(signal ? [signal] : [])]
      const response = await fetch(url, {
        ...init,
        ...{ method, headers: sent, redirect: 'manual', signal: AbortSignal.any(signals) },
      }).catch((cause: unknown) => {
        throw unreachable(api, cause)
      })
      return await checked(connection, `${method} ${String(url).slice(api.length)}`, response)
    } finally {
      // The body of a file or a stream, which is not read yet, may take longer.
      clearTimeout(timeout)
    }
  }

/** The responses that are streamed: the request, the header that shows that it was understood, and its name. */
const STREAMED: readonly (readonly [request: RegExp, header: string, value: string, name: string])[] = [
  [/^GET (?:[^?]*\/export|\/files\/[^?]*)\?/, 'content-disposition', 'attachment', 'a file'],
  [/^GET \/events(\?|$)/, 'content-type', 'text/event-stream', 'a stream of events'],
]

/** Reads a response, unless it is streamed, and returns it. @throws {AppError} */
async function checked(connection: ServerConnection, request: string, response: Response): Promise<Response> {
  const { api } = connection
  const { status, ok, headers } = response
  const [, header = '', value = '', name] = STREAMED.find(([streamed]) => streamed.test(request)) ?? []
  const isStreamed = ok && name !== undefined && headers.get(header)?.startsWith(value) === true
  const problem = isStreamed && value === 'attachment' ? framingProblem(response) : undefined
  if (isStreamed && problem === undefined) return response
  if (problem !== undefined) {
    await response.body?.cancel()
    throw new AppError('TASK_FAILED', `The server at ${api} ${problem}`)
  }
  const text = await response.text().catch((cause: Error) => {
    throw new AppError('TASK_FAILED', `The server at ${api} cut off its response: ${reasonOf(cause)}`, { cause })
  })
  if (status >= 300 && status < 400) {
    const target = shownTarget(headers.get('location'), api)
    throw new AppError('TASK_FAILED', `The server at ${api} redirects to ${target}; use that address. No token was sent there`)
  }
  const body = parsed(text)
  if (ok && name !== undefined && body !== undefined) throw notAdminServer(api, `the response is not ${name}`)
  if (!ok && isErrorBody(body)) refuse(connection, codeOf(status, body.error))
  else if (!ok || !isExpectedBody(request, body)) {
    throw notAdminServer(api, `it responds with status ${status} and an unknown body`)
  }
  return new Response(text, response)
}

/** @throws {AppError} TASK_FAILED for an error that the address or the token causes */
function refuse({ api, refusal }: ServerConnection, code: ErrorCode): void {
  if (code === 'UNAUTHENTICATED') throw new AppError('TASK_FAILED', `The server at ${api} rejects ${refusal}`)
  if (code === 'ROUTE_NOT_FOUND') {
    const remedy = `is it the right address, and of this version?${rootHint(api)}`
    const cause = new AppError(code, 'The path is not served')
    throw new AppError('TASK_FAILED', `The server at ${api} does not have this path; ${remedy}`, { cause })
  }
}

/** The error code that has this status and message. */
export function codeOf(status: number | undefined, message: unknown): ErrorCode {
  const found = Object.entries(ERRORS).find(([, entry]) => entry.status === status && entry.message === message)
  return (found?.[0] as ErrorCode | undefined) ?? 'TASK_FAILED'
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

/** Asks for a streamed response as it is: compression would only have to be undone here. */
export const UNCOMPRESSED = { 'Accept-Encoding': 'identity' }

/** Decodes a file as a stream. Fails when the connection ends before the file does. @param api the server, for the error */
export async function* bodyTextOf(api: string, response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
  try {
    for await (const chunk of bodyOf(api, response)) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw cutOff(api, error)
  }
}

/** Reads a file as a stream of bytes. Fails when the connection ends before the file does. @param api the server, for the error */
export async function* bodyOf(api: string, { body }: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body ?? []) yield chunk as Uint8Array
  } catch (error) {
    throw cutOff(api, error)
  }
}

const cutOff = (api: string, error: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('TASK_FAILED', `The server at ${api} cut off the file: ${reasonOf(error)}`, { cause: error })

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
  [/^GET [^?]*\/site$/, ({ models, user }) => isList(models) && isObject(user)],
  [/^GET [^?]*\/lint$/, ({ findings, summary }) => isList(findings) && isObject(summary)],
  [
    / \/openapi\.json$/,
    ({ components }) => isObject(components) && isObject(components.schemas) && allObjects(components.schemas),
  ],
  [/ \/auth\/issue$/, ({ access_token: token }) => typeof token === 'string'],
  [/^DELETE \/auth\/(sessions|factors)\?/, ({ total }) => typeof total === 'number'],
  [/ \/reset$/, ({ seeded, removed }) => typeof seeded === 'number' && isObject(removed)],
  [/ \/mock$/, ({ data }) => isObject(data) && isObject(data.created)],
  [/^POST \/files\//, ({ data }) => isList(data)],
  [/^POST .*\/import\?/, ({ created, updated, total, ignored }) => areNumbers(created, updated, total) && Array.isArray(ignored)],
  [/^POST .*\/actions\/\w+(\?|$)/, ({ message, data }) => typeof message === 'string' && Array.isArray(data)],
  [/^POST .*\/restore(\?|$)/, ({ consequences, notices }) => isList(consequences) && Array.isArray(notices)],
  [/^GET \/search\?/, ({ data, total }) => isList(data) && areNumbers(total)],
  [/^GET [^?]*\/search\?/, ({ data, hits, total }) => isList(data) && isList(hits) && areNumbers(total)],
  [/^GET [^?]*\/\d+(\?|$)/, ({ data }) => isObject(data)],
  [/^GET /, ({ data }) => isList(data)],
  [/^/, ({ data }) => isObject(data)],
]

/** True if a body has the shape that an admin server returns for a request. Other servers may also respond with JSON. */
function isExpectedBody(request: string, body: unknown): body is Record<string, unknown> {
  return isObject(body) && EXPECTED.find(([pattern]) => pattern.test(request))?.[1](body) === true
}

/** True for the body of an API error. Checks every value, since error pages of proxies may have a similar shape. */
function isErrorBody(body: unknown): body is Record<string, unknown> {
  if (!isObject(body)) return false
  const { detail, details, error } = body
  const messages = (isObject(detail) ? detail.error : undefined) ?? details ?? error
  if (typeof messages === 'string') return true
  return (
    isObject(messages) &&
    Object.values(messages).every((all) => Array.isArray(all) && all.every((each) => typeof each === 'string'))
  )
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isObject)

const allObjects = (value: Record<string, unknown>): boolean => Object.values(value).every(isObject)

const areNumbers = (...values: readonly unknown[]): boolean => values.every((value) => typeof value === 'number')
