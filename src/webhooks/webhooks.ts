import { type Actor, noSuchRecord, superusersOnly } from '../auth/permissions.ts'
import type { Settings } from '../config/settings.ts'
import { scopeOf } from '../config/webhook-settings.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { FileUrls } from '../model/file-urls.ts'
import type { PageRequest } from '../query/plan.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { ReceiverLeases } from '../store/changes.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { systemTimer, type Timer } from '../util/clock.ts'
import { isLoopback } from '../util/urls.ts'
import { Deliveries, type DeliveryParts } from './deliveries.ts'
import { DeliveryLog } from './delivery-log.ts'
import { DELIVERIES } from './models.ts'
import { RetrySchedule } from './retries.ts'
import { Sender } from './sender.ts'
import {
  MAX_SUBSCRIPTIONS,
  readNewSubscriptions,
  readRotation,
  readSubscriptionChange,
  refuseDuplicates,
  type SubscriptionRules,
} from './subscription-requests.ts'
import { type SubscriptionParts, Subscriptions } from './subscriptions.ts'
import { type Resolve, UrlGuard } from './url-guard.ts'

interface WebhookParts extends DeliveryParts {
  readonly guard: UrlGuard
}

/** A subscription as the API returns it. The secret is included on creation only. */
interface PresentedSubscription {
  readonly id: number
  readonly secret?: string
  readonly [member: string]: unknown
}

/** The webhook service: subscriptions, delivery, delivery log. API methods are for superusers only. */
export class Webhooks {
  readonly #store: Store
  readonly #rules: SubscriptionRules
  readonly #isShared: boolean
  readonly subscriptions: Subscriptions
  readonly #deliveries: Deliveries
  readonly #log: DeliveryLog

  constructor(parts: WebhookParts) {
    this.#store = parts.store
    this.#rules = parts
    this.#isShared = parts.leases !== undefined
    this.#log = new DeliveryLog(parts.store)
    this.subscriptions = new Subscriptions(parts)
    this.#deliveries = new Deliveries(parts, this.subscriptions)
  }

  /** The hooks that store the events of changes with them, and deliver them after the commit. */
  get hooks(): WriteHooks {
    return {
      inTransaction: (transaction) => {
        const { write, isQuiet, operations } = transaction
        const isHeard =
          this.subscriptions.isSubscribed(write.model.key) ||
          // A cascade may change records of any table, and a write may have operations on several.
          operations.some(({ kind, table }) => kind === 'remove' || this.subscriptions.isSubscribed(table))
        if (!isQuiet && isHeard) transaction.events = this.subscriptions.eventRequest()
      },
      afterCommit: (changes) => this.#deliveries.committed(changes),
    }
  }

  /** Begins the work of a server. */
  async begin(): Promise<void> {
    await this.startDelivery()
  }

  /** Starts delivery: first the events that an earlier run left pending, then newly committed ones. */
  async startDelivery(): Promise<Deliveries['worker']> {
    await this.#deliveries.start()
    return this.#deliveries.worker
  }

  /** Stops delivery. Pending events are delivered by the next run. */
  stop(): Promise<void> {
    return this.#deliveries.stop()
  }

  /** Number of pending deliveries of all subscriptions. */
  async depth(): Promise<number> {
    let depth = 0
    for (const { id } of this.subscriptions.all) depth += await this.#deliveries.outbox.pendingOf(id)
    return depth
  }

  async list(actor: Actor): Promise<PresentedSubscription[]> {
    superusersOnly(actor)
    await this.#refresh()
    return Promise.all(this.subscriptions.all.map((each) => this.#present(each)))
  }

  async get(actor: Actor, id: number): Promise<PresentedSubscription> {
    return this.#present(await this.#find(actor, id))
  }

  /**
   * @param body one subscription, or `{webhooks: [such…]}`
   * @returns the created subscriptions, with their secrets
   * @throws {AppError} VALIDATION_FAILED, also for a subscription that exists already
   */
  async create(actor: Actor, body: unknown): Promise<{ created: PresentedSubscription[]; isList: boolean }> {
    superusersOnly(actor)
    const { inputs, isList } = readNewSubscriptions(body, this.#rules)
    await this.#refresh()
    if (this.subscriptions.all.length + inputs.length > MAX_SUBSCRIPTIONS) {
      throw new AppError('VALIDATION_FAILED', `There can be ${MAX_SUBSCRIPTIONS} webhooks at most; remove some`)
    }
    refuseDuplicates(inputs, this.subscriptions.all, isList)
    const created: PresentedSubscription[] = []
    for (const input of inputs) {
      const subscription = await this.subscriptions.create(input)
      this.#deliveries.worker.resume(subscription.id)
      created.push(withSecret(subscription, 0))
    }
    return { created, isList }
  }

  async update(actor: Actor, id: number, body: unknown): Promise<PresentedSubscription> {
    const subscription = await this.#find(actor, id)
    const { active, ...others } = readSubscriptionChange(body, this.#rules)
    if (Object.keys(others).length > 0) refuseIfConfigured(subscription)
    const changed = { ...subscription, ...others }
    // Equal subscriptions of an earlier version can still be changed in other ways.
    if (scopeOf(changed) !== scopeOf(subscription)) {
      const rest = this.subscriptions.all.filter((each) => each.id !== id)
      refuseDuplicates([changed], rest, false)
    }
    const activation =
      active === undefined || active === subscription.active ? {} : { active, disabled_by: active ? null : 'hand' }
    // A changed or repaired receiver has no known health yet.
    const isNewUrl = others.url !== undefined && others.url !== subscription.url
    const health = isNewUrl || activation.active === true ? { failing_since: null, last_failure_at: null } : {}
    const pending = await this.#deliveries.outbox.pendingOf(id)
    const updated = await this.subscriptions.update(id, { ...others, ...activation, ...health })
    if (active === true || (isNewUrl && updated.active === true)) this.#deliveries.worker.resume(id)
    if (active === false) this.#deliveries.worker.suspend(id)
    return presented(updated, pending)
  }

  async remove(actor: Actor, id: number): Promise<PresentedSubscription> {
    const subscription = await this.#find(actor, id)
    refuseIfConfigured(subscription)
    const shown = await this.#present(subscription)
    await this.subscriptions.remove(id)
    this.#deliveries.worker.suspend(id)
    return shown
  }

  /** @param body may contain the new secret, `{secret}` */
  async rotate(actor: Actor, id: number, body: unknown): Promise<PresentedSubscription> {
    await this.#find(actor, id)
    const secret = readRotation(body, this.#rules)
    if (this.subscriptions.isSecretConfigured(id)) throw configuredError(`The secret of webhook ${id}`)
    const pending = await this.#deliveries.outbox.pendingOf(id)
    return withSecret(await this.subscriptions.rotate(id, secret), pending)
  }

  /**
   * Sends a test event immediately, without retries.
   *
   * @returns its delivery
   */
  async test(actor: Actor, id: number): Promise<object> {
    const subscription = await this.#find(actor, id)
    const event = await this.#deliveries.sendTest(subscription)
    const [delivery] = await this.#log.ofEvent(event.id)
    if (delivery === undefined) throw notFound('Webhook', id)
    return delivery
  }

  /**
   * A page of the delivery log, latest first.
   *
   * @param id of a subscription; undefined for all
   */
  async deliveries(
    actor: Actor,
    id: number | undefined,
    page: PageRequest,
    status: string | undefined,
  ): Promise<{ data: object[]; total: number }> {
    superusersOnly(actor)
    return this.#log.page(id === undefined ? undefined : (await this.#find(actor, id)).id, status, page)
  }

  /** Delivers an event again under the same message id. */
  async redeliver(actor: Actor, deliveryId: number): Promise<object> {
    superusersOnly(actor)
    await this.#refresh()
    const [delivery] = await this.#store.get(DELIVERIES, [deliveryId])
    if (delivery === undefined) throw notFound('Delivery', deliveryId)
    const { event_id: event, subscription_id: id } = delivery
    if (this.subscriptions.get(Number(id)) === undefined) throw notFound('Delivery', deliveryId)
    if (this.subscriptions.receiver(Number(id)) === undefined) {
      throw new AppError('VALIDATION_FAILED', `Webhook ${id} is not active, so nothing is delivered to it; enable it first`)
    }
    const [shown] = await this.#log.ofEvent(Number(event), Number(id))
    // The delivery may be pruned, or its subscription deleted, at any moment.
    if (shown === undefined || !(await this.#deliveries.outbox.reopen(deliveryId))) throw notFound('Delivery', deliveryId)
    this.#deliveries.worker.repeat(Number(id))
    return { ...shown, status: 'pending', next_attempt_at: null }
  }

  /** @throws {AppError} FORBIDDEN, RECORD_NOT_FOUND */
  async #find(actor: Actor, id: number): Promise<StoredRecord> {
    superusersOnly(actor)
    await this.#refresh()
    const subscription = this.subscriptions.get(id)
    if (subscription === undefined) throw notFound('Webhook', id)
    return subscription
  }

  /** Reads the subscriptions that other processes have created or changed. */
  async #refresh(): Promise<void> {
    if (this.#isShared) await this.subscriptions.refreshAll()
  }

  async #present(subscription: StoredRecord): Promise<PresentedSubscription> {
    return presented(subscription, await this.#deliveries.outbox.pendingOf(subscription.id))
  }
}

/**
 * A subscription as the API returns it. A write counts the pending deliveries before its commit: after it nothing is read, so that a stored change is
 * not answered with an error.
 */
function presented(subscription: StoredRecord, pending: number): PresentedSubscription {
  const { secret: _, old_secret: __, old_secret_until: ___, ...shown } = subscription
  return { ...shown, id: subscription.id, pending }
}

const withSecret = (subscription: StoredRecord, pending: number): PresentedSubscription => ({
  ...presented(subscription, pending),
  secret: String(subscription.secret),
})

const notFound = (name: string, id: number): AppError => new AppError('RECORD_NOT_FOUND', noSuchRecord({ name }, id))

/** @throws {AppError} VALIDATION_FAILED for values that the next start would undo */
function refuseIfConfigured({ id, from_settings: fromSettings }: StoredRecord): void {
  if (fromSettings === true) throw configuredError(`Webhook ${id}`)
}

const configuredError = (what: string): AppError =>
  new AppError('VALIDATION_FAILED', `${what} is set in the settings of the project; change it there`)

/** The guard of a project's settings, for all requests to addresses from elsewhere. */
export const webhookGuard = ({ webhooks, host }: Settings, resolve?: Resolve): UrlGuard =>
  new UrlGuard(webhooks.allow_private ?? isLoopback(host), resolve)

/** Creates the webhook service from a project's settings. */
export function createWebhooks(
  parts: SubscriptionParts & {
    readonly settings: Settings
    readonly log: Log
    readonly leases: ReceiverLeases | undefined
    readonly fileUrls: FileUrls
  },
  { timer = systemTimer, resolve }: { readonly timer?: Timer; readonly resolve?: Resolve },
): Webhooks {
  const { settings, clock, random } = parts
  const { retry_schedule: seconds, keep } = settings.webhooks
  const guard = webhookGuard(settings, resolve)
  return new Webhooks({
    ...parts,
    guard,
    sender: new Sender({ guard, clock }),
    schedule: new RetrySchedule(seconds, random),
    timer,
    keep,
  })
}
