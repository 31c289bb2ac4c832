import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { PageRequest } from '../query/page.ts'
import type { Change, StoredRecord } from '../store/store.ts'
import { isoTime } from '../util/clock.ts'
import { uniqueId } from '../util/ids.ts'
import type { Timer } from '../util/timer.ts'
import { DELIVERIES, EVENTS } from '../webhooks/models.ts'
import type { Schedule } from '../webhooks/schedule.ts'
import type { Sender } from '../webhooks/sender.ts'
import { signedRequest } from '../webhooks/signature.ts'
import type { UrlGuard } from '../webhooks/url-guard.ts'
import { Worker } from '../webhooks/worker.ts'
import type { Announcer } from './announcer.ts'
import { DeliveryLog } from './delivery-log.ts'
import { noSuchRecord, superusersOnly } from './lookup.ts'
import { receiverOf, type SubscriptionParts, Subscriptions } from './subscriptions.ts'
import { messageOf, StoredOutbox } from './webhook-outbox.ts'
import {
  MAX_SUBSCRIPTIONS,
  readNewSubscriptions,
  readRotation,
  readSubscriptionChange,
  type SubscriptionRules,
} from './webhook-requests.ts'

export interface WebhookParts extends SubscriptionParts {
  readonly guard: UrlGuard
  readonly sender: Sender
  readonly schedule: Schedule
  readonly timer: Timer
  readonly log: Log
  /** How much of the log is kept. */
  readonly keep: { readonly deliveries: number; readonly days: number }
}

/** What superusers and receivers' developers see of a subscription. Its secret is shown when it is made, and never again. */
export interface ShownSubscription {
  readonly id: number
  readonly secret?: string
  readonly [member: string]: unknown
}

/** How often the log is looked at for what is too old, or too much. */
const PRUNE_MS = 600_000

/** Webhooks: who is told of what, telling them, and what came of it. For superusers alone, but for what the server does itself. */
export class Webhooks implements Announcer {
  readonly #parts: WebhookParts
  readonly #rules: SubscriptionRules
  readonly subscriptions: Subscriptions
  readonly outbox: StoredOutbox
  readonly #log: DeliveryLog
  #worker: Worker | undefined
  #stopPruning = () => {}

  constructor(parts: WebhookParts) {
    this.#parts = parts
    this.#rules = parts
    this.#log = new DeliveryLog(parts.store)
    this.subscriptions = new Subscriptions(parts)
    this.outbox = new StoredOutbox({ ...parts, subscriptions: this.subscriptions })
  }

  concerns(table: string): boolean {
    return this.subscriptions.concerns(table)
  }

  order(): ReturnType<Announcer['order']> {
    return this.subscriptions.order()
  }

  committed(changes: readonly Change[]): void {
    if (this.#worker === undefined) return
    for (const { table, id, before, after } of changes) {
      // An event that changes has lost a receiver, or all of them.
      if (table === EVENTS && before === undefined) this.#worker.add(id, after?.pending as readonly number[])
    }
  }

  /** Begins to deliver: what was left by an earlier run, and what is committed from now on. */
  async deliver(): Promise<Worker> {
    const worker = new Worker({ ...this.#parts, outbox: this.outbox })
    this.#worker = worker
    await this.outbox.prune(this.#parts.keep)
    this.#pruneLater()
    for (const { id, active } of this.subscriptions.all) if (active === true) await worker.resume(id)
    return worker
  }

  /** Delivers nothing any more. What is pending is delivered by the next run. */
  async stop(): Promise<void> {
    this.#stopPruning()
    await this.#worker?.stop()
    this.#worker = undefined
    this.#parts.sender.close()
  }

  /** How many deliveries are pending, of all subscriptions. */
  async depth(): Promise<number> {
    let depth = 0
    for (const { id } of this.subscriptions.all) depth += await this.outbox.pendingOf(id)
    return depth
  }

  async list(actor: Actor): Promise<ShownSubscription[]> {
    superusersOnly(actor)
    return Promise.all(this.subscriptions.all.map((each) => this.#shown(each)))
  }

  async get(actor: Actor, id: number): Promise<ShownSubscription> {
    return this.#shown(this.#expect(actor, id))
  }

  /** @param body one subscription, or `{webhooks: [such…]}` @returns what was made, with the secrets */
  async create(actor: Actor, body: unknown): Promise<{ made: ShownSubscription[]; isList: boolean }> {
    superusersOnly(actor)
    const { inputs, isList } = readNewSubscriptions(body, this.#rules)
    if (this.subscriptions.all.length + inputs.length > MAX_SUBSCRIPTIONS) {
      throw new AppError('VALIDATION_FAILED', `There can be ${MAX_SUBSCRIPTIONS} webhooks at most; remove some`)
    }
    const made: ShownSubscription[] = []
    for (const input of inputs) {
      const subscription = await this.subscriptions.create(input)
      await this.#worker?.resume(subscription.id)
      made.push(await this.#withSecret(subscription))
    }
    return { made, isList }
  }

  async update(actor: Actor, id: number, body: unknown): Promise<ShownSubscription> {
    const subscription = this.#expect(actor, id)
    const { active, ...others } = readSubscriptionChange(body, this.#rules)
    if (Object.keys(others).length > 0) refuseIfSet(subscription)
    const standing =
      active === undefined || active === subscription.active
        ? {}
        : { active, disabled_by: active ? null : 'hand', ...(active ? { failing_since: null } : {}) }
    const updated = await this.subscriptions.update(id, { ...others, ...standing })
    if (active === true) await this.#worker?.resume(id)
    if (active === false) this.#worker?.forget(id)
    return this.#shown(updated)
  }

  async remove(actor: Actor, id: number): Promise<ShownSubscription> {
    const subscription = this.#expect(actor, id)
    refuseIfSet(subscription)
    const shown = await this.#shown(subscription)
    await this.subscriptions.remove(id)
    this.#worker?.forget(id)
    return shown
  }

  /** @param body may name the new secret, `{secret}` */
  async rotate(actor: Actor, id: number, body: unknown): Promise<ShownSubscription> {
    const subscription = this.#expect(actor, id)
    return this.#withSecret(await this.subscriptions.rotate(subscription.id, readRotation(body, this.#rules)))
  }

  /** Sends an event that tells of no record, at once and once. @returns its delivery */
  async test(actor: Actor, id: number): Promise<object> {
    const subscription = this.#expect(actor, id)
    const { records, random, clock, sender } = this.#parts
    const message = { message_id: `msg_${uniqueId(random)}`, event: 'test', model: 'webhook', data: `{"id":${id}}` }
    const outcome = await records.keep([
      { kind: 'insert', table: EVENTS, values: { ...message, record_id: null, timestamp: isoTime(clock()), pending: [] } },
    ])
    const [event] = outcome.ok ? outcome.records : []
    if (event === undefined) throw new Error('An event could not be stored')
    const at = clock()
    const signed = signedRequest(messageOf(event), receiverOf(subscription, at).secrets, Math.floor(at / 1000))
    const { status, took, reason, text } = await sender.send(String(subscription.url), signed)
    const isGood = status !== undefined && status >= 200 && status < 300
    const attempt = { at, status, took, reason, text }
    const settled = { status: isGood ? 'delivered' : 'failed', tries: isGood ? 0 : 1, due: undefined } as const
    await this.outbox.keep([{ receiver: id, event: event.id, attempt, ...settled }])
    const [delivery] = await this.#log.ofEvent(event.id)
    if (delivery === undefined) throw noSuch('Webhook', id)
    return delivery
  }

  /** A page of the log, the last deliveries first. @param id of a subscription; undefined for all of them */
  async deliveries(
    actor: Actor,
    id: number | undefined,
    page: PageRequest,
    status: string | undefined,
  ): Promise<{ data: object[]; total: number }> {
    superusersOnly(actor)
    return this.#log.page(id === undefined ? undefined : this.#expect(actor, id).id, status, page)
  }

  /** Delivers again what was delivered or given up, under the same id. */
  async redeliver(actor: Actor, deliveryId: number): Promise<object> {
    superusersOnly(actor)
    const { store } = this.#parts
    const [delivery] = await store.get(DELIVERIES, [deliveryId])
    if (delivery === undefined) throw noSuch('Delivery', deliveryId)
    const { event_id: event, subscription_id: id } = delivery
    if (this.subscriptions.receiver(Number(id)) === undefined) {
      throw new AppError('VALIDATION_FAILED', `Webhook ${id} is not active, so nothing is delivered to it; enable it first`)
    }
    await this.outbox.reopen(delivery)
    this.#worker?.again(Number(event), Number(id))
    const [shown] = await this.#log.ofEvent(Number(event), Number(id))
    return shown ?? {}
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
    return { ...shown, id: subscription.id, pending: await this.outbox.pendingOf(subscription.id) }
  }

  async #withSecret(subscription: StoredRecord): Promise<ShownSubscription> {
    return { ...(await this.#shown(subscription)), secret: String(subscription.secret) }
  }

  #pruneLater(): void {
    const { timer, keep, log } = this.#parts
    this.#stopPruning = timer(PRUNE_MS, () => {
      this.outbox
        .prune(keep)
        .catch((error: unknown) => log.error('The log of webhooks could not be pruned', { error }))
        .then(() => {
          if (this.#worker !== undefined) this.#pruneLater()
        })
    })
  }
}

const noSuch = (name: string, id: number): AppError => new AppError('RECORD_NOT_FOUND', noSuchRecord({ name }, id))

/** @throws {AppError} VALIDATION_FAILED for what the next start would undo */
function refuseIfSet({ id, from_settings: fromSettings }: StoredRecord): void {
  if (fromSettings !== true) return
  throw new AppError('VALIDATION_FAILED', `Webhook ${id} is set in the settings of the project; change it there`)
}
