import type { Registry } from '../../../src/model/registry.ts'
import type { Store, StoredRecord } from '../../../src/store/store.ts'
import type { Json } from '../../../src/util/json.ts'

/** Records by model and id, without the values of secret fields. */
export type State = Record<string, Record<number, StoredRecord>>

/** An entry of the history as the store keeps it. */
export interface Entry {
  readonly model: string
  readonly record_id: number
  readonly action: 'create' | 'update' | 'delete'
  readonly via: string
  readonly changes: Readonly<Record<string, { readonly before: Json; readonly after: Json; readonly secret?: true }>>
}

export async function allRecords(store: Store, table: string): Promise<StoredRecord[]> {
  const all: StoredRecord[] = []
  for await (const batch of store.stream(table, { filters: [], sort: [] })) all.push(...batch)
  return all
}

/** The present records of some models. */
export async function presentState(store: Store, registry: Registry, models: readonly string[]): Promise<State> {
  const state: State = {}
  for (const key of models) {
    const secrets = [...registry.expect(key).fields.values()].filter(({ type }) => type.secret).map(({ name }) => name)
    const hidden = Object.fromEntries(secrets.map((name) => [name, null]))
    const records = (await allRecords(store, key)).map((record): StoredRecord => ({ ...record, ...hidden }))
    state[key] = Object.fromEntries(records.map((record) => [record.id, record]))
  }
  return state
}

/**
 * Applies the entries of a history to an earlier state.
 *
 * @throws {Error} for an entry that does not fit the state before it
 */
export function replay(before: State, entries: readonly Entry[]): State {
  const state = structuredClone(before)
  for (const { model, record_id: id, action, changes } of entries) {
    const table = state[model] ?? {}
    state[model] = table
    const record = table[id]
    if ((action === 'create') !== (record === undefined)) throw new Error(`${action} of ${model} ${id} does not fit`)
    for (const [name, { before: was }] of Object.entries(changes)) {
      if (JSON.stringify(record?.[name] ?? null) !== JSON.stringify(was)) throw new Error(`${name} of ${model} ${id} was another`)
    }
    if (action === 'delete') delete table[id]
    else table[id] = { ...record, id, ...Object.fromEntries(Object.entries(changes).map(([name, { after }]) => [name, after])) }
  }
  return state
}

/** A state in which a null is as good as no value, and fields are in alphabetical order. */
export const comparable = (state: State): unknown =>
  Object.fromEntries(
    Object.entries(state).map(([model, records]) => [
      model,
      Object.values(records).map((record) =>
        Object.fromEntries(
          Object.entries(record)
            .filter(([, value]) => value !== null)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        ),
      ),
    ]),
  )
