import type { StoredRecord } from '../../store/store.ts'
import type { Json } from '../../util/json.ts'
import type { Health } from '../../webhooks/health.ts'
import type { Receiver } from '../../webhooks/outbox.ts'

/** The receiver of a subscription: URL, secrets and state. */
export function receiverOf(subscription: StoredRecord, now: number): Receiver {
  const { id, url, secret, old_secret: old, old_secret_until: until } = subscription
  const isOldGood = typeof old === 'string' && Date.parse(String(until)) > now
  return {
    id,
    url: String(url),
    secrets: isOldGood ? [String(secret), old] : [String(secret)],
    health: healthOf(subscription),
  }
}

/** The health of a subscription's receiver. */
export const healthOf = ({ failing_since: since, last_failure_at: last }: StoredRecord): Health => ({
  failingSince: timeOf(since),
  lastFailure: timeOf(last),
})

const timeOf = (moment: Json | undefined): number | undefined => (typeof moment === 'string' ? Date.parse(moment) : undefined)
