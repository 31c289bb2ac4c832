import { AppError } from '../errors.ts'
import { type ApiRequests, failureIn, payloadOf } from './api-requests.ts'

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
        return read(connection, response, text)
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
        return textOf(api, response)
      }
      read(connection, response, await response.text())
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

/** The text of a file as it arrives. Fails when the connection is cut before its end. */
async function* textOf(api: string, { body, headers }: Response): AsyncGenerator<string> {
  if (!headers.has('transfer-encoding') && !headers.has('content-length')) {
    throw new AppError(
      'TASK_FAILED',
      `The server at ${api} does not show where a file ends; is there a proxy that speaks HTTP/1.0?`,
    )
  }
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
function read({ api, refused }: Connection, { status, headers }: Response, text: string): unknown {
  if (status >= 300 && status < 400) {
    const target = headers.get('location') ?? 'somewhere else'
    throw new AppError('TASK_FAILED', `The server at ${api} leads to ${target}; name that address. No token was sent there`)
  }
  const body = parsed(text)
  if (status < 300 && body !== undefined) return body
  const failure = failureIn(status, body, headers.get('retry-after'))
  if (failure === undefined) throw notOurs(api, `it answers ${status} in words of its own`)
  if (failure.code === 'UNAUTHENTICATED') {
    throw new AppError('TASK_FAILED', `The server at ${api} does not take ${refused}`, { cause: failure })
  }
  if (failure.code === 'ROUTE_NOT_FOUND') {
    throw new AppError('TASK_FAILED', `The server at ${api} knows no such path; is it the right address, and of this version?`, {
      cause: failure,
    })
  }
  throw failure
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const notOurs = (api: string, sign: string): AppError =>
  new AppError('TASK_FAILED', `Whoever answers at ${api} is no admin server, or its API is below another path: ${sign}`)

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
