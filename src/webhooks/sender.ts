import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Clock } from '../util/clock.ts'
import type { SignedRequest } from './messages.ts'
import type { UrlGuard } from './url-guard.ts'

/** Time limit of an attempt, from name resolution to the end of the response. In milliseconds. */
export const TIMEOUT_MS = 15_000
/** Maximum number of response bytes that are read and stored. */
export const MAX_RESPONSE_BYTES = 20_000
/** Maximum number of idle keep-alive connections to one host. */
const MAX_IDLE_CONNECTIONS = 8
/** Time after which an idle connection is closed, in milliseconds. */
const IDLE_MS = 20_000
/** Maximum length of an error message in the delivery log, in characters. */
const MAX_REASON = 300

/** Result of sending a request. */
export interface SendResult {
  /** Undefined without a response. */
  readonly status: number | undefined
  /** Duration in milliseconds. */
  readonly took: number
  /** Why there was no response. */
  readonly reason: string | undefined
  /** Beginning of the response body. */
  readonly text: string
  /** The `Retry-After` header. */
  readonly retryAfter: string | undefined
}

/** Dependencies of a sender, and its time limit. */
export interface SenderOptions {
  readonly guard: UrlGuard
  readonly clock: Clock
  readonly timeoutMs?: number
}

/**
 * Sends requests to receivers, which are not trusted: only to addresses that the guard allows, without following redirects, and
 * within limits of time and size. The status of a response decides; an aborted body does not matter.
 */
export class Sender {
  readonly #guard: UrlGuard
  readonly #clock: Clock
  readonly #timeoutMs: number
  #isClosed = false
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, timeout: IDLE_MS }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, timeout: IDLE_MS }),
  } as const

  constructor({ guard, clock, timeoutMs = TIMEOUT_MS }: SenderOptions) {
    this.#guard = guard
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  /** Sends one request. Never throws: a failure is a result without a status. */
  async send(address: string, signed: SignedRequest): Promise<SendResult> {
    const begin = this.#clock()
    const took = () => Math.max(0, this.#clock() - begin)
    try {
      const url = new URL(address)
      const problem = this.#guard.problemOf(url)
      if (problem !== undefined) throw new Error(`The URL leads to ${problem}`)
      const { response, text } = await this.#exchange(url, signed, begin)
      const { statusCode: status, headers } = response
      return { status, took: took(), reason: undefined, text, retryAfter: headers['retry-after'] }
    } catch (error) {
      return { status: undefined, took: took(), reason: reasonOf(error), text: '', retryAfter: undefined }
    }
  }

  /** Aborts requests in flight. */
  close(): void {
    this.#isClosed = true
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  /** @param begin start of the attempt, kept when a closed keep-alive connection is replaced */
  #exchange(url: URL, { headers, body }: SignedRequest, begin: number): Promise<{ response: IncomingMessage; text: string }> {
    return new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:'
      const request = (isSecure ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        headers: { ...headers, 'user-agent': 'admin-folder-webhooks', 'content-length': Buffer.byteLength(body) },
        agent: this.#agents[isSecure ? 'https:' : 'http:'],
        lookup: this.#guard.lookup,
      })
      const left = Math.max(0, begin + this.#timeoutMs - this.#clock())
      const timer = setTimeout(() => {
        request.destroy(new Error(`There was no answer within ${this.#timeoutMs / 1000} seconds`))
      }, left)
      let isOver = false
      request.on('response', (response) => {
        isOver = true
        readStart(response).then((text) => {
          clearTimeout(timer)
          resolve({ response, text })
        })
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        // The receiver closed a keep-alive connection while it was reused.
        const isStale = !this.#isClosed && request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        if (isStale) this.#exchange(url, { headers, body }, begin).then(resolve, reject)
        else reject(error)
      })
      request.on('close', () => {
        if (isOver) return
        clearTimeout(timer)
        reject(new Error('The receiver closed the connection without an answer'))
      })
      request.end(body)
    })
  }
}

/** Reads the beginning of a body. A body that is cut short is returned as far as it was read. */
function readStart(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_RESPONSE_BYTES) response.destroy()
    })
    response.on('error', () => {})
    response.on('close', () => resolve(asText(Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES))))
  })
}

/** Decodes UTF-8 into text that can be stored: invalid bytes and NUL become U+FFFD. */
const asText = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD')

function reasonOf(error: unknown): string {
  // All addresses failed in the same way, so the first error stands for them.
  const first = error instanceof AggregateError ? error.errors[0] : error
  return (first instanceof Error ? first.message : String(first)).slice(0, MAX_REASON)
}
