import type { Log } from '../log/log.ts'
import type { Clock } from '../util/clock.ts'
import type { Timer } from '../util/timer.ts'
import { GONE, judge } from './attempt-result.ts'
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

/** How long attempts that are under way may take to finish once the worker is to stop. */
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
 * Delivers events to their receivers, at least once: an event is pending until what came of it is kept. Whatever a receiver does keeps
 * only its own queue waiting.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #ledger: DeliveryBuffer
  readonly #notices: Notices
  readonly #turns: RoundRobin
  readonly #endpoints = new Map<number, Endpoint>()
  #stopping = false
  /** What is under way is cut off, and what comes of it means nothing. */
  #cutOff = false
  #whenStill: (() => void)[] = []
  /** How many attempts are under way, those to receivers that are forgotten meanwhile too. */
  #underWay = 0

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#ledger = new DeliveryBuffer(options)
    this.#notices = new Notices(options.log)
    this.#turns = new RoundRobin({
      // What cannot be kept is told again: not everything is, while the disk is full.
      wait: () => this.#ledger.holdUp ?? options.pace.wait(() => this.#backlog),
      begin: (endpoint) => this.#begin(endpoint),
      timer: options.timer,
    })
  }

  /** Begins, or begins anew, to deliver what is pending for a receiver. Nothing is sent to those for whom nobody began. */
  async resume(receiver: number): Promise<void> {
    const endpoint = this.#endpoints.get(receiver) ?? new Endpoint(receiver)
    this.#endpoints.set(receiver, endpoint)
    endpoint.beginAnew()
    await endpoint.load(async () => {
      const underWay = new Set(endpoint.running)
      // What was delivered a moment ago is to be known as delivered.
      await this.#ledger.flush()
      const waiting = await this.#options.outbox.waiting(receiver)
      if (endpoint.isWanted) endpoint.queue.load(waiting.filter(({ event }) => !underWay.has(event)))
    })
    this.#goOn(endpoint)
  }

  /** Delivers an event that was just committed. */
  add(event: number, receivers: readonly number[]): void {
    for (const id of receivers) {
      const endpoint = this.#endpoints.get(id)
      if (endpoint === undefined || !endpoint.isWanted) continue
      endpoint.queue.add(event)
      // Where nothing may be begun now, whatever ends next sees to it: behind a dead receiver there are many events.
      const isWatched = endpoint.running.size > 0 || endpoint.callOff !== undefined
      if (endpoint.isFree(this.#options.clock()) || !isWatched) this.#pump(endpoint)
    }
  }

  /** Delivers an event at once, whether it was delivered or waits to be. */
  again(event: number, receiver: number): void {
    const endpoint = this.#endpoints.get(receiver)
    if (endpoint === undefined || !endpoint.isWanted || endpoint.running.has(event)) return
    endpoint.queue.forget(event)
    endpoint.queue.wait({ event, tries: 0, due: 0 })
    endpoint.wake()
    this.#pump(endpoint)
  }

  /** Begins nothing for a receiver any more. What is under way comes to its end, and is known until then. */
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

  /** Resolves once nothing is under way, nothing is due now, and everything that is known is kept. */
  async still(): Promise<void> {
    do {
      while (this.#busy) await new Promise<void>((resolve) => this.#whenStill.push(resolve))
      await this.#ledger.flush()
    } while (this.#busy)
  }

  /** Lets what is under way come to an end, though not for long. What is pending stays so. */
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
    this.#ledger.close()
  }

  get #busy(): boolean {
    return this.#underWay > 0
  }

  #goOn(endpoint: Endpoint): void {
    if (endpoint.isOver) this.#endpoints.delete(endpoint.id)
    else this.#pump(endpoint)
  }

  /** Has an endpoint begin what may be begun, in its turn, and sees to being called again when more may. */
  #pump(endpoint: Endpoint): void {
    // Not active any more, or removed: it is pending until somebody says otherwise.
    if (this.#stopping || this.#options.outbox.receiver(endpoint.id) === undefined) return
    const { clock, timer } = this.#options
    const now = clock()
    const next = endpoint.nextLook(now)
    endpoint.callOff?.()
    endpoint.callOff = next === undefined || next <= now ? undefined : timer(next - now, () => this.#pump(endpoint))
    if (next !== undefined && next <= now) this.#turns.join(endpoint)
  }

  /** Begins one attempt; what may have changed since it was to be begun is looked at again. */
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

  /** How many events wait for receivers that take them. */
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
      // Whoever enabled it meanwhile may have mended it, or knows it by another address, and is not overruled by what was asked before.
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

  /** @returns undefined when nothing is known to have come of it */
  async #attempt(endpoint: Endpoint, receiver: Receiver, job: Job): Promise<Result | undefined> {
    const { outbox, sender, clock, schedule } = this.#options
    try {
      const message = await outbox.message(job.event)
      if (message === undefined) return undefined
      const at = clock()
      const answer = await sender.send(receiver.url, signedRequest(message, receiver.secrets, Math.floor(at / 1000)))
      if (this.#cutOff) return undefined
      const result = judge(answer, { endpoint, job, at, now: clock(), schedule })
      this.#notices.attempt(receiver, message.id, result)
      this.#ledger.note(result)
      this.#notices.outcome(receiver, result, endpoint.failures)
      return result
    } catch (error) {
      endpoint.queue.wait({ ...job, due: clock() + schedule.shortest })
      throw error
    }
  }

  /** Disables a receiver that is gone or has failed for long. */
  async #disableIfOver(endpoint: Endpoint, { status, attempt }: Result, generation: number): Promise<void> {
    if (status === 'delivered') return
    const { outbox, schedule } = this.#options
    /** The receiver as it is now; undefined when somebody has dealt with it since the attempt began. */
    const present = () => (endpoint.isWanted && endpoint.generation === generation ? outbox.receiver(endpoint.id) : undefined)
    const isFailing = ({ health }: Receiver) =>
      hasFailedForLong(healthAfter(health, { at: attempt.at, isGood: false }, schedule.quiet), attempt.at)
    let receiver = present()
    if (receiver === undefined) return
    if (attempt.status !== GONE) {
      if (!isFailing(receiver)) return
      // It may have taken something a moment ago.
      await this.#ledger.flush()
      receiver = present()
      if (receiver === undefined || !isFailing(receiver)) return
    }
    const reason = attempt.status === GONE ? 'gone' : 'failing'
    // Nothing is begun meanwhile, since it is not active from now on; unless that cannot be stored.
    await outbox.disable(receiver.id, reason)
    this.#notices.disabled(receiver, reason)
    if (endpoint.generation === generation) this.forget(receiver.id)
  }
}
