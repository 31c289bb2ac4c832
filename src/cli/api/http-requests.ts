import { AppError } from '../../errors.ts'
import { type ApiRequests, failureIn, payloadOf, retryAfterIn } from './api-requests.ts'
import { isOurAnswer } from './expected-responses.ts'

/** A server, and how it is asked. */
export interface Connection {
  /** The root of its API. */
  readonly api: string
  /** A token for the next request. */
  token(): string
  /** Makes sure before each token that is sent that it is sent to the right one. */
  readonly prove?: () => Promise<void>
  /** Why a token may be refused, and what to do about it. */
  readonly refused: string
  /** How long an answer may take to begin, in milliseconds. */
  readonly timeoutMs?: number
}

/** Longer than a server keeps a connection on which nothing happens. */
const TIMEOUT_MS = 150_000

/** The API of a server, over HTTP. A token is never sent to where a server redirects. */
export function overHttp(connection: Connection): ApiRequests {
  const { api } = connection
  return {
    async request(method, path, body) {
      const { response, giveUp } = await send(connection, path, { method, body })
      try {
        const text = await response.text().catch((cause: Error) => {
          throw new AppError('TASK_FAILED', `The server at ${api} ended before its answer did: ${reasonOf(cause)}`, { cause })
        })
        return read(connection, response, text, (answer) => isOurAnswer(method, path, answer))
      } finally {
        clearTimeout(giveUp)
      }
    },
    async download(path, signal) {
      // What is packed would only be unpacked again.
      const headers = { 'accept-encoding': 'identity' }
      const { response, giveUp } = await send(connection, path, { method: 'GET', headers, ...(signal && { signal }) })
      // From here on it takes as long as it takes.
      clearTimeout(giveUp)
      if (response.headers.get('content-disposition')?.startsWith('attachment') === true && response.ok) {
        const doubt = doubtIn(response)
        if (doubt === undefined) return textOf(api, response)
        await response.body?.cancel()
        throw new AppError('TASK_FAILED', `The server at ${api} ${doubt}`)
      }
      read(connection, response, await response.text(), () => true)
      throw notOurs(api, 'what it answers is no file')
    },
  }
}

interface Sent {
  readonly method: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

async function send(connection: Connection, path: string, { method, body, headers, signal }: Sent) {
  const { api, prove, token, timeoutMs = TIMEOUT_MS } = connection
  const sent = payloadOf(body)
  await prove?.()
  const late = new AbortController()
  const giveUp = setTimeout(() => late.abort(new Error(`no answer in ${timeoutMs / 1000} s`)), timeoutMs)
  const signals = signal === undefined ? [late.signal] : [late.signal, signal]
  try {
    const response = await fetch(api + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any(signals),
      headers: {
        ...headers,
        // Commands may run for longer than a token is good.
        authorization: `Bearer ${token()}`,
        ...(sent === undefined ? {} : { 'content-type': sent.type }),
      },
      ...(sent === undefined ? {} : { body: sent.payload }),
    })
    return { response, giveUp }
  } catch (cause) {
    clearTimeout(giveUp)
    signal?.throwIfAborted()
    throw unreachable(api, cause)
  }
}

/** Why the end of a file could not be told from the end of a connection; undefined when it can. */
function doubtIn({ status, headers }: Response): string | undefined {
  if (status !== 200) return `answers ${status} rather than with the whole file; is there a proxy that sends parts?`
  const packing = headers.get('content-encoding') ?? 'identity'
  if (packing !== 'identity') return `sends the file packed by ${packing}, unasked; is there a proxy that packs?`
  const transfer = headers.get('transfer-encoding')
  if (transfer === null ? headers.has('content-length') : transfer.toLowerCase() === 'chunked') return undefined
  return 'does not show where a file ends; is there a proxy that speaks HTTP/1.0?'
}

/** The text of a file as it arrives. Fails when the connection is cut before its end. */
async function* textOf(api: string, { body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
  try {
    for await (const chunk of body ?? []) yield decoder.decode(chunk as Uint8Array, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('TASK_FAILED', `The server at ${api} ended before the file did: ${reasonOf(error)}`, { cause: error })
  }
}

/** The body of an answer. @throws {AppError} with what it says is wrong */
function read(
  { api, refused }: Connection,
  { status, headers }: Response,
  text: string,
  isOurs: (answer: unknown) => boolean,
): unknown {
  if (status >= 300 && status < 400) {
    const target = shownTarget(headers.get('location'), api)
    throw new AppError('TASK_FAILED', `The server at ${api} leads to ${target}; name that address. No token was sent there`)
  }
  const body = parsed(text)
  if (status < 300 && body !== undefined && isOurs(body)) return body
  const failure = status < 300 ? undefined : failureIn(status, body, retryAfterIn(headers))
  if (failure === undefined) throw notOurs(api, `it answers ${status} in words of its own`)
  if (failure.code === 'UNAUTHENTICATED') {
    throw new AppError('TASK_FAILED', `The server at ${api} does not take ${refused}`, { cause: failure })
  }
  if (failure.code === 'ROUTE_NOT_FOUND') {
    const remedy = `is it the right address, and of this version?${rootHint(api)}`
    throw new AppError('TASK_FAILED', `The server at ${api} knows no such path; ${remedy}`, { cause: failure })
  }
  throw failure
}

/** Where a redirect leads to, without what may be secret in it. */
function shownTarget(location: string | null, api: string): string {
  if (location === null || !URL.canParse(location, api)) return 'somewhere else'
  const { origin, pathname } = new URL(location, api)
  return origin + pathname
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An address that ends like the root of an API is taken for one, and may be a base path: `/api/shop`. */
const rootHint = (api: string): string =>
  /\/api\/v\d+$/.test(api) ? '' : ` (was ${new URL(api).pathname} a base path, name the root of the API: ${api}/api/v1)`

const notOurs = (api: string, sign: string): AppError =>
  new AppError(
    'TASK_FAILED',
    `Whoever answers at ${api} is no admin server, or its API is below another path: ${sign}${rootHint(api)}`,
  )

/** What to say of a server with which no connection came about. */
export const unreachable = (api: string, cause: unknown): AppError =>
  new AppError('TASK_FAILED', `The server at ${api} cannot be reached: ${reasonOf(cause)}`, { cause })

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of its host cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in 10 s',
  UND_ERR_BODY_TIMEOUT: 'nothing came any more',
}

/** `fetch` says what happened in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown }
  const { code = '', message } = cause as NodeJS.ErrnoException
  if (/CERT|SIGNED|SIGNATURE|ALTNAME/.test(code)) {
    return `its certificate is not trusted (${message}); NODE_EXTRA_CA_CERTS names a file of those that are`
  }
  return REASONS[code] ?? message
}
