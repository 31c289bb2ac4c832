import { AdminError, errorOf, networkError, retryAfterOf } from './admin-error.ts'

/** A request, its address relative to the server's. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** From the first slash, query included. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in the place of `body`; the headers say of what type it is. */
  readonly file?: string | Blob | Uint8Array<ArrayBuffer> | undefined
  readonly signal?: AbortSignal | undefined
}

/** How long a request that was put off is tried again. */
export interface RetryLimits {
  /** How often, after the first time. */
  readonly times: number
  /** The longest wait of each time, in seconds; who is told to wait longer fails at once. */
  readonly seconds: number
}

export const DEFAULT_RETRY: RetryLimits = { times: 2, seconds: 10 }

/** Waits, or throws what the signal is aborted with. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export interface TransportOptions {
  readonly url: string
  readonly fetch: typeof fetch
  readonly retry: RetryLimits
  readonly wait: Wait
}

/** Statuses that say: not now. */
const PUT_OFF = [429, 503]

/** Sends requests and reads answers; knows nothing of who is logged in. */
export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /**
   * Sends a request, and once more when it may be sent twice and the server says when (429 or 503 with `Retry-After`): what
   * creates something is never repeated.
   *
   * @throws {AdminError} of type `network` when there is no answer; whatever is answered is returned
   */
  async send(request: ApiRequest, token?: string): Promise<Response> {
    const { retry, wait } = this.#options
    for (let attempt = 0; ; attempt += 1) {
      const response = await this.#once(request, token)
      const seconds = PUT_OFF.includes(response.status) && request.method !== 'POST' ? retryAfterOf(response) : undefined
      if (seconds === undefined || attempt >= retry.times || seconds > retry.seconds) return response
      await discard(response)
      await wait(seconds * 1000, request.signal)
    }
  }

  async #once({ method, path, headers, body, file, signal }: ApiRequest, token?: string): Promise<Response> {
    const { url, fetch } = this.#options
    const sent = new Headers(headers)
    if (body !== undefined && !sent.has('Content-Type')) sent.set('Content-Type', 'application/json')
    if (token !== undefined) sent.set('Authorization', `Bearer ${token}`)
    const content = body === undefined ? file : JSON.stringify(body)
    const init: RequestInit = {
      method,
      headers: sent,
      ...(content === undefined ? {} : { body: content }),
      ...(signal === undefined ? {} : { signal }),
    }
    try {
      return await fetch(url + path, init)
    } catch (error) {
      throw broken(error, signal, `No answer to ${method} ${url + path.split('?')[0]}`)
    }
  }
}

/** The JSON of a good answer. @throws {AdminError} of a bad one */
export async function jsonOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  if (!response.ok) throw await errorOf(response, signal)
  const text = await response.text().catch((error: unknown) => {
    throw broken(error, signal, 'The answer broke off')
  })
  try {
    return JSON.parse(text)
  } catch (cause) {
    const type = response.headers.get('content-type') ?? 'no type'
    const message = `What answered with ${type} instead of JSON is no admin-backend; see whether the address is right`
    throw new AdminError(message, { type: 'server', status: response.status, cause })
  }
}

/** Lets go of an answer that nobody reads, so that its connection is free; one that broke off is gone already. */
export const discard = async (response: Response): Promise<void> => response.body?.cancel().catch(() => {})

/** Whoever aborts gets back what they aborted with. */
function broken(error: unknown, signal: AbortSignal | undefined, message: string): unknown {
  return signal?.aborted === true ? signal.reason : networkError(message, error)
}

/** Waits by the clock of the machine. */
export const systemWait: Wait = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
