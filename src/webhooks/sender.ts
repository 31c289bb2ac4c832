import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Clock } from '../util/clock.ts'
import type { SignedRequest } from './signature.ts'
import type { UrlGuard } from './url-guard.ts'

/** From looking up the address to the end of the answer. */
export const TIMEOUT_MS = 15_000
/** So much of an answer is kept, and no more of it is read. */
export const MAX_RESPONSE_BYTES = 20_000
const MAX_IDLE_CONNECTIONS = 8
const IDLE_MS = 20_000
const MAX_REASON = 300

/** What came of sending a request. */
export interface Answer {
  /** Undefined when there was no answer. */
  readonly status: number | undefined
  /** In milliseconds. */
  readonly took: number
  /** Why there was no answer, in words. */
  readonly reason: string | undefined
  /** The beginning of the answer's body. */
  readonly text: string
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined
}

export interface SenderOptions {
  readonly guard: UrlGuard
  readonly clock: Clock
  readonly timeoutMs?: number
}

/**
 * Sends requests to wherever a subscription says, which is not to be trusted: only to addresses that the guard lets pass, following no
 * redirect, and waiting and reading no longer than is allowed, whatever comes back. The head of an answer decides; how its body ends
 * does not.
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

  /** Never throws: what goes wrong is an answer too. */
  async send(address: string, signed: SignedRequest): Promise<Answer> {
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

  /** Ends what is under way. */
  close(): void {
    this.#isClosed = true
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  /** @param begin of the attempt, to which connections belong that turn out to be closed */
  #exchange(url: URL, { headers, body }: SignedRequest, begin: number): Promise<{ response: IncomingMessage; text: string }> {
    return new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:'
      const request = (isSecure ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        headers: { ...headers, 'user-agent': 'admin-backend-webhooks', 'content-length': Buffer.byteLength(body) },
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
        // The receiver closed a connection that was kept open, at the moment in which it was used again.
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

/** The beginning of a body. What is more is not read, and a body that is cut short is what came of it. */
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

/** As text that can be kept: bytes that are none stand as U+FFFD, and so does NUL. */
const asText = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD')

function reasonOf(error: unknown): string {
  // Of several addresses each failed; they did so alike.
  const first = error instanceof AggregateError ? error.errors[0] : error
  return (first instanceof Error ? first.message : String(first)).slice(0, MAX_REASON)
}
