import type { IncomingMessage, ServerResponse } from 'node:http'
import { shapeB } from '../responses/error-body.ts'
import type { Response } from '../responses/security-headers.ts'
import { InFlightRequests } from './in-flight-requests.ts'
import { refuse } from './malformed-requests.ts'

/** How node hands on a request; `checkContinue` when its client waits to be told to send the body. */
export type RequestEvent = 'request' | 'checkContinue'

type HandOn = (event: RequestEvent, request: IncomingMessage, response: Response) => void

/** How patient a gate is. Durations in milliseconds. */
export interface RequestGateLimits {
  /** For the rest of a request that has begun to come to arrive; whoever never sends it keeps nobody waiting. */
  readonly arrivalTimeout: number
  /** For what is under way to be decided before what answers it is replaced. */
  readonly settleTimeout: number
  /** For requests to wait while what is to answer them is replaced. */
  readonly holdTimeout: number
  /** Of requests that wait so. */
  readonly maxHeld: number
}

interface Held {
  readonly event: RequestEvent
  readonly request: IncomingMessage
  readonly response: Response
}

/** After how many seconds whoever waited in vain may come again. */
const RETRY_AFTER_SECONDS = 1

const REFUSAL = JSON.stringify(
  shapeB('SERVER_NOT_READY', `The project or its data is being replaced; try again in ${RETRY_AFTER_SECONDS} second`),
)

/**
 * Through which requests go to whoever answers them. While that is being replaced the gate is shut: requests wait, on connections that
 * stay, and those that are too many, or wait for too long, are answered 503.
 */
export class RequestGate {
  /** What is being answered. */
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

  /** Hands on what has waited, in the order in which it came. */
  resume(): void {
    clearTimeout(this.#timer)
    this.#isShut = false
    for (const { event, request, response } of this.#letGo()) {
      if (!request.socket.destroyed) this.pass(event, request, response)
    }
  }

  /**
   * Resolves once it is decided how everything under way is answered. What is not by then is not waited for any longer, and a request
   * whose body comes slowly hardly at all.
   *
   * @param asker the answer to whoever waits for this
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

  /** Resolves once it is decided how these are answered, or the time is over. */
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
