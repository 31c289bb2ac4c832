import type { Log } from '../log/log.ts'
import type { Clock } from '../util/clock.ts'
import type { Timer } from '../util/timer.ts'
import { Endpoint } from './endpoint.ts'
import { hasFailedForLong, healthAfter } from './health.ts'
import { GONE, judge } from './judgement.ts'
import { Ledger } from './ledger.ts'
import { Notices } from './notices.ts'
import type { Outbox, Receiver, Result } from './outbox.ts'
import type { Pace } from './pace.ts'
import type { Job } from './queue.ts'
import type { Schedule } from './schedule.ts'
import type { Sender } from './sender.ts'
import { signedRequest } from './signature.ts'

/** How long attempts that are under way may take to finish once the worker is to stop. */
const GRACE_MS = 2000

export interface WorkerOptions {
  readonly outbox: Outbox
  readonly sender: Sender
  readonly schedule: Schedule
  readonly pace: Pace
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
  readonly #ledger: Ledger
  readonly #notices: Notices
  readonly #endpoints = new Map<number, Endpoint>()
  #stopping = false
  /** What is under way is cut off, and what comes of it means nothing. */
  #cutOff = false
  #whenStill: (() => void)[] = []
  /** How many attempts are under way, those to receivers that are forgotten meanwhile too. */
  #underWay = 0

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#ledger = new Ledger(options)
    this.#notices = new Notices(options.log)
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
    endpoint.restsUntil = 0
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

  /** Begins what may be begun, and sees to being called again when more may. */
  #pump(endpoint: Endpoint): void {
    const receiver = this.#options.outbox.receiver(endpoint.id)
    // Not active any more, or removed: it is pending until somebody says otherwise.
    if (this.#stopping || receiver === undefined) return
    const { clock, pace, timer } = this.#options
    const now = clock()
    let wait = 0
    while (endpoint.isFree(now)) {
      wait = pace.wait(() => this.#backlog)
      const job = wait > 0 ? undefined : endpoint.queue.take(now)
      if (job === undefined) break
      pace.begin()
      endpoint.running.add(job.event)
      void this.#deliver(endpoint, receiver, job)
    }
    endpoint.callOff?.()
    const next = endpoint.nextLook(now)
    endpoint.callOff = next === undefined ? undefined : timer(Math.max(wait, next - now), () => this.#pump(endpoint))
  }

  /** How many events wait for receivers that take them. */
  get #backlog(): number {
    let backlog = 0
    for (const { isTroubled, queue } of this.#endpoints.values()) if (!isTroubled) backlog += queue.size
    return backlog
  }

  async #deliver(endpoint: Endpoint, receiver: Receiver, job: Job): Promise<void> {
    const { outbox, sender, clock, schedule } = this.#options
    const { generation } = endpoint
    this.#underWay++
    try {
      const message = await outbox.message(job.event)
      if (message === undefined) return
      const at = clock()
      const answer = await sender.send(receiver.url, signedRequest(message, receiver.secrets, Math.floor(at / 1000)))
      if (this.#cutOff) return
      const result = judge(answer, { endpoint, job, at, now: clock(), schedule })
      this.#notices.attempt(receiver, message.id, result)
      this.#ledger.note(result)
      this.#notices.outcome(receiver, result, endpoint.failures)
      // Whoever enabled it meanwhile may have mended it, and is not overruled by what was asked before.
      const present = endpoint.isWanted && endpoint.generation === generation ? outbox.receiver(endpoint.id) : undefined
      if (present !== undefined) await this.#disableIfOver(present, result)
    } catch (error) {
      this.#notices.error(endpoint.id, error)
      endpoint.queue.wait({ ...job, due: clock() + schedule.shortest })
    } finally {
      this.#underWay--
      endpoint.running.delete(job.event)
      this.#goOn(endpoint)
      if (!this.#busy) for (const resolve of this.#whenStill.splice(0)) resolve()
    }
  }

  /** Disables a receiver that is gone or has failed for long. @param receiver as it is now, and not as it was when the attempt began */
  async #disableIfOver(receiver: Receiver, { status, attempt }: Result): Promise<void> {
    if (status === 'delivered') return
    const health = healthAfter(receiver.health, { at: attempt.at, isGood: false }, this.#options.schedule.quiet)
    const reason = attempt.status === GONE ? 'gone' : hasFailedForLong(health, attempt.at) ? 'failing' : undefined
    if (reason === undefined) return
    this.#notices.disabled(receiver, reason)
    this.forget(receiver.id)
    await this.#options.outbox.disable(receiver.id, reason)
  }
}
