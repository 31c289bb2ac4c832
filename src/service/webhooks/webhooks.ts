import type { Actor } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import type { PageRequest } from '../../query/page.ts'
import type { Change, Store, StoredRecord } from '../../store/store.ts'
import { DELIVERIES } from '../../webhooks/models.ts'
import type { UrlGuard } from '../../webhooks/url-guard.ts'
import type { Worker } from '../../webhooks/worker.ts'
import { noSuchRecord, superusersOnly } from '../model-access.ts'
import { Deliveries, type DeliveringParts } from './deliveries.ts'
import { DeliveryLog } from './delivery-log.ts'
import type { EventPublisher } from './event-publisher.ts'
import {
  MAX_SUBSCRIPTIONS,
  readNewSubscriptions,
  readRotation,
  readSubscriptionChange,
  type SubscriptionRules,
} from './subscription-requests.ts'
import { Subscriptions } from './subscriptions.ts'

export interface WebhookParts extends DeliveringParts {
  readonly guard: UrlGuard
}

/** A subscription as the API returns it. The secret is included on creation only. */
export interface ShownSubscription {
  readonly id: number
  readonly secret?: string
  readonly [member: string]: unknown
}

/** The webhook service: subscriptions, delivery, delivery log. API methods are for superusers only. */
export class Webhooks implements EventPublisher {
  readonly #store: Store
  readonly #rules: SubscriptionRules
  readonly subscriptions: Subscriptions
  readonly #delivering: Deliveries
  readonly #log: DeliveryLog

  constructor(parts: WebhookParts) {
    this.#store = parts.store
    this.#rules = parts
    this.#log = new DeliveryLog(parts.store)
    this.subscriptions = new Subscriptions(parts)
    this.#delivering = new Deliveries(parts, this.subscriptions)
  }

  isSubscribed(table: string): boolean {
    return this.subscriptions.concerns(table)
  }

  eventRequest(): ReturnType<EventPublisher['eventRequest']> {
    return this.subscriptions.order()
  }

  committed(changes: readonly Change[]): void {
    this.#delivering.committed(changes)
  }

  /** Starts delivery: first the events that an earlier run left pending, then newly committed ones. */
  deliver(): Promise<Worker> {
    return this.#delivering.begin()
  }

  /** Stops delivery. Pending events are delivered by the next run. */
  stop(): Promise<void> {
    return this.#delivering.stop()
  }

  /** Number of pending deliveries of all subscriptions. */
  async depth(): Promise<number> {
    let depth = 0
    for (const { id } of this.subscriptions.all) depth += await this.#delivering.pendingOf(id)
    return depth
  }

  async list(actor: Actor): Promise<ShownSubscription[]> {
    superusersOnly(actor)
    return Promise.all(this.subscriptions.all.map((each) => this.#shown(each)))
  }

  async get(actor: Actor, id: number): Promise<ShownSubscription> {
    return this.#shown(this.#expect(actor, id))
  }

  /**
   * @param body one subscription, or `{webhooks: [such…]}`
   * @returns the created subscriptions, with their secrets
   */
  async create(actor: Actor, body: unknown): Promise<{ made: ShownSubscription[]; isList: boolean }> {
    superusersOnly(actor)
    const { inputs, isList } = readNewSubscriptions(body, this.#rules)
    if (this.subscriptions.all.length + inputs.length > MAX_SUBSCRIPTIONS) {
      throw new AppError('VALIDATION_FAILED', `There can be ${MAX_SUBSCRIPTIONS} webhooks at most; remove some`)
    }
    const made: ShownSubscription[] = []
    for (const input of inputs) {
      const subscription = await this.subscriptions.create(input)
      await this.#delivering.resume(subscription.id)
      made.push(await this.#withSecret(subscription))
    }
    return { made, isList }
  }

  async update(actor: Actor, id: number, body: unknown): Promise<ShownSubscription> {
    const subscription = this.#expect(actor, id)
    const { active, ...others } = readSubscriptionChange(body, this.#rules)
    if (Object.keys(others).length > 0) refuseIfSet(subscription)
    const standing = active === undefined || active === subscription.active ? {} : { active, disabled_by: active ? null : 'hand' }
    // A changed or repaired receiver has no known health yet.
    const isOther = others.url !== undefined && others.url !== subscription.url
    const health = isOther || standing.active === true ? { failing_since: null, last_failure_at: null } : {}
    const updated = await this.subscriptions.update(id, { ...others, ...standing, ...health })
    if (active === true || (isOther && updated.active === true)) await this.#delivering.resume(id)
    if (active === false) this.#delivering.forget(id)
    return this.#shown(updated)
  }

  async remove(actor: Actor, id: number): Promise<ShownSubscription> {
    const subscription = this.#expect(actor, id)
    refuseIfSet(subscription)
    const shown = await this.#shown(subscription)
    await this.subscriptions.remove(id)
    this.#delivering.forget(id)
    return shown
  }

  /** @param body may contain the new secret, `{secret}` */
  async rotate(actor: Actor, id: number, body: unknown): Promise<ShownSubscription> {
    this.#expect(actor, id)
    const secret = readRotation(body, this.#rules)
    if (this.subscriptions.isSecretSet(id)) throw isSet(`The secret of webhook ${id}`)
    return this.#withSecret(await this.subscriptions.rotate(id, secret))
  }

  /**
   * Sends a test event immediately, without retries.
   *
   * @returns its delivery
   */
  async test(actor: Actor, id: number): Promise<object> {
    const subscription = this.#expect(actor, id)
    const event = await this.#delivering.test(subscription)
    const [delivery] = await this.#log.ofEvent(event.id)
    if (delivery === undefined) throw noSuch('Webhook', id)
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
    return this.#log.page(id === undefined ? undefined : this.#expect(actor, id).id, status, page)
  }

  /** Delivers an event again under the same message id. */
  async redeliver(actor: Actor, deliveryId: number): Promise<object> {
    superusersOnly(actor)
    const [delivery] = await this.#store.get(DELIVERIES, [deliveryId])
    if (delivery === undefined) throw noSuch('Delivery', deliveryId)
    const { event_id: event, subscription_id: id } = delivery
    if (this.subscriptions.get(Number(id)) === undefined) throw noSuch('Delivery', deliveryId)
    if (this.subscriptions.receiver(Number(id)) === undefined) {
      throw new AppError('VALIDATION_FAILED', `Webhook ${id} is not active, so nothing is delivered to it; enable it first`)
    }
    // The delivery may be pruned, or its subscription deleted, at any moment.
    const isThere = await this.#delivering.again(delivery)
    const [shown] = isThere ? await this.#log.ofEvent(Number(event), Number(id)) : []
    if (shown === undefined) throw noSuch('Delivery', deliveryId)
    return shown
  }

  /** @throws {AppError} FORBIDDEN, RECORD_NOT_FOUND */
  #expect(actor: Actor, id: number): StoredRecord {
    superusersOnly(actor)
    const subscription = this.subscriptions.get(id)
    if (subscription === undefined) throw noSuch('Webhook', id)
    return subscription
  }

  async #shown(subscription: StoredRecord): Promise<ShownSubscription> {
    const { secret: _, old_secret: __, old_secret_until: ___, ...shown } = subscription
    return { ...shown, id: subscription.id, pending: await this.#delivering.pendingOf(subscription.id) }
  }

  async #withSecret(subscription: StoredRecord): Promise<ShownSubscription> {
    return { ...(await this.#shown(subscription)), secret: String(subscription.secret) }
  }
}

const noSuch = (name: string, id: number): AppError => new AppError('RECORD_NOT_FOUND', noSuchRecord({ name }, id))

/** @throws {AppError} VALIDATION_FAILED for values that the next start would undo */
function refuseIfSet({ id, from_settings: fromSettings }: StoredRecord): void {
  if (fromSettings === true) throw isSet(`Webhook ${id}`)
}

const isSet = (what: string): AppError =>
  new AppError('VALIDATION_FAILED', `${what} is set in the settings of the project; change it there`)
