import type { Operation, Store, StoredRecord } from '../../store/store.ts'
import { isoTime } from '../../util/clock.ts'
import { groupBy } from '../../util/group.ts'
import { type Health, healthAfter } from '../../webhooks/health.ts'
import { DELIVERIES, EVENTS, SUBSCRIPTIONS } from '../../webhooks/models.ts'
import type { Attempt, AttemptResult } from '../../webhooks/outbox.ts'
import type { RetrySchedule } from '../../webhooks/scheduling/retry-schedule.ts'
import { deliveriesOf, pendingOf, updatePending } from './event-records.ts'
import { healthOf } from './receivers.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Maximum number of stored attempts of a delivery; the latest are kept. */
const MAX_STORED_ATTEMPTS = 20

export interface ResultParts {
  readonly store: Store
  readonly subscriptions: Subscriptions
  readonly schedule: RetrySchedule
}

/**
 * Operations that store the results of attempts: delivery records, the pending receivers of events, and the health of
 * subscriptions.
 */
export async function resultOperations(
  results: readonly AttemptResult[],
  { store, subscriptions, schedule }: ResultParts,
): Promise<Operation[]> {
  const byEvent = groupBy(results, ({ event }) => event)
  const ids = [...byEvent.keys()]
  const events = (await store.get(EVENTS, ids)).filter((event) => event !== undefined)
  const known = await deliveriesOf(store, ids)
  const operations: Operation[] = []
  for (const event of events) {
    const ofEvent = (byEvent.get(event.id) ?? []).filter(({ receiver }) => subscriptions.get(receiver) !== undefined)
    const pending = new Set(pendingOf(event))
    for (const [receiver, each] of groupBy(ofEvent, (result) => result.receiver)) {
      const before = known.get(event.id)?.find(({ subscription_id: id }) => id === receiver)
      operations.push(deliveryOperation(event.id, receiver, each, before))
      // A redelivery is pending although an earlier attempt succeeded.
      if (each.at(-1)?.status === 'pending') pending.add(receiver)
      else pending.delete(receiver)
    }
    if (hasChanged(pending, pendingOf(event))) operations.push(updatePending(event, [...pending]))
  }
  // Tests do not count towards the health of a receiver, since they are expected to fail sometimes.
  const tests = new Set(events.filter(({ event }) => event === 'test').map(({ id }) => id))
  const ofRecords = results.filter(({ event }) => !tests.has(event))
  const byReceiver = groupBy(ofRecords, ({ receiver }) => receiver)
  // Read from the store, so that failures from before a subscription was enabled again do not count.
  for (const subscription of await store.get(SUBSCRIPTIONS, [...byReceiver.keys()])) {
    if (subscription === undefined || subscriptions.get(subscription.id) === undefined) continue
    operations.push(...healthOperations(subscription, byReceiver.get(subscription.id) ?? [], schedule.maxGap))
  }
  return operations
}

const hasChanged = (now: ReadonlySet<number>, before: readonly number[]): boolean =>
  now.size !== before.length || before.some((id) => !now.has(id))

function deliveryOperation(
  event: number,
  receiver: number,
  results: readonly AttemptResult[],
  before: StoredRecord | undefined,
): Operation {
  const last = results.at(-1)
  const attempts = [...((before?.attempts ?? []) as readonly object[]), ...results.map(({ attempt }) => presentAttempt(attempt))]
  const values = {
    status: last?.status ?? 'pending',
    tries: last?.tries ?? 0,
    attempts: attempts.slice(-MAX_STORED_ATTEMPTS) as ReturnType<typeof presentAttempt>[],
    response: last?.attempt.text ?? '',
    next_attempt_at: last?.due === undefined ? null : isoTime(last.due),
  }
  if (before !== undefined) return { kind: 'update', table: DELIVERIES, id: before.id, values }
  return { kind: 'insert', table: DELIVERIES, values: { event_id: event, subscription_id: receiver, ...values } }
}

const presentAttempt = ({ at, status, took, reason }: Attempt) => ({
  at: isoTime(at),
  status: status ?? null,
  ms: took,
  error: reason ?? null,
})

function healthOperations(subscription: StoredRecord, results: readonly AttemptResult[], maxGap: number): Operation[] {
  const before = healthOf(subscription)
  const after = results.reduce<Health>(
    (health, { attempt: { at }, status }) => healthAfter(health, { at, succeeded: status === 'delivered' }, maxGap),
    before,
  )
  if (after.failingSince === before.failingSince && after.lastFailure === before.lastFailure) return []
  const values = { failing_since: isoTimeOrNull(after.failingSince), last_failure_at: isoTimeOrNull(after.lastFailure) }
  return [{ kind: 'update', table: SUBSCRIPTIONS, id: subscription.id, values, expect: subscription }]
}

const isoTimeOrNull = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : isoTime(milliseconds)
