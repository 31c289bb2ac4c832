import { type Actor, SHELL, SYSTEM } from '../../auth/permissions.ts'
import type { Model } from '../../model/model.ts'
import type { HistoryRequest } from '../../store/store.ts'
import { type Clock, isoTime } from '../../util/clock.ts'
import { HISTORY, type Via } from './history-model.ts'

/** The source of a write. */
export interface WriteOrigin {
  /** The API or, for the server and the shell, `cli`, when absent. */
  readonly via?: Via | undefined
  readonly requestId?: string | undefined
}

/** Asks the store to record the changes of a transaction. */
export class HistoryRecorder {
  readonly #tables: ReadonlySet<string>
  readonly #clock: Clock

  /** @param tables the tables whose changes are recorded */
  constructor(tables: ReadonlySet<string>, clock: Clock) {
    this.#tables = tables
    this.#clock = clock
  }

  /** True if changes of this model are recorded. */
  records({ key }: Model): boolean {
    return this.#tables.has(key)
  }

  request(actor: Actor, { via, requestId }: WriteOrigin): HistoryRequest {
    const { userId, user } = actor
    const common = {
      at: isoTime(this.#clock()),
      user_id: userId ?? null,
      username: user?.username ?? null,
      request_id: requestId ?? null,
    }
    return { table: HISTORY, tables: this.#tables, common, via: via ?? (actor === SHELL || actor === SYSTEM ? 'cli' : 'api') }
  }
}
