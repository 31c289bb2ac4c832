import type { Log } from '../log/log.ts'
import type { HeldLease, LeaseAnswer, ReceiverLeases } from '../store/shared-process.ts'
import type { Timer } from '../util/clock.ts'
import type { Dispatch } from './dispatch.ts'
import { TIMEOUT_MS } from './sender.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { Worker } from './worker.ts'

/** Interval of the exchanges with the leases, in milliseconds. */
const EXCHANGE_MS = 1000
/** No attempt starts later than this before the end of the lease, so that it has ended then. In milliseconds. */
const RESERVE_MS = TIMEOUT_MS + 1000
/** A lease is given back when there was nothing to deliver for this time, in milliseconds. */
const IDLE_MS = 5000
/** Interval of reading all pending events of a receiver, since ids do not tell of every event. In milliseconds. */
const RELOAD_MS = 300_000
/** Least time between readings that transactions with many events cause, in milliseconds. */
const LATE_RELOAD_MS = 2000
/** The same as a multiple of the duration of the last reading, which is long if very many events are pending. */
const RELOAD_PAUSE = 10

/** Dependencies of a shared dispatch. */
export interface SharedDispatchParts {
  readonly leases: ReceiverLeases
  readonly subscriptions: Subscriptions
  readonly timer: Timer
  /** A time in milliseconds that never goes back. */
  readonly now: () => number
  readonly log: Log
}

/** A lease as this process knows it. Times are those of `now`. */
interface Lease {
  until: number
  /** The wakes up to which the pending events are known; undefined until they have been read. */
  wakes: number | undefined
  busyAt: number
  loadedAt: number
  /** Duration of the last reading of all pending events. */
  loadTook: number
  /** `lateEvents` of the answer before that reading. */
  lateEvents: string
}

/**
 * The dispatch of a process that shares the store with others. It delivers to the receivers that it has leases of, and finds the events
 * that others have stored. Subscriptions that others change are known within an exchange.
 */
export class SharedDispatch implements Dispatch {
  readonly #parts: SharedDispatchParts
  readonly #held = new Map<number, Lease>()
  /** Receivers that no process had a lease of at the last exchange. */
  #free: ReadonlySet<number> = new Set()
  #worker: Worker | undefined
  #subscriptionsVersion = ''
  /** The active subscriptions as they were followed last, with their URLs. */
  #followed: ReadonlyMap<number, unknown> = new Map()
  #exchange: Promise<void> | undefined
  #isWanted = false
  #hasFailed = false
  #cancelTimer = () => {}

  constructor(parts: SharedDispatchParts) {
    this.#parts = parts
  }

  async start(worker: Worker): Promise<void> {
    this.#worker = worker
    await this.#exchangeNow()
  }

  async stop(stopWorker: () => Promise<void>): Promise<void> {
    this.#worker = undefined
    this.#cancelTimer()
    await this.#exchange
    await stopWorker()
    const held = [...this.#held.keys()]
    this.#held.clear()
    // Otherwise the leases end by themselves.
    await this.#parts.leases.release(held).catch(() => {})
  }

  maySend(receiver: number): boolean {
    const lease = this.#held.get(receiver)
    return lease !== undefined && this.#parts.now() < lease.until - RESERVE_MS
  }

  add(event: number, receivers: readonly number[]): void {
    for (const receiver of receivers) {
      if (this.#held.has(receiver)) this.#worker?.add(event, [receiver])
      else if (this.#free.has(receiver)) this.#exchangeSoon()
    }
  }

  async resume(receiver: number): Promise<void> {
    if (this.#held.has(receiver)) await this.#worker?.resume(receiver)
    else await this.#wakeHolder(receiver)
  }

  suspend(receiver: number): void {
    // The lease is given back when the attempts in flight have ended.
    this.#worker?.suspend(receiver)
  }

  async redeliver(event: number, receiver: number): Promise<void> {
    if (this.#held.has(receiver)) this.#worker?.redeliver(event, receiver)
    else await this.#wakeHolder(receiver)
  }

  async #wakeHolder(receiver: number): Promise<void> {
    await this.#parts.leases.wake(receiver)
    this.#exchangeSoon()
  }

  #exchangeSoon(): void {
    if (this.#exchange === undefined) void this.#worker?.during(this.#exchangeNow())
    else this.#isWanted = true
  }

  /** Exchanges do not overlap. The next one follows after the interval, or at once if it is wanted. */
  #exchangeNow(): Promise<void> {
    this.#cancelTimer()
    this.#exchange ??= this.#runExchange().finally(() => {
      this.#exchange = undefined
      if (this.#worker === undefined) return
      const delay = this.#isWanted && !this.#hasFailed ? 0 : EXCHANGE_MS
      this.#isWanted = false
      this.#cancelTimer = this.#parts.timer(delay, () => void this.#exchangeNow())
    })
    return this.#exchange
  }

  async #runExchange(): Promise<void> {
    const { log } = this.#parts
    try {
      await this.#exchangeOnce()
      this.#hasFailed = false
    } catch (error) {
      // Without exchanges the leases end, and so does the delivery; the log of the database says more.
      if (!this.#hasFailed)
        log.error('Webhook deliveries could not be shared out among processes; this is tried again', { error })
      this.#hasFailed = true
    }
  }

  async #exchangeOnce(): Promise<void> {
    const { leases, subscriptions, now } = this.#parts
    const worker = this.#worker
    if (worker === undefined) return
    await this.#releaseIdle(worker)
    const active = subscriptions.all.filter((each) => each.active === true).map(({ id }) => id)
    const held = [...this.#held.keys()].map((receiver) => ({ receiver, after: worker.knownUpTo(receiver) }))
    const askedAt = now()
    const answer = await leases.exchange({ held, others: active.filter((id) => !this.#held.has(id)) })
    this.#free = answer.free
    await this.#followSubscriptions(answer, worker)
    for (const { receiver } of held) {
      const extended = answer.held.get(receiver)
      if (extended === undefined) this.#lose(receiver, worker)
      else await this.#extend(receiver, extended, { askedAt, lateEvents: answer.lateEvents, worker })
    }
    const until = askedAt + leases.durationMs
    const { lateEvents } = answer
    // All of them are held from now on, also if the events of one cannot be read.
    for (const receiver of answer.taken.keys()) {
      this.#held.set(receiver, { until, wakes: undefined, busyAt: askedAt, loadedAt: askedAt, loadTook: 0, lateEvents })
    }
    for (const [receiver, wakes] of answer.taken) await this.#resume(receiver, wakes, worker)
  }

  async #extend(
    receiver: number,
    { wakes, events }: HeldLease,
    { askedAt, lateEvents, worker }: { readonly askedAt: number; readonly lateEvents: string; readonly worker: Worker },
  ): Promise<void> {
    const lease = this.#held.get(receiver)
    if (lease === undefined) return
    const wasGood = this.maySend(receiver)
    lease.until = askedAt + this.#parts.leases.durationMs
    if (!this.#isActive(receiver)) return
    if (!wasGood || lease.wakes !== wakes) await this.#resume(receiver, wakes, worker)
    else if (mustReload(lease, askedAt, lateEvents)) await worker.reload(receiver)
    else {
      for (const event of events) worker.add(event, [receiver])
      return
    }
    lease.loadedAt = askedAt
    lease.loadTook = this.#parts.now() - askedAt
    lease.lateEvents = lateEvents
  }

  /** Reads the pending events of a receiver. If that fails, the next exchange does it. */
  async #resume(receiver: number, wakes: number, worker: Worker): Promise<void> {
    const lease = this.#held.get(receiver)
    if (lease === undefined) return
    lease.wakes = undefined
    await worker.resume(receiver)
    lease.wakes = wakes
  }

  #lose(receiver: number, worker: Worker): void {
    this.#held.delete(receiver)
    worker.suspend(receiver)
  }

  /** Gives back the leases of receivers without work, so that the process that stores their next events delivers these at once. */
  async #releaseIdle(worker: Worker): Promise<void> {
    const now = this.#parts.now()
    const idle: number[] = []
    for (const [receiver, lease] of this.#held) {
      if (!worker.isIdle(receiver)) lease.busyAt = now
      else if (now - lease.busyAt >= IDLE_MS || !this.#isActive(receiver)) idle.push(receiver)
    }
    if (idle.length === 0) return
    for (const receiver of idle) this.#lose(receiver, worker)
    await worker.flush()
    await this.#parts.leases.release(idle)
  }

  #isActive(receiver: number): boolean {
    return this.#parts.subscriptions.get(receiver)?.active === true
  }

  /** Reads the subscriptions again when a process has changed one. */
  async #followSubscriptions({ subscriptionsVersion: version }: LeaseAnswer, worker: Worker): Promise<void> {
    const { subscriptions } = this.#parts
    if (version === this.#subscriptionsVersion || !(await subscriptions.refreshAll())) return
    const before = this.#followed
    this.#subscriptionsVersion = version
    this.#followed = new Map(subscriptions.all.flatMap(({ id, active, url }) => (active === true ? [[id, url] as const] : [])))
    for (const receiver of this.#held.keys()) {
      if (!this.#followed.has(receiver)) worker.suspend(receiver)
      else if (before.get(receiver) !== this.#followed.get(receiver)) await worker.resume(receiver)
    }
  }
}

function mustReload({ loadedAt, loadTook, lateEvents: known }: Lease, now: number, lateEvents: string): boolean {
  const pause = lateEvents === known ? RELOAD_MS : Math.min(RELOAD_MS, Math.max(LATE_RELOAD_MS, RELOAD_PAUSE * loadTook))
  return now - loadedAt >= pause
}
