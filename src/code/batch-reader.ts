import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, SHELL } from '../auth/permissions.ts'
import type { Model } from '../model/model.ts'
import type { RecordReader, StoredRecord } from '../store/store.ts'

interface Batch {
  readonly model: Model
  readonly actor: Actor
  readonly ids: Set<number>
  readonly records: Promise<ReadonlyMap<number, StoredRecord | undefined>>
}

/** Reads records by id for code: those that are asked for in one turn of the event loop with one read for each model, each once. */
export class BatchReader {
  readonly #records: RecordReader
  readonly #access: AccessRules
  /** The batch that a record is read with, by who reads it. */
  readonly #batches = new Map<string, Batch>()
  /** Those that are not read yet. */
  readonly #open = new Map<string, Batch>()
  /** The records that were read, as they were; undefined for those that did not exist. */
  readonly seen: { readonly table: string; readonly id: number; readonly record: StoredRecord | undefined }[] = []

  constructor(records: RecordReader, access: AccessRules) {
    this.#records = records
    this.#access = access
  }

  /** @returns undefined if the record does not exist for the actor */
  async get(model: Model, actor: Actor, id: number): Promise<StoredRecord | undefined> {
    const seesAll = this.#access.visible(actor, model) === undefined
    const group = `${model.key}${seesAll ? '' : ' restricted'}`
    const key = `${group} ${id}`
    const batch = this.#batches.get(key) ?? this.#batch(group, model, seesAll ? SHELL : actor)
    batch.ids.add(id)
    this.#batches.set(key, batch)
    return (await batch.records).get(id)
  }

  #batch(group: string, model: Model, actor: Actor): Batch {
    const open = this.#open.get(group)
    if (open !== undefined) return open
    const ids = new Set<number>()
    const records = new Promise<void>((resolve) => process.nextTick(resolve)).then(() => {
      this.#open.delete(group)
      return this.#read(model, actor, [...ids])
    })
    const batch = { model, actor, ids, records }
    this.#open.set(group, batch)
    return batch
  }

  async #read(model: Model, actor: Actor, ids: readonly number[]): Promise<ReadonlyMap<number, StoredRecord | undefined>> {
    const found = await this.#access.read(this.#records, actor, model, ids)
    for (const [index, id] of ids.entries()) {
      const record = found[index]
      // A record that is hidden may exist.
      if (record !== undefined || actor === SHELL) this.seen.push({ table: model.key, id, record })
    }
    return new Map(ids.map((id, index) => [id, found[index]]))
  }
}
