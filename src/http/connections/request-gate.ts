import type { IncomingMessage, ServerResponse } from 'node:http'
import { shapeB } from '../responses/error-body.ts'
import type { Response } from '../responses/response.ts'
import { InFlightRequests } from './in-flight-requests.ts'
import { refuse } from './malformed-requests.ts'

/**
 * The event by which Node.js passes a request; `checkContinue` if the client waits for `100 Continue` before it sends the body.
 */
export type RequestEvent = 'request' | 'checkContinue'

type HandOn = (event: RequestEvent, request: IncomingMessage, response: Response) => void

/** Limits of a request gate. Durations in milliseconds. */
export interface RequestGateLimits {
  /** Time for the rest of a started request to arrive; slower requests are not waited for. */
  readonly arrivalTimeout: number
  /** Time for requests in flight to be answered before the application is replaced. */
  readonly settleTimeout: number
  /** Maximum time that a request is queued. */
  readonly holdTimeout: number
  /** Maximum number of queued requests. */
  readonly maxHeld: number
}

interface Held {
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
 * connections, and those beyond the limits are answered 503.
 */
export class RequestGate {
  /** Requests in flight. */
  readonly underWay = new InFlightRequests()
  readonly #limits: RequestGateLimits
  readonly #handOn: HandOn
  #isShut = false
  #isPatient = true
  #held: Held[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(limits: RequestGateLimits, handOn: HandOn) {
    this.#limits = limits
    this.#handOn = handOn
  }

  pass(event: RequestEvent, request: IncomingMessage, response: Response): void {
    if (this.#isShut) this.#hold({ event, request, response })
    else {
      this.underWay.add(response)
      response.on('close', () => this.underWay.delete(response))
      this.#handOn(event, request, response)
    }
  }

  pause(): void {
    this.#isShut = true
    this.#isPatient = true
    this.#timer = setTimeout(() => {
      this.#isPatient = false
      for (const { response } of this.#letGo()) refuseHeld(response)
    }, this.#limits.holdTimeout)
  }

  /** Passes the queued requests, in order of arrival. */
  resume(): void {
    clearTimeout(this.#timer)
    this.#isShut = false
    for (const { event, request, response } of this.#letGo()) {
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
    const others = [...this.underWay].filter((response) => response !== asker)
    await this.#decided(others, arrivalTimeout)
    await this.#decided(
      others.filter(({ req }) => req.complete),
      settleTimeout,
    )
  }

  /** Resolves when every response has sent its headers, or after `timeout` ms. */
  async #decided(responses: readonly Response[], timeout: number): Promise<void> {
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

  #hold(held: Held): void {
    if (this.#isPatient && this.#held.length < this.#limits.maxHeld) this.#held.push(held)
    else refuseHeld(held.response)
  }

  #letGo(): readonly Held[] {
    const held = this.#held
    this.#held = []
    return held
  }
}

const refuseHeld = (response: Response): void => refuse(response, 503, REFUSAL, { 'Retry-After': RETRY_AFTER_SECONDS })
