import { type Definition, flatSource } from '../../config/source.ts'
import { defineModel } from '../../model/define.ts'
import { HISTORY_TABLE } from '../../store/history-table.ts'

/** Key of the table of history entries. */
export const HISTORY = HISTORY_TABLE

/** The way by which a change reached the store. */
export const VIAS = ['api', 'cli', 'import', 'mock', 'cascade'] as const

export type Via = (typeof VIAS)[number]

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
