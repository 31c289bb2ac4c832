import { AdminError, errorOf, networkError, retryAfterOf } from './admin-error.ts'
import { platformXhr, sendByXhr } from './xhr.ts'

/** A request to the server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path relative to the base URL, starting with a slash; includes the query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged instead of `body`; needs a `Content-Type` header, which a form has. */
  readonly file?: string | Blob | FormData | Uint8Array<ArrayBuffer> | undefined
  /** Called as the bytes of a file or form are sent, where the platform tells it: in browsers. */
  readonly onProgress?: ((sent: number, total: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Limits of retries after 429 or 503 with `Retry-After`. */
export interface RetryLimits {
  /** Maximum number of retries. */
  readonly times: number
  /** Maximum wait before each retry, in seconds; a longer `Retry-After` fails without a retry. */
  readonly seconds: number
}

/** The default retry limits. */
export const DEFAULT_RETRY: RetryLimits = { times: 2, seconds: 10 }

/** Waits, or throws the reason of the signal when it is aborted. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>

/** Options of `Transport`. */
export interface TransportOptions {
  /** Base URL, without a trailing slash. */
  readonly url: string
  readonly fetch: typeof fetch
  readonly retry: RetryLimits
  readonly wait: Wait
}

/** Statuses that permit a retry: Too Many Requests and Service Unavailable. */
const RETRYABLE = [429, 503]

/** Sends HTTP requests with retries. It is independent of the session. */
export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /**
   * Sends a request and returns the response, whatever its status.
   *
   * Retries after 429 or 503 with `Retry-After`, within the limits. POST requests are never repeated, since they may create records.
   *
   * @throws {AdminError} of type `network` without a response
   */
  async send(request: ApiRequest, token?: string): Promise<Response> {
    const { retry, wait } = this.#options
    for (let attempt = 0; ; attempt += 1) {
      const response = await this.#once(request, token)
      const seconds = RETRYABLE.includes(response.status) && request.method !== 'POST' ? retryAfterOf(response) : undefined
      if (seconds === undefined || attempt >= retry.times || seconds > retry.seconds) return response
      await discard(response)
      await wait(seconds * 1000, request.signal)
    }
  }

  async #once({ method, path, headers, body, file, onProgress, signal }: ApiRequest, token?: string): Promise<Response> {
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
    const Xhr = onProgress === undefined ? undefined : platformXhr()
    try {
      if (onProgress !== undefined && Xhr !== undefined && (file instanceof Blob || file instanceof FormData))
        return await sendByXhr(Xhr, { url: url + path, method, headers: sent, body: file, signal, onProgress })
      return await fetch(url + path, init)
    } catch (error) {
      throw failureOf(error, signal, `No response to ${method} ${url + path.split('?')[0]}`)
    }
  }
}

/** Parses the JSON of a successful response. @throws {AdminError} for an error response, a truncated body, or a body that is not JSON */
export async function jsonOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  if (!response.ok) throw await errorOf(response, signal)
  const text = await response.text().catch((error: unknown) => {
    throw failureOf(error, signal, 'The response was cut off')
  })
  try {
    return JSON.parse(text)
  } catch (cause) {
    const type = response.headers.get('content-type') ?? 'no type'
    const message = `The server responded with ${type} instead of JSON, so it is not an admin-folder; check the address`
    throw new AdminError(message, { type: 'server', status: response.status, cause })
  }
}

/** Discards an unread response body, which frees its connection. Errors of a truncated body are ignored. */
export const discard = async (response: Response): Promise<void> => response.body?.cancel().catch(() => {})

/** The error to throw for a failed request: the reason of the signal if it was aborted, otherwise a network error. */
function failureOf(error: unknown, signal: AbortSignal | undefined, message: string): unknown {
  return signal?.aborted === true ? signal.reason : networkError(message, error)
}

/** Waits with a system timer. */
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
