import { type Actor, SHELL, SYSTEM } from '../auth/permissions.ts'
import type { Settings } from '../config/settings.ts'
import { type Definition, flatSource } from '../config/source.ts'
import { defineModel } from '../model/define.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { HISTORY_TABLE, type HistoryRequest } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'

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

/** Key of the table of history entries. */
export const HISTORY = HISTORY_TABLE

/** The way by which a change reached the store. */
export const VIAS = ['api', 'cli', 'import', 'mock', 'cascade'] as const

type Via = (typeof VIAS)[number]

/** A change of a record. The user is no relation, so that an entry survives the account. The fields are those of `HistoryRequest`. */
const HistoryEntry = defineModel({
  name: 'HistoryEntry',
  fields: [
    { name: 'model', type: 'string', required: true },
    { name: 'record_id', type: 'integer', required: true },
    { name: 'action', type: 'choice', choices: ['create', 'update', 'delete'], required: true },
    { name: 'at', type: 'datetime', required: true },
    { name: 'user_id', type: 'integer' },
    { name: 'username', type: 'string' },
    { name: 'via', type: 'choice', choices: [...VIAS], required: true },
    { name: 'request_id', type: 'string' },
    { name: 'changes', type: 'json', required: true },
  ],
})

/** The internal model of the history. */
export const HISTORY_MODELS: readonly Definition[] = [
  { value: HistoryEntry, source: flatSource(`built-in model ${HistoryEntry.name}`) },
]

/** The tables whose changes are recorded by the settings and the models. */
export function recordedTables({ history }: Settings, registry: Registry): ReadonlySet<string> {
  if (history === undefined) return new Set()
  const named = history.models?.map((name) => name.toLowerCase())
  const models = registry.public.filter((model) => model.history && named?.includes(model.key) !== false)
  return new Set(models.map(({ key }) => key))
}
