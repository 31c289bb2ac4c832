import { setImmediate } from 'node:timers/promises'
import type { Records } from '../records/records.ts'
import type { Store } from '../store/store.ts'
import { type Clock, DAY_MS, isoTime } from '../util/clock.ts'
import { HISTORY } from './history-recorder.ts'

/** Entries that are removed in one transaction, so that requests do not wait long. */
const SLICE = 500

export interface HistoryPruningParts {
  readonly store: Store
  readonly records: Records
  readonly clock: Clock
}

/**
 * Removes the entries that are older than some days, in slices. Entries are in the order of time, so the oldest come first.
 */
export async function pruneHistory({ store, records, clock }: HistoryPruningParts, days: number): Promise<void> {
  const before = isoTime(clock() - days * DAY_MS)
  for (;;) {
    const { records: oldest } = await store.find(HISTORY, { filters: [], sort: [], offset: 0, limit: SLICE })
    const old = oldest.filter(({ at }) => String(at) < before)
    if (old.length > 0) {
      await records.commitInternal(old.map(({ id }) => ({ kind: 'remove', table: HISTORY, id })))
    }
    if (old.length < SLICE) return
    await setImmediate()
  }
}
