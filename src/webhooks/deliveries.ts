import type { Log } from '../log/log.ts'
import type { FileUrls } from '../model/file-urls.ts'
import type { Lane } from '../queue/lane.ts'
import type { QueueWork } from '../queue/queue-work.ts'
import { QueueWorker } from '../queue/queue-worker.ts'
import type { ReceiverLeases } from '../store/changes.ts'
import type { Change, StoredRecord } from '../store/store.ts'
import { isoTime, type Timer } from '../util/clock.ts'
import { uniqueId } from '../util/ids.ts'
import { PeriodicTask } from '../util/periodic-task.ts'
import { type DisableReason, GONE, isSuccess, resultOf, WebhookLogger } from './attempts.ts'
import { messageOf, pendingOf } from './event-records.ts'
import { hasFailedTooLong } from './health.ts'
import { signedRequest } from './messages.ts'
import { EVENTS } from './models.ts'
import { type AttemptResult, type DueDelivery, Outbox } from './outbox.ts'
import { prune, type Retention } from './pruning.ts'
import type { RetrySchedule } from './retries.ts'
import { type Sender, TIMEOUT_MS } from './sender.ts'
import { receiverOf, type SubscriptionParts, type Subscriptions } from './subscriptions.ts'

/** Dependencies of the delivery service. */
export interface DeliveryParts extends SubscriptionParts {
  readonly sender: Sender
  readonly schedule: RetrySchedule
  readonly timer: Timer
  readonly log: Log
  readonly fileUrls: FileUrls
  readonly keep: Retention
  /** Divides the receivers among the processes that share the store; undefined for a store of one process. */
  readonly leases: ReceiverLeases | undefined
}

/** Interval of pruning the delivery log, in milliseconds. */
const PRUNE_MS = 600_000

/** Delivers committed events to subscriptions while it runs. A lane of its queue is the deliveries to one receiver. */
export class Deliveries implements QueueWork<DueDelivery, AttemptResult> {
  readonly name = 'webhook deliveries'
  readonly concurrency = 8
  readonly attemptMs = TIMEOUT_MS
  readonly outbox: Outbox
  readonly worker: QueueWorker<DueDelivery, AttemptResult>
  readonly #parts: DeliveryParts
  readonly #subscriptions: Subscriptions
  readonly #logger: WebhookLogger
  readonly #pruning: PeriodicTask
  #isAborted = false

  constructor(parts: DeliveryParts, subscriptions: Subscriptions) {
    this.#parts = parts
    this.#subscriptions = subscriptions
    this.#logger = new WebhookLogger(parts.log)
    this.outbox = new Outbox({ ...parts, subscriptions })
    this.worker = new QueueWorker({ ...parts, table: this.outbox, work: this, now: () => performance.now() })
    this.#pruning = new PeriodicTask(() => prune(parts, parts.keep), {
      timer: parts.timer,
      intervalMs: PRUNE_MS,
      onError: (error) => parts.log.error('The webhook delivery log could not be pruned', { error }),
    })
  }

  /** Starts delivery: first the events that an earlier run left pending, then newly committed ones. */
  async start(): Promise<void> {
    await this.outbox.adopt()
    await this.#pruning.start()
    await this.worker.start()
  }

  /** Stops delivery. Pending events are delivered by the next run. */
  async stop(): Promise<void> {
    this.#pruning.stop()
    await this.worker.stop()
    this.#parts.sender.close()
  }

  /** Called after a commit: new events are due at once. */
  committed(changes: readonly Change[]): void {
    const receivers = new Set<number>()
    for (const { table, before, after } of changes) {
      // An existing event changes only when receivers are removed from it.
      if (table === EVENTS && before === undefined && after !== undefined) for (const id of pendingOf(after)) receivers.add(id)
    }
    this.worker.hint(receivers)
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
    await this.outbox.store({ receiver, event: event.id, attempt: { at, status, took, reason, text }, ...outcome })
    return event
  }

  lanes(): Pick<Lane<DueDelivery>, 'id' | 'target'>[] {
    return this.#subscriptions.all.flatMap(({ id, active, url }) => (active === true ? [{ id, target: String(url) }] : []))
  }

  async follow(): Promise<void> {
    await this.#subscriptions.refreshAll()
  }

  /** Sends one message. Undefined if the receiver was disabled, or the attempt aborted. */
  async attempt(lane: Lane<DueDelivery>, row: DueDelivery): Promise<AttemptResult | undefined> {
    const { sender, clock, schedule } = this.#parts
    const receiver = this.#subscriptions.receiver(lane.id)
    if (receiver === undefined) return undefined
    try {
      const at = clock()
      const sent = await sender.send(receiver.url, signedRequest(row.message, receiver.secrets, Math.floor(at / 1000)))
      if (this.#isAborted) return undefined
      const result = resultOf(sent, { lane, row, at, now: clock(), schedule })
      this.#logger.attempt(receiver, row.message.id, result)
      this.#logger.outcome(receiver, result, lane.failures)
      return result
    } catch (error) {
      lane.pauseUntil(clock() + schedule.maxBackoff)
      throw error
    }
  }

  /** Disables a receiver that is gone (410) or has failed for too long, unless the subscription was enabled or changed meanwhile. */
  async stored({ id }: Lane<DueDelivery>, { status, attempt }: AttemptResult, isCurrent: boolean): Promise<void> {
    const receiver = this.#subscriptions.receiver(id)
    const isGone = attempt.status === GONE
    if (status === 'delivered' || !isCurrent || receiver === undefined) return
    if (!isGone && !hasFailedTooLong(receiver.health, attempt.at)) return
    const reason: DisableReason = isGone ? 'gone' : 'failing'
    // The subscription is inactive from now on, so no attempt starts, unless storing this fails.
    await this.#subscriptions.update(id, { active: false, disabled_by: reason })
    this.#logger.disabled(receiver, reason)
    this.worker.suspend(id)
  }

  failed({ id }: Lane<DueDelivery>, error: unknown): void {
    this.#logger.error(id, error)
  }

  abort(): void {
    this.#isAborted = true
    this.#parts.sender.close()
  }
}
