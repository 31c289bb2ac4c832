import { type FieldFilter, type PageRequest, type Plan, sliceOf } from '../query/plan.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { DELIVERIES, EVENTS } from './models.ts'

/** The delivery log as the API returns it, latest first. */
export class DeliveryLog {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** @param subscription undefined for all subscriptions */
  page(
    subscription: number | undefined,
    status: string | undefined,
    page: PageRequest,
  ): Promise<{ data: object[]; total: number }> {
    const filters: FieldFilter[] = []
    if (subscription !== undefined) filters.push({ field: 'subscription_id', operator: 'eq', value: subscription })
    if (status !== undefined) filters.push({ field: 'status', operator: 'eq', value: status })
    return this.#find(filters, sliceOf(page))
  }

  /** The deliveries of one event, to one subscription or to all. */
  async ofEvent(event: number, subscription?: number): Promise<object[]> {
    const filters: FieldFilter[] = [{ field: 'event_id', operator: 'eq', value: event }]
    if (subscription !== undefined) filters.push({ field: 'subscription_id', operator: 'eq', value: subscription })
    return (await this.#find(filters, { offset: 0, limit: Number.POSITIVE_INFINITY })).data
  }

  async #find(filters: FieldFilter[], slice: Pick<Plan, 'offset' | 'limit'>): Promise<{ data: object[]; total: number }> {
    const { records, total } = await this.#store.find(DELIVERIES, { filters, sort: [{ field: 'id', order: 'desc' }], ...slice })
    const events = await this.#store.get(
      EVENTS,
      records.map(({ event_id: event }) => Number(event)),
    )
    return { data: records.map((delivery, index) => presentDelivery(delivery, events[index])), total }
  }
}

function presentDelivery(delivery: StoredRecord, event: StoredRecord | undefined): object {
  const { id, subscription_id, status, attempts, response, next_attempt_at } = delivery
  const { message_id, event: kind, model, record_id, timestamp, data } = event ?? ({} as Partial<StoredRecord>)
  const sent: unknown = data === undefined ? null : JSON.parse(String(data))
  const eventFields = { message_id, event: kind, model, record_id: record_id ?? null, timestamp, data: sent }
  return { id, webhook_id: subscription_id, ...eventFields, status, attempts, response, next_attempt_at: next_attempt_at ?? null }
}
