import { setImmediate } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import type { Records } from '../records/records.ts'
import type { Store } from '../store/store.ts'
import { type Clock, isoTime, type Timer } from '../util/clock.ts'
import { HISTORY } from './history-recorder.ts'

/** Interval of pruning, in milliseconds. */
const PRUNE_MS = 600_000

/** Entries that are removed in one transaction, so that requests do not wait long. */
const SLICE = 500

const DAY_MS = 86_400_000

export interface PruningParts {
  readonly store: Store
  readonly records: Records
  readonly clock: Clock
  readonly timer: Timer
  readonly log: Log
}

/** Removes old history entries in the background. */
export class HistoryPruning {
  readonly #parts: PruningParts
  readonly #days: number
  #cancel: (() => void) | undefined

  /** @param days age at which an entry is removed */
  constructor(parts: PruningParts, days: number) {
    this.#parts = parts
    this.#days = days
  }

  /** Removes what is old now, and again in intervals. */
  async start(): Promise<void> {
    this.#schedule()
    await this.prune()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Removes the entries that are too old, in slices. Entries are in the order of time, so the oldest come first. */
  async prune(): Promise<void> {
    const { store, records, clock } = this.#parts
    const before = isoTime(clock() - this.#days * DAY_MS)
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

  #schedule(): void {
    const { timer, log } = this.#parts
    this.#cancel = timer(PRUNE_MS, () => {
      this.prune()
        .catch((error: unknown) => log.error('The history could not be pruned', { error }))
        .then(() => {
          if (this.#cancel !== undefined) this.#schedule()
        })
    })
  }
}
