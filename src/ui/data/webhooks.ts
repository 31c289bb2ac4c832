import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Page } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'

/** What a webhook may be told of. */
export const WEBHOOK_EVENTS = ['create', 'update', 'delete'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** A subscription of a receiver. */
export interface Webhook {
  readonly id: number
  readonly url: string
  readonly events: readonly WebhookEvent[]
  /** Keys of models; empty for all. */
  readonly models: readonly string[]
  readonly active: boolean
  /** Cause of inactivity. */
  readonly disabled_by: 'hand' | 'settings' | 'gone' | 'failing' | null
  readonly failing_since: string | null
  readonly last_failure_at: string | null
  /** True if the settings of the project define it, which then cannot be changed here. */
  readonly from_settings: boolean
  /** Number of deliveries that are still to be made. */
  readonly pending: number
  readonly created_at: string
}

/** What a form of a webhook sends. */
export interface WebhookInput {
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly models: readonly string[]
  readonly secret?: string
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** An event on its way to a receiver. */
export interface Delivery {
  readonly id: number
  readonly webhook_id: number
  readonly message_id: string
  readonly event: string
  readonly model: string
  readonly record_id: number | null
  readonly timestamp: string
  /** The record as it is sent. */
  readonly data: unknown
  readonly status: DeliveryStatus
  readonly attempts: readonly DeliveryAttempt[]
  /** The beginning of what the receiver answered last. */
  readonly response: string | null
  readonly next_attempt_at: string | null
}

export interface DeliveryAttempt {
  readonly at: string
  readonly status: number | null
  readonly ms: number
  readonly error: string | null
}

/** Milliseconds after which pending deliveries are asked for again: the server does not report them. */
const PENDING_MS = 3000

/** Records on a page of the delivery log. */
const PAGE_SIZE = 20

/** The query of all webhooks; there are 100 at most, which is one page. */
export const webhooksQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['webhooks', 'list'],
    queryFn: async ({ signal }) => {
      const query = [['page_size', 100] as const]
      return (await session.read(signal, (client) => client.request('/webhooks', { query, signal }))) as Page<Webhook>
    },
    select: ({ data }) => data,
    refetchInterval: ({ state }) => (state.data?.data.some(({ pending }) => pending > 0) ? PENDING_MS : false),
  })

/** The query of a page of the delivery log of a webhook, the latest first. */
export const deliveriesQuery = (session: PageSession, id: number, status: string | undefined, page: number) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', id, status, page],
    queryFn: async ({ signal }) => {
      const query = [['status', status] as const, ['page', page] as const, ['page_size', PAGE_SIZE] as const]
      return (await session.read(signal, (client) =>
        client.request(`/webhooks/${id}/deliveries`, { query, signal }),
      )) as Page<Delivery>
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some((each) => each.status === 'pending') ? PENDING_MS : false),
  })

/** Reads the webhooks and their deliveries again. */
export const refreshWebhooks = (queries: QueryClient): Promise<void> => queries.invalidateQueries({ queryKey: ['webhooks'] })

/** True if the receiver has failed since it last answered well, or was disabled for it. */
export const isFailing = ({ failing_since, disabled_by }: Webhook): boolean =>
  failing_since !== null || disabled_by === 'gone' || disabled_by === 'failing'
