import type { Log } from '../log/log.ts'
import type { ReceiverLeases } from '../store/shared-process.ts'
import type { Clock, Timer } from '../util/clock.ts'
import { type DisableReason, GONE, resultOf, WebhookLogger } from './attempts.ts'
import { hasFailedTooLong } from './health.ts'
import { Lane } from './lane.ts'
import { signedRequest } from './messages.ts'
import type { AttemptResult, Job, Outbox } from './outbox.ts'
import type { RetrySchedule } from './retries.ts'
import { type Sender, TIMEOUT_MS } from './sender.ts'
import type { Receiver, Subscriptions } from './subscriptions.ts'

/** Interval at which the queue is read without a hint, in milliseconds. */
const POLL_MS = 250
/** Interval at which the subscriptions that other processes change are read, in milliseconds. */
const FOLLOW_MS = 1000
/** While there is something to deliver, a lease is extended after this time, in milliseconds. */
const EXTEND_MS = 2000
/** No attempt starts later than this before the end of a lease, so that it has ended then. In milliseconds. */
const RESERVE_MS = TIMEOUT_MS + 1000
/** Pause before results that could not be stored are stored again, in milliseconds. */
const STORE_AGAIN_MS = 1000
/** Time that attempts in flight have to finish on stop, in milliseconds. */
const GRACE_MS = 2000

/** The parts that a worker is built from. */
export interface WorkerOptions {
  readonly outbox: Outbox
  readonly subscriptions: Subscriptions
  readonly sender: Sender
  readonly schedule: RetrySchedule
  readonly clock: Clock
  readonly timer: Timer
  /** A time in milliseconds that never goes back. */
  readonly now: () => number
  readonly log: Log
  /** By these one process sends to a receiver; undefined for a store of one process. */
  readonly leases: ReceiverLeases | undefined
}

/**
 * Delivers what is due in the outbox, at least once: a delivery stays in it until its result is stored. The queue is read after a hint and each
 * 250 ms. A slow or failing receiver delays only its own deliveries.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #logger: WebhookLogger
  readonly #lanes = new Map<number, Lane>()
  /** Until when this process may send to a receiver, by `now`. */
  readonly #leases = new Map<number, number>()
  #followedAt = Number.NEGATIVE_INFINITY
  /** The reading of the queue that runs. */
  #round: Promise<number> | undefined
  #isWanted = false
  #hasFailed = false
  #isStopping = false
  /** True once attempts in flight are aborted and their results ignored. */
  #isAborted = false
  /** Cancels the next reading without a hint; undefined if none is planned. */
  #cancelPoll: (() => void) | undefined
  /** Number of deliveries that are attempted or whose result is being stored. */
  #active = 0
  #idleCallbacks: (() => void)[] = []

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#logger = new WebhookLogger(options.log)
  }

  /** Reads the queue for the first time. */
  async start(): Promise<void> {
    await this.#read()
  }

  /** Tells that deliveries may be due. */
  hint(receivers: readonly number[]): void {
    let mayStart = false
    for (const receiver of receivers) {
      const lane = this.#laneOf(receiver)
      lane.mayHaveMore = true
      mayStart ||= lane.room(this.#options.clock()) > 0
    }
    if (mayStart) this.#readSoon()
  }

  /** Delivers to a receiver that was enabled or changed, without its earlier failures and pause. */
  resume(receiver: number): void {
    this.#laneOf(receiver).restart()
    this.hint([receiver])
  }

  /** Delivers a message that was made pending again, also during a pause. */
  redeliver(receiver: number): void {
    this.#laneOf(receiver).endPause()
    this.hint([receiver])
  }

  /** Starts no more attempts for a receiver that was disabled or deleted. Those in flight finish. */
  suspend(receiver: number): void {
    this.#lanes.get(receiver)?.giveBack()
  }

  /** Resolves when no attempt is in flight or due, and all results are stored. */
  async idle(): Promise<void> {
    do {
      while (this.#round !== undefined) await this.#round
      await this.#inactive()
    } while (this.#round !== undefined || (await this.#read()) > 0)
  }

  /** Lets attempts in flight finish within the grace period. Pending deliveries stay pending. */
  async stop(): Promise<void> {
    const { sender, timer, leases } = this.#options
    this.#isStopping = true
    this.#cancelPoll?.()
    const cancelGrace = timer(GRACE_MS, () => {
      this.#isAborted = true
      sender.close()
    })
    await this.#round
    await this.#inactive()
    cancelGrace()
    sender.close()
    // Otherwise the leases end by themselves.
    await leases?.release([...this.#leases.keys()]).catch(() => {})
  }

  async #inactive(): Promise<void> {
    while (this.#active > 0) await new Promise<void>((resolve) => this.#idleCallbacks.push(resolve))
  }

  #laneOf(receiver: number): Lane {
    const lane = this.#lanes.get(receiver) ?? new Lane(receiver)
    this.#lanes.set(receiver, lane)
    return lane
  }

  #readSoon(): void {
    if (this.#round === undefined) void this.#readRound()
    else this.#isWanted = true
  }

  /** Reads the queue for all receivers, after the reading that runs. Returns the number of deliveries that it began. */
  async #read(): Promise<number> {
    while (this.#round !== undefined) await this.#round
    this.#considerAll()
    return this.#readRound()
  }

  #considerAll(): void {
    for (const lane of this.#lanes.values()) lane.mayHaveMore = true
  }

  /** Plans the next reading for all receivers. Readings after hints do not put it off: they are for some receivers only. */
  #planPoll(): void {
    this.#cancelPoll ??= this.#options.timer(POLL_MS, () => {
      this.#cancelPoll = undefined
      this.#considerAll()
      this.#readSoon()
    })
  }

  /** Readings do not overlap. The next one follows at once if it is wanted. */
  #readRound(): Promise<number> {
    if (this.#isStopping) return Promise.resolve(0)
    this.#round ??= this.#runRound().finally(() => {
      this.#round = undefined
      if (this.#isStopping) return
      this.#planPoll()
      if (this.#isWanted && !this.#hasFailed) this.#readSoon()
      this.#isWanted = false
    })
    return this.#round
  }

  async #runRound(): Promise<number> {
    try {
      await this.#follow()
      const begun = await this.#takeAll()
      this.#hasFailed = false
      return begun
    } catch (error) {
      if (!this.#hasFailed) this.#options.log.error('The webhook deliveries could not be read; this is tried again', { error })
      this.#hasFailed = true
      return 0
    }
  }

  /** Takes over the subscriptions that other processes have changed. */
  async #follow(): Promise<void> {
    const { leases, subscriptions, now } = this.#options
    if (leases === undefined || now() - this.#followedAt < FOLLOW_MS) return
    this.#followedAt = now()
    await subscriptions.refreshAll()
  }

  async #takeAll(): Promise<number> {
    const { subscriptions, outbox, clock } = this.#options
    const lanes: Lane[] = []
    for (const { id, active, url } of subscriptions.all) {
      const lane = this.#laneOf(id)
      if (active !== true) continue
      if (lane.url !== url && lane.url !== '') lane.restart()
      lane.url = String(url)
      if (lane.mayHaveMore && lane.room(clock()) > 0) lanes.push(lane)
    }
    for (const lane of this.#lanes.values()) if (this.#isForgettable(lane)) this.#lanes.delete(lane.id)
    for (const lane of lanes) lane.mayHaveMore = false
    const ids = lanes.map(({ id }) => id)
    if (!ids.every((id) => this.#isJustClaimed(id))) {
      if (!(await outbox.hasDue(ids))) return 0
      await this.#claim(ids)
    }
    const begun = await Promise.all(lanes.map((lane) => this.#take(lane)))
    return begun.reduce((sum, count) => sum + count, 0)
  }

  #isForgettable({ id, taken }: Lane): boolean {
    return taken.size === 0 && this.#options.subscriptions.get(id) === undefined
  }

  #isJustClaimed(receiver: number): boolean {
    const { leases, now } = this.#options
    return leases === undefined || now() < (this.#leases.get(receiver) ?? 0) - leases.durationMs + EXTEND_MS
  }

  /** Extends the leases of receivers, or takes free ones. */
  async #claim(receivers: readonly number[]): Promise<void> {
    const { leases, now } = this.#options
    if (leases === undefined) return
    const askedAt = now()
    const held = await leases.claim(receivers)
    for (const receiver of receivers) {
      if (held.has(receiver)) this.#leases.set(receiver, askedAt + leases.durationMs)
      else this.#leases.delete(receiver)
    }
  }

  /** The receiver of a lane; undefined if this process may not send to it now. */
  #receiver({ id }: Lane): Receiver | undefined {
    const { leases, subscriptions, now } = this.#options
    const maySend = leases === undefined || now() < (this.#leases.get(id) ?? 0) - RESERVE_MS
    return maySend && !this.#isStopping ? subscriptions.receiver(id) : undefined
  }

  async #take(lane: Lane): Promise<number> {
    const { outbox, clock } = this.#options
    const room = lane.room(clock())
    if (this.#receiver(lane) === undefined || room === 0) return 0
    const { settled } = lane
    const { jobs, hasMore } = await outbox.take(lane.id, room, lane.taken)
    lane.mayHaveMore ||= hasMore
    // What was held back by a delivery that is settled by now can be taken.
    this.#isWanted ||= hasMore && lane.settled !== settled
    for (const job of jobs) lane.take(job)
    this.#startReady(lane)
    return jobs.length
  }

  /** Starts attempts up to the limit of the receiver. */
  #startReady(lane: Lane): void {
    while (lane.canStart(this.#options.clock())) {
      const receiver = this.#receiver(lane)
      const job = receiver && lane.ready.shift()
      if (receiver === undefined || job === undefined) break
      void this.#deliver(lane, receiver, job)
    }
    // During a pause nothing is kept: what is due afterwards is taken then.
    if (lane.attempts === 0) lane.giveBack()
  }

  async #deliver(lane: Lane, receiver: Receiver, job: Job): Promise<void> {
    const { generation } = lane
    this.#active++
    try {
      const result = await this.#attempt(lane, receiver, job)
      if (result !== undefined && (await this.#store(result))) {
        // If the subscription was enabled or changed meanwhile, this older result must not disable it.
        await this.#disableIfFailed(lane, result, generation)
      }
    } catch (error) {
      this.#logger.error(lane.id, error)
    }
    lane.settle(job)
    if (lane.mayHaveMore) this.hint([lane.id])
    this.#ended()
  }

  #ended(): void {
    this.#active--
    if (this.#active === 0) for (const resolve of this.#idleCallbacks.splice(0)) resolve()
  }

  /** Sends one message. Returns undefined if the attempt was aborted. */
  async #attempt(lane: Lane, receiver: Receiver, job: Job): Promise<AttemptResult | undefined> {
    const { sender, clock, schedule } = this.#options
    lane.attempts++
    try {
      const at = clock()
      const sent = await sender.send(receiver.url, signedRequest(job.message, receiver.secrets, Math.floor(at / 1000)))
      if (this.#isAborted) return undefined
      const result = resultOf(sent, { lane, job, at, now: clock(), schedule })
      this.#logger.attempt(receiver, job.message.id, result)
      this.#logger.outcome(receiver, result, lane.failures)
      return result
    } catch (error) {
      lane.pauseUntil(clock() + schedule.maxBackoff)
      throw error
    } finally {
      lane.attempts--
      this.#startReady(lane)
    }
  }

  /**
   * Stores a result. While that fails it is tried again, and the delivery stays in flight, so that few further ones start.
   *
   * @returns false if the worker was stopped before
   */
  async #store(result: AttemptResult): Promise<boolean> {
    const { outbox, log, timer } = this.#options
    for (;;) {
      if (this.#isAborted) return false
      try {
        await outbox.store(result)
        return true
      } catch (error) {
        log.error('A webhook result could not be stored', { error })
      }
      this.#ended()
      if (!this.#isStopping) await new Promise<void>((resolve) => timer(STORE_AGAIN_MS, resolve))
      this.#active++
      if (this.#isStopping) return false
    }
  }

  /** Disables a receiver that is gone (410) or has failed for too long. */
  async #disableIfFailed(lane: Lane, { status, attempt }: AttemptResult, generation: number): Promise<void> {
    if (status === 'delivered' || lane.generation !== generation) return
    const { subscriptions } = this.#options
    const receiver = subscriptions.receiver(lane.id)
    const isGone = attempt.status === GONE
    if (receiver === undefined || !(isGone || hasFailedTooLong(receiver.health, attempt.at))) return
    const reason: DisableReason = isGone ? 'gone' : 'failing'
    // The subscription is inactive from now on, so no attempt starts, unless storing this fails.
    await subscriptions.update(lane.id, { active: false, disabled_by: reason })
    this.#logger.disabled(receiver, reason)
    this.suspend(lane.id)
  }
}
