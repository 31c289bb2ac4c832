import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Filter } from '../../src/query/plan.ts'
import type { StoredRecord } from '../../src/store/store.ts'
import { DELIVERIES, EVENTS } from '../../src/webhooks/models.ts'
import { type OutboxParts, StoredOutbox } from '../../src/webhooks/stored-outbox.ts'

test('pending deliveries are read in batches, and only their ids are kept', async () => {
  const due = '2026-01-15T12:00:00.000Z'
  const batches: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
    [DELIVERIES]: [
      [{ id: 1, event_id: 12, tries: 3, next_attempt_at: due }],
      [{ id: 2, event_id: 13, tries: 1, next_attempt_at: null }],
    ],
    [EVENTS]: [
      [
        { id: 11, data: '{}' },
        { id: 12, data: '{}' },
      ],
      [{ id: 13, data: '{}' }],
    ],
  }
  const asked: [string, readonly Filter[]][] = []
  // A read of everything at once would fail: the store has only `stream`.
  const store = {
    async *stream(table: string, { filters }: { readonly filters: readonly Filter[] }) {
      asked.push([table, filters])
      yield* (batches[table] ?? []) as readonly (readonly StoredRecord[])[]
    },
  }
  const outbox = new StoredOutbox({ store } as unknown as OutboxParts)
  assert.deepEqual(await outbox.pendingJobs(7), [
    { event: 11, tries: 0, due: 0 },
    { event: 12, tries: 3, due: Date.parse(due) },
    { event: 13, tries: 1, due: 0 },
  ])
  assert.deepEqual(asked.at(-1), [EVENTS, [{ field: 'pending', operator: 'eq', value: 7 }]])
})
