import { SHELL, SYSTEM } from '../auth/permissions.ts'
import type { Settings } from '../config/settings.ts'
import { type Definition, flatSource } from '../config/source.ts'
import { defineModel } from '../model/define.ts'
import type { Registry } from '../model/registry.ts'
import type { WriteHooks } from '../records/hooks.ts'
import { HISTORY_TABLE } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'

/** The hook that records changes. */
export const historyRecorder = (tables: ReadonlySet<string>, clock: Clock): WriteHooks => ({
  inTransaction(transaction) {
    const { write, isQuiet, operations } = transaction
    // A cascade may change records of any table, and a write may have operations on several.
    const isRecorded = operations.some(({ kind, table }) => kind === 'remove' || tables.has(table))
    if (tables.size === 0 || isQuiet || !isRecorded) return
    const { actor, options } = write
    const { via = actor === SHELL || actor === SYSTEM ? 'cli' : 'api', requestId } = options?.origin ?? {}
    const common = {
      at: isoTime(clock()),
      user_id: actor.userId ?? null,
      username: actor.user?.username ?? null,
      request_id: requestId ?? null,
    }
    transaction.history = { table: HISTORY, tables, common, via }
  },
})

/** Key of the table of history entries. */
export const HISTORY = HISTORY_TABLE

/** The way by which a change reached the store. */
export const VIAS = [
  ...(['api', 'cli', 'import', 'mock', 'seed', 'restore', 'cascade'] as const),
  ...(['hook', 'action', 'endpoint', 'job', 'script'] as const),
] as const

/** A change of a record. The user is not a relation, so that an entry survives the account. It has the fields of `HistoryRequest`. */
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
