import type { Operation, Store, StoredRecord } from '../../store/store.ts'
import { versionOf } from '../../store/version.ts'
import { isoTime } from '../../util/clock.ts'
import { groupBy } from '../../util/group.ts'
import { type Health, healthAfter } from '../../webhooks/health.ts'
import { DELIVERIES, EVENTS, SUBSCRIPTIONS } from '../../webhooks/models.ts'
import type { Attempt, Result } from '../../webhooks/outbox.ts'
import type { Schedule } from '../../webhooks/schedule.ts'
import { deliveriesOf, pendingOf, updatePending } from './event-records.ts'
import { healthOf } from './receivers.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Maximum number of stored attempts of a delivery; the latest are kept. */
const MAX_ATTEMPTS_KEPT = 20

export interface ResultParts {
  readonly store: Store
  readonly subscriptions: Subscriptions
  readonly schedule: Schedule
}

/**
 * Operations that store the results of attempts: delivery records, the pending receivers of events, and the health of
 * subscriptions.
 */
export async function operationsOf(
  results: readonly Result[],
  { store, subscriptions, schedule }: ResultParts,
): Promise<Operation[]> {
  const byEvent = groupBy(results, ({ event }) => event)
  const ids = [...byEvent.keys()]
  const events = (await store.get(EVENTS, ids)).filter((event) => event !== undefined)
  const known = await deliveriesOf(store, ids)
  const operations: Operation[] = []
  for (const event of events) {
    const told = (byEvent.get(event.id) ?? []).filter(({ receiver }) => subscriptions.get(receiver) !== undefined)
    const pending = new Set(pendingOf(event))
    for (const [receiver, each] of groupBy(told, (result) => result.receiver)) {
      const before = known.get(event.id)?.find(({ subscription_id: id }) => id === receiver)
      operations.push(deliveryOperation(event.id, receiver, each, before))
      // A redelivery is pending although an earlier attempt succeeded.
      if (each.at(-1)?.status === 'pending') pending.add(receiver)
      else pending.delete(receiver)
    }
    if (isOther(pending, pendingOf(event))) operations.push(updatePending(event, [...pending]))
  }
  // Tests do not count towards the health of a receiver, since they are expected to fail sometimes.
  const tests = new Set(events.filter(({ event }) => event === 'test').map(({ id }) => id))
  const ofRecords = results.filter(({ event }) => !tests.has(event))
  const byReceiver = groupBy(ofRecords, ({ receiver }) => receiver)
  // Read from the store, so that failures from before a subscription was enabled again do not count.
  for (const subscription of await store.get(SUBSCRIPTIONS, [...byReceiver.keys()])) {
    if (subscription === undefined || subscriptions.get(subscription.id) === undefined) continue
    operations.push(...healthOperations(subscription, byReceiver.get(subscription.id) ?? [], schedule.quiet))
  }
  return operations
}

const isOther = (now: ReadonlySet<number>, before: readonly number[]): boolean =>
  now.size !== before.length || before.some((id) => !now.has(id))

function deliveryOperation(
  event: number,
  receiver: number,
  results: readonly Result[],
  before: StoredRecord | undefined,
): Operation {
  const last = results.at(-1)
  const made = [...((before?.attempts ?? []) as readonly object[]), ...results.map(({ attempt }) => shown(attempt))]
  const values = {
    status: last?.status ?? 'pending',
    tries: last?.tries ?? 0,
    attempts: made.slice(-MAX_ATTEMPTS_KEPT) as ReturnType<typeof shown>[],
    response: last?.attempt.text ?? '',
    next_attempt_at: last?.due === undefined ? null : isoTime(last.due),
  }
  if (before !== undefined) return { kind: 'update', table: DELIVERIES, id: before.id, values }
  return { kind: 'insert', table: DELIVERIES, values: { event_id: event, subscription_id: receiver, ...values } }
}

const shown = ({ at, status, took, reason }: Attempt) => ({
  at: isoTime(at),
  status: status ?? null,
  ms: took,
  error: reason ?? null,
})

function healthOperations(subscription: StoredRecord, results: readonly Result[], quiet: number): Operation[] {
  const before = healthOf(subscription)
  const after = results.reduce<Health>(
    (health, { attempt: { at }, status }) => healthAfter(health, { at, isGood: status === 'delivered' }, quiet),
    before,
  )
  if (after.failingSince === before.failingSince && after.lastFailure === before.lastFailure) return []
  const values = { failing_since: momentOf(after.failingSince), last_failure_at: momentOf(after.lastFailure) }
  return [{ kind: 'update', table: SUBSCRIPTIONS, id: subscription.id, values, expect: versionOf(subscription) }]
}

const momentOf = (milliseconds: number | undefined): string | null => (milliseconds === undefined ? null : isoTime(milliseconds))
