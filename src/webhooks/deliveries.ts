import type { Log } from '../log/log.ts'
import type { ReceiverLeases } from '../store/shared-process.ts'
import type { Change, StoredRecord } from '../store/store.ts'
import { isoTime, type Timer } from '../util/clock.ts'
import { uniqueId } from '../util/ids.ts'
import { PeriodicTask } from '../util/periodic-task.ts'
import { isSuccess } from './attempts.ts'
import { messageOf, pendingOf } from './event-records.ts'
import { signedRequest } from './messages.ts'
import { EVENTS } from './models.ts'
import { Outbox } from './outbox.ts'
import { prune, type Retention } from './pruning.ts'
import type { RetrySchedule } from './retries.ts'
import type { Sender } from './sender.ts'
import { receiverOf, type SubscriptionParts, type Subscriptions } from './subscriptions.ts'
import { Worker } from './worker.ts'

/** Dependencies of the delivery service. */
export interface DeliveryParts extends SubscriptionParts {
  readonly sender: Sender
  readonly schedule: RetrySchedule
  readonly timer: Timer
  readonly log: Log
  readonly keep: Retention
  /** Divides the receivers among the processes that share the store; undefined for a store of one process. */
  readonly leases: ReceiverLeases | undefined
}

/** Interval of pruning the delivery log, in milliseconds. */
const PRUNE_MS = 600_000

/** Delivers committed events to subscriptions while it runs. */
export class Deliveries {
  readonly #parts: DeliveryParts
  readonly #subscriptions: Subscriptions
  readonly #outbox: Outbox
  readonly #pruning: PeriodicTask
  #worker: Worker | undefined

  constructor(parts: DeliveryParts, subscriptions: Subscriptions) {
    this.#parts = parts
    this.#subscriptions = subscriptions
    this.#outbox = new Outbox({ ...parts, subscriptions })
    this.#pruning = new PeriodicTask(() => prune(parts, parts.keep), {
      timer: parts.timer,
      intervalMs: PRUNE_MS,
      onError: (error) => parts.log.error('The webhook delivery log could not be pruned', { error }),
    })
  }

  /** Starts delivery: first the events that an earlier run left pending, then newly committed ones. */
  async start(): Promise<Worker> {
    const parts = { ...this.#parts, outbox: this.#outbox, subscriptions: this.#subscriptions }
    const worker = new Worker({ ...parts, now: () => performance.now() })
    await this.#outbox.adopt()
    this.#worker = worker
    await this.#pruning.start()
    await worker.start()
    return worker
  }

  /** Stops delivery. Pending events are delivered by the next run. */
  async stop(): Promise<void> {
    this.#pruning.stop()
    await this.#worker?.stop()
    this.#worker = undefined
    this.#parts.sender.close()
  }

  /** Called after a commit: new events are due at once. */
  committed(changes: readonly Change[]): void {
    const receivers = new Set<number>()
    for (const { table, before, after } of changes) {
      // An existing event changes only when receivers are removed from it.
      if (table === EVENTS && before === undefined && after !== undefined) for (const id of pendingOf(after)) receivers.add(id)
    }
    if (receivers.size > 0) this.#worker?.hint([...receivers])
  }

  /** Delivers the pending events of a subscription that was created, enabled or changed. */
  resume(subscription: number): void {
    this.#worker?.resume(subscription)
  }

  /** Starts no more deliveries to a subscription that was deleted or disabled. */
  suspend(subscription: number): void {
    this.#worker?.suspend(subscription)
  }

  /** Number of pending deliveries of one subscription. */
  pendingOf(subscription: number): Promise<number> {
    return this.#outbox.pendingOf(subscription)
  }

  /**
   * Delivers an event again under the same message id.
   *
   * @returns false if the delivery no longer exists
   */
  async redeliver(delivery: StoredRecord): Promise<boolean> {
    const exists = await this.#outbox.reopen(delivery.id)
    if (exists) this.#worker?.redeliver(Number(delivery.subscription_id))
    return exists
  }

  /**
   * Sends a test event immediately, without retries.
   *
   * @returns the event
   */
  async sendTest(subscription: StoredRecord): Promise<StoredRecord> {
    const { records, random, clock, sender } = this.#parts
    const { id: receiver } = subscription
    const message = { message_id: `msg_${uniqueId(random)}`, event: 'test', model: 'webhook', data: `{"id":${receiver}}` }
    const stored = await records.commitInternal([
      { kind: 'insert', table: EVENTS, values: { ...message, record_id: null, timestamp: isoTime(clock()), pending: [] } },
    ])
    const [event] = stored.ok ? stored.records : []
    if (event === undefined) throw new Error('The test event could not be stored')
    const at = clock()
    const signed = signedRequest(messageOf(event), receiverOf(subscription, at).secrets, Math.floor(at / 1000))
    const { status, took, reason, text } = await sender.send(String(subscription.url), signed)
    const succeeded = isSuccess(status)
    const outcome = { status: succeeded ? 'delivered' : 'failed', tries: succeeded ? 0 : 1, due: undefined } as const
    await this.#outbox.store({ receiver, event: event.id, attempt: { at, status, took, reason, text }, ...outcome })
    return event
  }
}
