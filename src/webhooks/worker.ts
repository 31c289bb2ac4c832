import type { Log } from '../log/log.ts'
import type { Clock, Timer } from '../util/clock.ts'
import { GONE, resultOf, WebhookLogger } from './attempts.ts'
import { DeliveryBuffer, type Throttle } from './delivery-buffer.ts'
import { Endpoint, RoundRobin } from './endpoints.ts'
import { hasFailedTooLong, healthAfter } from './health.ts'
import { signedRequest } from './messages.ts'
import type { AttemptResult, Outbox, Receiver } from './outbox.ts'
import type { Job } from './queue.ts'
import type { RetrySchedule } from './retries.ts'
import type { Sender } from './sender.ts'

/** Time that attempts in flight have to finish on stop, in milliseconds. */
const GRACE_MS = 2000

/** The parts that a worker is built from. */
export interface WorkerOptions {
  readonly outbox: Outbox
  readonly sender: Sender
  readonly schedule: RetrySchedule
  readonly throttle: Throttle
  readonly clock: Clock
  readonly timer: Timer
  readonly log: Log
}

/**
 * Delivers events to receivers at least once: an event stays pending until its result is stored. Attempts to one receiver start in
 * commit order but run concurrently, so the order of arrival is not guaranteed. A slow or failing receiver delays only its own queue.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #buffer: DeliveryBuffer
  readonly #logger: WebhookLogger
  readonly #roundRobin: RoundRobin
  readonly #endpoints = new Map<number, Endpoint>()
  #isStopping = false
  /** True once attempts in flight are aborted and their results ignored. */
  #isAborted = false
  #idleCallbacks: (() => void)[] = []
  /** Number of attempts in flight, including those of suspended receivers. */
  #inFlight = 0

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#buffer = new DeliveryBuffer(options)
    this.#logger = new WebhookLogger(options.log)
    this.#roundRobin = new RoundRobin({
      // While results cannot be stored, no attempt starts: its message would be sent again.
      delay: () => this.#buffer.delay ?? options.throttle.delay(() => this.#backlog),
      start: (endpoint) => this.#start(endpoint),
      timer: options.timer,
    })
  }

  /** Starts or restarts the delivery of a receiver's pending events. */
  async resume(receiver: number): Promise<void> {
    const endpoint = this.#endpoints.get(receiver) ?? new Endpoint(receiver)
    this.#endpoints.set(receiver, endpoint)
    endpoint.restart()
    await this.#load(endpoint)
  }

  async #load(endpoint: Endpoint): Promise<void> {
    await endpoint.load(async () => {
      const inFlight = new Set(endpoint.inFlight)
      // Stores the latest results first, so that they are not loaded as pending.
      await this.#buffer.flush()
      endpoint.queue.beginLoad()
      const pending = await this.#options.outbox.pendingJobs(endpoint.id)
      if (!endpoint.isActive) return
      endpoint.queue.load(pending.filter(({ event }) => !inFlight.has(event)))
      endpoint.queue.know(inFlight)
    })
    this.#continue(endpoint)
  }

  /** Reads the pending events of a receiver again, for those that were not added. */
  async reload(receiver: number): Promise<void> {
    const endpoint = this.#endpoints.get(receiver)
    if (endpoint === undefined || !endpoint.isActive) return
    await this.#load(endpoint)
  }

  /** An event id up to which the queue of a receiver has all events, as far as that can be told from the order of ids. */
  knownUpTo(receiver: number): number {
    return this.#endpoints.get(receiver)?.queue.knownUpTo ?? 0
  }

  /** True if nothing is queued or in flight for a receiver. */
  isIdle(receiver: number): boolean {
    return this.#endpoints.get(receiver)?.isIdle ?? true
  }

  /** Queues a newly committed event for its receivers. */
  add(event: number, receivers: readonly number[]): void {
    for (const id of receivers) {
      const endpoint = this.#endpoints.get(id)
      if (endpoint === undefined || !endpoint.isActive) continue
      endpoint.queue.add(event)
      // With an attempt in flight or a timer set, scheduling would be repeated work: a dead receiver may have many events.
      const willContinue = endpoint.inFlight.size > 0 || endpoint.cancelTimer !== undefined
      if (endpoint.canStart(this.#options.clock()) || !willContinue) this.#schedule(endpoint)
    }
  }

  /** Queues an event for an immediate attempt, whether it was delivered or is waiting for a retry. */
  redeliver(event: number, receiver: number): void {
    const endpoint = this.#endpoints.get(receiver)
    if (endpoint === undefined || !endpoint.isActive || endpoint.inFlight.has(event)) return
    endpoint.queue.remove(event)
    endpoint.queue.addRetry({ event, tries: 0, due: 0 })
    endpoint.endPause()
    this.#schedule(endpoint)
  }

  /** Starts no more attempts for a receiver. Attempts in flight finish and are tracked until then. */
  suspend(receiver: number): void {
    const endpoint = this.#endpoints.get(receiver)
    if (endpoint === undefined) return
    endpoint.cancelTimer?.()
    endpoint.cancelTimer = undefined
    endpoint.queue.clear()
    endpoint.isActive = false
    this.#roundRobin.remove(endpoint)
    this.#continue(endpoint)
  }

  /** Stores the results of finished attempts. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  /** Counts work as an attempt in flight, since it may give the worker more to deliver. */
  async during(work: Promise<void>): Promise<void> {
    this.#inFlight++
    await work.finally(() => this.#ended())
  }

  /** Resolves when no attempt is in flight or due, and all results are stored. */
  async idle(): Promise<void> {
    do {
      while (this.#isBusy) await new Promise<void>((resolve) => this.#idleCallbacks.push(resolve))
      await this.#buffer.flush()
    } while (this.#isBusy)
  }

  /** Lets attempts in flight finish within the grace period. Pending events stay pending. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#roundRobin.close()
    for (const { cancelTimer } of this.#endpoints.values()) cancelTimer?.()
    const cancelGrace = this.#options.timer(GRACE_MS, () => {
      this.#isAborted = true
      this.#options.sender.close()
    })
    await this.idle()
    cancelGrace()
    this.#options.sender.close()
    this.#buffer.close()
  }

  get #isBusy(): boolean {
    return this.#inFlight > 0
  }

  /** Drops a suspended endpoint without attempts in flight; schedules any other. */
  #continue(endpoint: Endpoint): void {
    if (endpoint.isFinished) this.#endpoints.delete(endpoint.id)
    else this.#schedule(endpoint)
  }

  /** Queues an endpoint that may start an attempt for its turn; otherwise sets a timer for the next check. */
  #schedule(endpoint: Endpoint): void {
    // Disabled or deleted: its events stay pending.
    if (this.#isStopping || this.#options.outbox.receiver(endpoint.id) === undefined) return
    const { clock, timer } = this.#options
    const now = clock()
    const next = endpoint.nextCheck(now)
    endpoint.cancelTimer?.()
    endpoint.cancelTimer = next === undefined || next <= now ? undefined : timer(next - now, () => this.#schedule(endpoint))
    if (next !== undefined && next <= now) this.#roundRobin.enqueue(endpoint)
  }

  /** Starts one attempt, after checking again what may have changed since it was scheduled. */
  #start(endpoint: Endpoint): void {
    const { outbox, throttle, clock } = this.#options
    const receiver = outbox.receiver(endpoint.id)
    const now = clock()
    const job = receiver !== undefined && endpoint.canStart(now) ? endpoint.queue.take(now) : undefined
    if (receiver !== undefined && job !== undefined) {
      throttle.takeToken()
      endpoint.inFlight.add(job.event)
      void this.#deliver(endpoint, receiver, job)
    }
    this.#schedule(endpoint)
  }

  /** Number of events waiting for available receivers. */
  get #backlog(): number {
    let backlog = 0
    for (const { isTripped, queue } of this.#endpoints.values()) if (!isTripped) backlog += queue.size
    return backlog
  }

  async #deliver(endpoint: Endpoint, receiver: Receiver, job: Job): Promise<void> {
    const { generation } = endpoint
    this.#inFlight++
    try {
      const result = await this.#attempt(endpoint, receiver, job)
      // If the subscription was enabled or changed meanwhile, this older result must not disable it.
      if (result !== undefined) await this.#disableIfFailed(endpoint, result, generation)
    } catch (error) {
      this.#logger.error(endpoint.id, error)
    } finally {
      endpoint.inFlight.delete(job.event)
      this.#continue(endpoint)
      this.#ended()
    }
  }

  #ended(): void {
    this.#inFlight--
    if (!this.#isBusy) for (const resolve of this.#idleCallbacks.splice(0)) resolve()
  }

  /**
   * Sends one message. If that throws, the delivery is retried.
   *
   * @returns undefined if the event no longer exists or the attempt was aborted
   */
  async #attempt(endpoint: Endpoint, receiver: Receiver, job: Job): Promise<AttemptResult | undefined> {
    const { outbox, sender, clock, schedule } = this.#options
    try {
      const message = await outbox.message(job.event)
      if (message === undefined) return undefined
      // The subscription may have been disabled, or its lease lost, while the message was read.
      if (outbox.receiver(endpoint.id) === undefined) {
        if (endpoint.isActive) endpoint.queue.addRetry({ ...job, due: clock() })
        return undefined
      }
      const at = clock()
      const sent = await sender.send(receiver.url, signedRequest(message, receiver.secrets, Math.floor(at / 1000)))
      if (this.#isAborted) return undefined
      const result = resultOf(sent, { endpoint, job, at, now: clock(), schedule })
      this.#logger.attempt(receiver, message.id, result)
      this.#buffer.add(result)
      this.#logger.outcome(receiver, result, endpoint.failures)
      return result
    } catch (error) {
      endpoint.queue.addRetry({ ...job, due: clock() + schedule.maxBackoff })
      throw error
    }
  }

  /** Disables a receiver that is gone (410) or has failed for too long. */
  async #disableIfFailed(endpoint: Endpoint, { status, attempt }: AttemptResult, generation: number): Promise<void> {
    if (status === 'delivered') return
    const { outbox, schedule } = this.#options
    /** The receiver, or undefined if its subscription was changed since the attempt started. */
    const current = () => (endpoint.isActive && endpoint.generation === generation ? outbox.receiver(endpoint.id) : undefined)
    const isFailing = ({ health }: Receiver) =>
      hasFailedTooLong(healthAfter(health, { at: attempt.at, succeeded: false }, schedule.maxGap), attempt.at)
    let receiver = current()
    if (receiver === undefined) return
    if (attempt.status !== GONE) {
      if (!isFailing(receiver)) return
      // A concurrent attempt may have succeeded.
      await this.#buffer.flush()
      receiver = current()
      if (receiver === undefined || !isFailing(receiver)) return
    }
    const reason = attempt.status === GONE ? 'gone' : 'failing'
    // The subscription is inactive from now on, so no attempt starts, unless storing this fails.
    await outbox.disable(receiver.id, reason)
    this.#logger.disabled(receiver, reason)
    if (endpoint.generation === generation) this.suspend(receiver.id)
  }
}
