import type { BodyDeadline, Response } from './response.ts'

/** Limits of the time in which bodies arrive. Durations in milliseconds. */
export interface BodyLimits {
  /** For a request with its body to arrive, unless it is an upload: 10 MB at 1.4 Mbit/s. */
  readonly requestTimeout: number
  /** For the next byte of an upload to arrive. */
  readonly uploadSilence: number
  /** In each period of this length, an upload must have `uploadRate` bytes a second. */
  readonly uploadPeriod: number
  readonly uploadRate: number
  /** Interval of checking the timeouts. */
  readonly checkInterval: number
}

/** The deadline of an upload: as long as bytes arrive steadily, there is no limit of the whole. */
export class UploadDeadline implements BodyDeadline {
  readonly #limits: Pick<BodyLimits, 'uploadSilence' | 'uploadPeriod' | 'uploadRate'>
  /** When how many bytes had been received, the last period and the one sample before it. */
  #samples: { readonly at: number; readonly bytes: number }[]
  #lastBytes: number
  #lastAt: number

  constructor(limits: Pick<BodyLimits, 'uploadSilence' | 'uploadPeriod' | 'uploadRate'>, now: number, bytes: number) {
    this.#limits = limits
    this.#samples = [{ at: now, bytes }]
    this.#lastBytes = bytes
    this.#lastAt = now
  }

  isOver(now: number, bytes: number, isBehind: boolean): boolean {
    const { uploadSilence, uploadPeriod, uploadRate } = this.#limits
    // The time in which the server is the slower one is not the client's.
    if (isBehind) this.#samples = []
    if (isBehind || bytes > this.#lastBytes) this.#lastAt = now
    this.#lastBytes = bytes
    this.#samples.push({ at: now, bytes })
    if (now - this.#lastAt > uploadSilence) return true
    while ((this.#samples[1]?.at ?? now) <= now - uploadPeriod) this.#samples.shift()
    const first = this.#samples[0] ?? { at: now, bytes }
    const elapsed = now - first.at
    return elapsed >= uploadPeriod && bytes - first.bytes < (uploadRate * elapsed) / 1000
  }
}

/**
 * Cuts off requests whose bodies do not arrive in time. Node.js has one timeout for all requests of a server, so it is turned off there. Requests
 * without a body cost nothing: those in flight are looked through at an interval, as Node.js does.
 */
export class BodyDeadlines {
  readonly #limits: BodyLimits
  readonly #inFlight: Iterable<Response>
  readonly #cut: (response: Response) => void
  /** Responses that have ended before the body of their request. */
  readonly #early = new Set<Response>()
  #timer: NodeJS.Timeout | undefined

  /** @param cut ends a request that is too slow */
  constructor(limits: BodyLimits, inFlight: Iterable<Response>, cut: (response: Response) => void) {
    this.#limits = limits
    this.#inFlight = inFlight
    this.#cut = cut
  }

  start(): void {
    this.#timer ??= setInterval(() => this.check(performance.now()), this.#limits.checkInterval).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** To be called when a response is closed: its request may still be arriving on a connection that is kept. */
  closed(response: Response): void {
    if (!response.req.complete && !response.req.socket.destroyed) this.#early.add(response)
  }

  /** @param now as of `performance.now` */
  check(now: number): void {
    for (const response of this.#early) if (response.req.complete || response.req.socket.destroyed) this.#early.delete(response)
    for (const response of [...this.#inFlight, ...this.#early]) if (this.#isOver(response, now)) this.#cut(response)
  }

  #isOver({ req, deadline, createdAt }: Response, now: number): boolean {
    if (req.complete || req.socket.destroyed) return false
    if (deadline === undefined) return now - createdAt > this.#limits.requestTimeout
    return deadline.isOver(now, req.socket.bytesRead, req.readableLength > 0)
  }
}
