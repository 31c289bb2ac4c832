import type { IncomingMessage, ServerResponse } from 'node:http'
import { shapeB } from './error-body.ts'
import { answerMalformed } from './malformed-requests.ts'
import type { Response } from './response.ts'

/**
 * The event by which Node.js passes a request; `checkContinue` if the client waits for `100 Continue` before it sends the body.
 */
export type RequestEvent = 'request' | 'checkContinue'

type PassRequest = (event: RequestEvent, request: IncomingMessage, response: Response) => void

/** Where a request gate passes requests to. */
interface GatedTarget {
  readonly pass: PassRequest
  /** True for a request that an application answers while it is replaced. */
  readonly isAlwaysPassed: (request: IncomingMessage) => boolean
}

/** Limits of a request gate. Durations in milliseconds. */
export interface RequestGateLimits {
  /** Time for the rest of a started request to arrive; slower requests are not waited for. */
  readonly arrivalTimeout: number
  /** Time for requests in flight to be answered before the application is replaced. */
  readonly settleTimeout: number
  /** Maximum time that a request is queued. */
  readonly queueTimeout: number
  /** Maximum number of queued requests. */
  readonly maxQueued: number
}

interface QueuedRequest {
  readonly event: RequestEvent
  readonly request: IncomingMessage
  readonly response: Response
}

/** `Retry-After` of rejected requests. */
const RETRY_AFTER_SECONDS = 1

const REFUSAL = JSON.stringify(
  shapeB('SERVER_NOT_READY', `The project or its data is being replaced; try again in ${RETRY_AFTER_SECONDS} second`),
)

/**
 * Passes requests to the application. While the application is replaced the gate is paused: requests are queued on their
 * connections, and those beyond the limits are answered 503. Questions whether the process responds are passed all the same.
 */
export class RequestGate {
  /** Requests in flight. */
  readonly inFlight = new InFlightRequests()
  readonly #limits: RequestGateLimits
  readonly #target: GatedTarget
  #isPaused = false
  #isQueueOpen = true
  #queued: QueuedRequest[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(limits: RequestGateLimits, target: GatedTarget) {
    this.#limits = limits
    this.#target = target
  }

  pass(event: RequestEvent, request: IncomingMessage, response: Response): void {
    if (this.#isPaused && !this.#target.isAlwaysPassed(request)) this.#queue({ event, request, response })
    else {
      this.inFlight.add(response)
      response.on('close', () => this.inFlight.delete(response))
      this.#target.pass(event, request, response)
    }
  }

  pause(): void {
    this.#isPaused = true
    this.#isQueueOpen = true
    this.#timer = setTimeout(() => {
      this.#isQueueOpen = false
      for (const { response } of this.#takeQueued()) rejectQueued(response)
    }, this.#limits.queueTimeout)
  }

  /** Passes the queued requests, in order of arrival. */
  resume(): void {
    clearTimeout(this.#timer)
    this.#isPaused = false
    for (const { event, request, response } of this.#takeQueued()) {
      if (!request.socket.destroyed) this.pass(event, request, response)
    }
  }

  /**
   * Resolves when every request in flight has sent its response headers, or after the timeouts; requests whose body arrives
   * slowly get the shorter one.
   *
   * @param asker the response of the caller, which is not waited for
   */
  async settled(asker?: ServerResponse): Promise<void> {
    const { arrivalTimeout, settleTimeout } = this.#limits
    const others = [...this.inFlight].filter((response) => response !== asker)
    await this.#headersSent(others, arrivalTimeout)
    await this.#headersSent(
      others.filter(({ req }) => req.complete),
      settleTimeout,
    )
  }

  /** Resolves when every response has sent its headers, or after `timeout` ms. */
  async #headersSent(responses: readonly Response[], timeout: number): Promise<void> {
    const undecided = responses.filter(({ headersSent, closed }) => !headersSent && !closed)
    if (undecided.length === 0) return
    const decided = undecided.map(
      (response) =>
        new Promise<void>((resolve) => {
          response.onHead = resolve
          response.once('close', resolve)
        }),
    )
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeout)
    })
    await Promise.race([Promise.all(decided), tooLong])
    clearTimeout(timer)
  }

  #queue(held: QueuedRequest): void {
    if (this.#isQueueOpen && this.#queued.length < this.#limits.maxQueued) this.#queued.push(held)
    else rejectQueued(held.response)
  }

  #takeQueued(): readonly QueuedRequest[] {
    const held = this.#queued
    this.#queued = []
    return held
  }
}

const rejectQueued = (response: Response): void => answerMalformed(response, 503, REFUSAL, { 'Retry-After': RETRY_AFTER_SECONDS })

/**
 * The responses in flight, in no order.
 *
 * An array rather than a `Set`: V8 replaces the table of a set after some dozen changes, and the old table refers to the new
 * one. Once the old table is in the old generation, it keeps a third of all requests alive until a full garbage collection.
 */
export class InFlightRequests implements Iterable<Response> {
  readonly #responses: Response[] = []

  get size(): number {
    return this.#responses.length
  }

  add(response: Response): void {
    response.place = this.#responses.length
    this.#responses.push(response)
  }

  delete(response: Response): void {
    const { place } = response
    if (this.#responses[place] !== response) return
    const last = this.#responses.pop() as Response
    if (last === response) return
    last.place = place
    this.#responses[place] = last
  }

  [Symbol.iterator](): Iterator<Response> {
    return this.#responses[Symbol.iterator]()
  }
}
