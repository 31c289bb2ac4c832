import { SYSTEM } from '../auth/permissions.ts'
import { RECORD_EVENTS, type WebhookSettings } from '../config/webhook-settings.ts'
import type { Registry } from '../model/registry.ts'
import type { Records } from '../records/records.ts'
import type { ChangeKind, EventRequest, Store, StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { Json } from '../util/json.ts'
import { SAVED_VIEWS } from '../views/saved-view-model.ts'
import type { ReceiverHealth } from './health.ts'
import { generateSecret } from './messages.ts'
import { EVENTS, SUBSCRIPTIONS } from './models.ts'
import { releaseSubscription } from './pruning.ts'
import type { SubscriptionInput } from './subscription-requests.ts'

/** Time for which the old secret stays valid after a rotation, in milliseconds. */
const ROTATION_MS = 24 * 3_600_000

export interface SubscriptionParts {
  readonly registry: Registry
  readonly store: Store
  readonly records: Records
  readonly clock: Clock
  readonly random: Random
}

/** The destination of a subscription's messages. Read for each attempt, so that a change applies to pending deliveries too. */
export interface Receiver {
  readonly id: number
  readonly url: string
  /** The present secret, followed by the previous one while that is valid. */
  readonly secrets: readonly [string, ...string[]]
  readonly health: ReceiverHealth
}

type Values = Readonly<Record<string, Json>>

/**
 * Webhook subscriptions. All are held in memory, so that a write can tell whether any subscription concerns it. A subscription
 * that is being deleted receives no more events, so that no stored event names a subscription that does not exist.
 */
export class Subscriptions {
  readonly #parts: SubscriptionParts
  #all: ReadonlyMap<number, StoredRecord> = new Map()
  #audience: EventRequest['audience'] = new Map()
  /** Subscriptions whose secret comes from the settings; a rotation would be undone by the next start. */
  readonly #withConfiguredSecret = new Set<number>()
  /** Subscriptions that are being deleted, which takes several transactions. They are no longer visible. */
  readonly #deleting = new Set<number>()
  /** Random prefix of this run's message ids. A counter follows it, since random bytes for each id cost more. */
  readonly #idPrefix: string
  #idCount = 0

  constructor(parts: SubscriptionParts) {
    this.#parts = parts
    this.#idPrefix = uniqueId(parts.random)
  }

  get all(): readonly StoredRecord[] {
    return [...this.#all.values()].filter(({ id }) => !this.#deleting.has(id))
  }

  get(id: number): StoredRecord | undefined {
    return this.#deleting.has(id) ? undefined : this.#all.get(id)
  }

  /** True if the settings define the secret. */
  isSecretConfigured(id: number): boolean {
    return this.#withConfiguredSecret.has(id)
  }

  /** Loads the stored subscriptions. */
  async load(): Promise<void> {
    this.#replaceAll(await this.#read())
  }

  /**
   * Takes over the changes of other processes.
   *
   * @returns false if this process changed a subscription meanwhile; then nothing is taken over
   */
  async refreshAll(): Promise<boolean> {
    const before = this.#all
    const all = await this.#read()
    if (this.#all !== before || this.#deleting.size > 0) return false
    this.#replaceAll(all)
    return true
  }

  async #read(): Promise<ReadonlyMap<number, StoredRecord>> {
    const all = new Map<number, StoredRecord>()
    for await (const batch of this.#parts.store.stream(SUBSCRIPTIONS, { filters: [], sort: [] })) {
      for (const subscription of batch) all.set(subscription.id, subscription)
    }
    return all
  }

  isSubscribed(table: string): boolean {
    return this.#audience.has(table)
  }

  eventRequest(): EventRequest | undefined {
    if (this.#audience.size === 0) return undefined
    const key = `msg_${this.#idPrefix}${(this.#idCount++).toString(36)}`
    return { table: EVENTS, audience: this.#audience, key, at: isoTime(this.#parts.clock()) }
  }

  /** The receiver; undefined if the subscription is not active. */
  receiver(id: number): Receiver | undefined {
    const subscription = this.get(id)
    return subscription?.active === true ? receiverOf(subscription, this.#parts.clock()) : undefined
  }

  async create(input: SubscriptionInput & { readonly url: string }, fromSettings = false): Promise<StoredRecord> {
    const { url, events = RECORD_EVENTS, models = [], secret = generateSecret(this.#parts.random), active = true } = input
    const disabled_by = active ? null : fromSettings ? 'settings' : 'hand'
    const data = { url, events, models, secret, active, disabled_by, from_settings: fromSettings }
    const created = await this.#parts.records.create(SYSTEM, SUBSCRIPTIONS, { data })
    this.#put(created)
    return created
  }

  async update(id: number, values: Values): Promise<StoredRecord> {
    const before = this.#all.get(id)
    // Deactivated in memory first, so that no further event is stored for it.
    if (before !== undefined && values.active === false) this.#put({ ...before, active: false })
    try {
      const updated = await this.#parts.records.update(SYSTEM, SUBSCRIPTIONS, id, { data: values })
      this.#put(updated)
      return updated
    } catch (error) {
      await this.load()
      throw error
    }
  }

  /** Replaces the secret. The old one stays valid for a day. */
  rotate(id: number, secret: string = generateSecret(this.#parts.random)): Promise<StoredRecord> {
    return this.update(id, this.#rotated(this.#all.get(id), secret))
  }

  /** Deletes a subscription with its pending events and deliveries, in batches. If that is interrupted, the subscription stays, disabled. */
  async remove(id: number): Promise<void> {
    this.#deleting.add(id)
    try {
      if (this.#all.get(id)?.active === true) await this.update(id, { active: false, disabled_by: 'hand' })
      await releaseSubscription(this.#parts, id)
      await this.#parts.records.remove(SYSTEM, SUBSCRIPTIONS, id)
      this.#all = new Map([...this.#all].filter(([each]) => each !== id))
    } finally {
      this.#deleting.delete(id)
      this.#replaceAll(this.#all)
    }
  }

  /** Takes over the health of subscriptions, which is stored with the results of their deliveries. */
  refresh(subscriptions: readonly StoredRecord[]): void {
    for (const subscription of subscriptions) if (this.#all.has(subscription.id)) this.#put(subscription)
  }

  /** Makes the stored subscriptions match the settings. Those with the same URL are matched in the order of their ids. */
  async reconcile(entries: readonly WebhookSettings[]): Promise<void> {
    const stale = this.all.filter(({ from_settings: fromSettings }) => fromSettings === true)
    this.#withConfiguredSecret.clear()
    for (const entry of entries) {
      const place = stale.findIndex(({ url }) => url === entry.url)
      const [known] = place === -1 ? [] : stale.splice(place, 1)
      const { id } = known ?? (await this.create(entry, true))
      if (entry.secret !== undefined) this.#withConfiguredSecret.add(id)
      const values = known === undefined ? {} : this.#difference(known, entry)
      if (Object.keys(values).length > 0) await this.update(id, values)
    }
    for (const { id } of stale) await this.remove(id)
  }

  #difference(known: StoredRecord, { events = RECORD_EVENTS, models = [], secret, active = true }: WebhookSettings): Values {
    const values: Record<string, Json> = {}
    if (JSON.stringify(known.events) !== JSON.stringify(events)) values.events = events
    if (JSON.stringify(known.models) !== JSON.stringify(models)) values.models = models
    if (secret !== undefined && known.secret !== secret) Object.assign(values, this.#rotated(known, secret))
    if (!active && known.active === true) Object.assign(values, { active: false, disabled_by: 'settings' })
    // A subscription that was disabled by other means stays disabled.
    if (active && known.disabled_by === 'settings') Object.assign(values, { active: true, disabled_by: null })
    return values
  }

  #rotated(known: StoredRecord | undefined, secret: string): Values {
    return { secret, old_secret: known?.secret ?? null, old_secret_until: isoTime(this.#parts.clock() + ROTATION_MS) }
  }

  #put(subscription: StoredRecord): void {
    this.#replaceAll(new Map([...this.#all, [subscription.id, subscription]]))
  }

  #replaceAll(all: ReadonlyMap<number, StoredRecord>): void {
    this.#all = all
    const audience = new Map<string, Partial<Record<ChangeKind, number[]>>>()
    // Saved views say how users look at records: subscriptions get them only by name.
    const everything = this.#parts.registry.public.map(({ key }) => key).filter((key) => key !== SAVED_VIEWS)
    for (const { id, active, events, models } of all.values()) {
      if (active !== true || this.#deleting.has(id)) continue
      const named = models as readonly string[]
      for (const table of named.length === 0 ? everything : named) {
        const byEvent = audience.get(table) ?? {}
        audience.set(table, byEvent)
        for (const event of events as readonly ChangeKind[]) byEvent[event] = [...(byEvent[event] ?? []), id]
      }
    }
    this.#audience = audience
  }
}

/** The receiver of a subscription: URL, secrets and state. */
export function receiverOf(subscription: StoredRecord, now: number): Receiver {
  const { id, url, secret, old_secret: old, old_secret_until: until } = subscription
  const isOldGood = typeof old === 'string' && Date.parse(String(until)) > now
  return {
    id,
    url: String(url),
    secrets: isOldGood ? [String(secret), old] : [String(secret)],
    health: receiverHealthOf(subscription),
  }
}

/** The health of a subscription's receiver. */
export const receiverHealthOf = ({ failing_since: since, last_failure_at: last }: StoredRecord): ReceiverHealth => ({
  failingSince: timeOf(since),
  lastFailure: timeOf(last),
})

const timeOf = (moment: Json | undefined): number | undefined => (typeof moment === 'string' ? Date.parse(moment) : undefined)
