import type { Log } from '../log/log.ts'
import type { Clock } from '../util/clock.ts'
import type { Timer } from '../util/timer.ts'
import { GONE, resultOf } from './attempt-result.ts'
import { DeliveryBuffer } from './delivery-buffer.ts'
import { Endpoint } from './endpoint.ts'
import { hasFailedForLong, healthAfter } from './health.ts'
import { Notices } from './notices.ts'
import type { Outbox, Receiver, Result } from './outbox.ts'
import type { Job } from './queue.ts'
import { RoundRobin } from './round-robin.ts'
import type { Schedule } from './schedule.ts'
import type { Sender } from './sender.ts'
import { signedRequest } from './signature.ts'
import type { Throttle } from './throttle.ts'

/** Time that attempts in flight have to finish on stop, in milliseconds. */
const GRACE_MS = 2000

export interface WorkerOptions {
  readonly outbox: Outbox
  readonly sender: Sender
  readonly schedule: Schedule
  readonly pace: Throttle
  readonly clock: Clock
  readonly timer: Timer
  readonly log: Log
}

/**
 * Delivers events to receivers, at least once: an event stays pending until its result is stored. A slow or failing receiver
 * delays only its own queue.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #results: DeliveryBuffer
  readonly #notices: Notices
  readonly #turns: RoundRobin
  readonly #endpoints = new Map<number, Endpoint>()
  #stopping = false
  /** True once attempts in flight are aborted and their results ignored. */
  #cutOff = false
  #whenStill: (() => void)[] = []
  /** Number of attempts in flight, including those of forgotten receivers. */
  #underWay = 0

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#results = new DeliveryBuffer(options)
    this.#notices = new Notices(options.log)
    this.#turns = new RoundRobin({
      // While results cannot be stored, no attempt starts: its message would be sent again.
      wait: () => this.#results.delay ?? options.pace.wait(() => this.#backlog),
      begin: (endpoint) => this.#begin(endpoint),
      timer: options.timer,
    })
  }

  /** Starts or restarts the delivery of a receiver's pending events. */
  async resume(receiver: number): Promise<void> {
    const endpoint = this.#endpoints.get(receiver) ?? new Endpoint(receiver)
    this.#endpoints.set(receiver, endpoint)
    endpoint.restart()
    await endpoint.load(async () => {
      const underWay = new Set(endpoint.running)
      // Stores the latest results first, so that they are not loaded as pending.
      await this.#results.flush()
      const waiting = await this.#options.outbox.waiting(receiver)
      if (endpoint.isWanted) endpoint.queue.load(waiting.filter(({ event }) => !underWay.has(event)))
    })
    this.#goOn(endpoint)
  }

  /** Delivers a newly committed event. */
  add(event: number, receivers: readonly number[]): void {
    for (const id of receivers) {
      const endpoint = this.#endpoints.get(id)
      if (endpoint === undefined || !endpoint.isWanted) continue
      endpoint.queue.add(event)
      // If no attempt can start now, the end of the running attempt or the timer continues. A dead receiver may have many
      // events.
      const isWatched = endpoint.running.size > 0 || endpoint.callOff !== undefined
      if (endpoint.isFree(this.#options.clock()) || !isWatched) this.#pump(endpoint)
    }
  }

  /** Delivers an event immediately, whether it was delivered or is waiting. */
  again(event: number, receiver: number): void {
    const endpoint = this.#endpoints.get(receiver)
    if (endpoint === undefined || !endpoint.isWanted || endpoint.running.has(event)) return
    endpoint.queue.forget(event)
    endpoint.queue.wait({ event, tries: 0, due: 0 })
    endpoint.wake()
    this.#pump(endpoint)
  }

  /** Starts no more attempts for a receiver. Attempts in flight finish and are tracked until then. */
  forget(receiver: number): void {
    const endpoint = this.#endpoints.get(receiver)
    if (endpoint === undefined) return
    endpoint.callOff?.()
    endpoint.callOff = undefined
    endpoint.queue.clear()
    endpoint.isWanted = false
    this.#turns.leave(endpoint)
    this.#goOn(endpoint)
  }

  /** Resolves when no attempt is in flight or due, and all results are stored. */
  async still(): Promise<void> {
    do {
      while (this.#busy) await new Promise<void>((resolve) => this.#whenStill.push(resolve))
      await this.#results.flush()
    } while (this.#busy)
  }

  /** Lets attempts in flight finish within the grace period. Pending events stay pending. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#turns.close()
    for (const { callOff } of this.#endpoints.values()) callOff?.()
    const callOff = this.#options.timer(GRACE_MS, () => {
      this.#cutOff = true
      this.#options.sender.close()
    })
    await this.still()
    callOff()
    this.#options.sender.close()
    this.#results.close()
  }

  get #busy(): boolean {
    return this.#underWay > 0
  }

  #goOn(endpoint: Endpoint): void {
    if (endpoint.isOver) this.#endpoints.delete(endpoint.id)
    else this.#pump(endpoint)
  }

  /** Lets an endpoint start attempts in its turn, and schedules the next call. */
  #pump(endpoint: Endpoint): void {
    // Disabled or deleted: its events stay pending.
    if (this.#stopping || this.#options.outbox.receiver(endpoint.id) === undefined) return
    const { clock, timer } = this.#options
    const now = clock()
    const next = endpoint.nextLook(now)
    endpoint.callOff?.()
    endpoint.callOff = next === undefined || next <= now ? undefined : timer(next - now, () => this.#pump(endpoint))
    if (next !== undefined && next <= now) this.#turns.join(endpoint)
  }

  /** Starts one attempt, after checking again what may have changed since it was scheduled. */
  #begin(endpoint: Endpoint): void {
    const { outbox, pace, clock } = this.#options
    const receiver = outbox.receiver(endpoint.id)
    const now = clock()
    const job = receiver !== undefined && endpoint.isFree(now) ? endpoint.queue.take(now) : undefined
    if (receiver !== undefined && job !== undefined) {
      pace.begin()
      endpoint.running.add(job.event)
      void this.#deliver(endpoint, receiver, job)
    }
    this.#pump(endpoint)
  }

  /** Number of events waiting for available receivers. */
  get #backlog(): number {
    let backlog = 0
    for (const { isTroubled, queue } of this.#endpoints.values()) if (!isTroubled) backlog += queue.size
    return backlog
  }

  async #deliver(endpoint: Endpoint, receiver: Receiver, job: Job): Promise<void> {
    const { generation } = endpoint
    this.#underWay++
    try {
      const result = await this.#attempt(endpoint, receiver, job)
      // If the subscription was enabled or changed meanwhile, this older result must not disable it.
      if (result !== undefined) await this.#disableIfOver(endpoint, result, generation)
    } catch (error) {
      this.#notices.error(endpoint.id, error)
    } finally {
      this.#underWay--
      endpoint.running.delete(job.event)
      this.#goOn(endpoint)
      if (!this.#busy) for (const resolve of this.#whenStill.splice(0)) resolve()
    }
  }

  /** @returns undefined if the result is unknown */
  async #attempt(endpoint: Endpoint, receiver: Receiver, job: Job): Promise<Result | undefined> {
    const { outbox, sender, clock, schedule } = this.#options
    try {
      const message = await outbox.message(job.event)
      if (message === undefined) return undefined
      const at = clock()
      const answer = await sender.send(receiver.url, signedRequest(message, receiver.secrets, Math.floor(at / 1000)))
      if (this.#cutOff) return undefined
      const result = resultOf(answer, { endpoint, job, at, now: clock(), schedule })
      this.#notices.attempt(receiver, message.id, result)
      this.#results.add(result)
      this.#notices.outcome(receiver, result, endpoint.failures)
      return result
    } catch (error) {
      endpoint.queue.wait({ ...job, due: clock() + schedule.shortest })
      throw error
    }
  }

  /** Disables a receiver that is gone (410) or has failed for too long. */
  async #disableIfOver(endpoint: Endpoint, { status, attempt }: Result, generation: number): Promise<void> {
    if (status === 'delivered') return
    const { outbox, schedule } = this.#options
    /** The receiver, or undefined if its subscription was changed since the attempt started. */
    const present = () => (endpoint.isWanted && endpoint.generation === generation ? outbox.receiver(endpoint.id) : undefined)
    const isFailing = ({ health }: Receiver) =>
      hasFailedForLong(healthAfter(health, { at: attempt.at, isGood: false }, schedule.quiet), attempt.at)
    let receiver = present()
    if (receiver === undefined) return
    if (attempt.status !== GONE) {
      if (!isFailing(receiver)) return
      // A concurrent attempt may have succeeded.
      await this.#results.flush()
      receiver = present()
      if (receiver === undefined || !isFailing(receiver)) return
    }
    const reason = attempt.status === GONE ? 'gone' : 'failing'
    // The subscription is inactive from now on, so no attempt starts, unless storing this fails.
    await outbox.disable(receiver.id, reason)
    this.#notices.disabled(receiver, reason)
    if (endpoint.generation === generation) this.forget(receiver.id)
  }
}
