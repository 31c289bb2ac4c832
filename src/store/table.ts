import type { RelationField } from '../model/field.ts'
import { isRelation } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Json } from '../util/json.ts'
import type { StoredRecord } from './store.ts'

/** The committed records of one model, with what is needed to look them up by unique value and by reference. */
export class Table {
  readonly model: Model
  readonly records = new Map<number, StoredRecord>()
  /** The next id to give; ids below it are never given again. */
  nextId = 1
  /** For each unique field: who has a value. */
  readonly #owners = new Map<string, Map<Json, number>>()
  /** For each relation field: who refers to an id. */
  readonly #referrers = new Map<string, Map<number, Set<number>>>()

  constructor(model: Model) {
    this.model = model
    for (const field of model.fields.values()) {
      if (field.unique && field.name !== 'id') this.#owners.set(field.name, new Map())
      if (isRelation(field)) this.#referrers.set(field.name, new Map())
    }
  }

  /** The id of the record that has this value in a unique field. */
  ownerOf(field: string, value: Json): number | undefined {
    return this.#owners.get(field)?.get(value)
  }

  /** The ids of the records that refer to `target` by a relation field. */
  referrersTo(field: string, target: number): Iterable<number> {
    return this.#referrers.get(field)?.get(target) ?? []
  }

  /** Puts `after` (or nothing) in the place of the record with this id. */
  replace(id: number, after: StoredRecord | undefined): void {
    const before = this.records.get(id)
    if (before !== undefined) this.#unindex(before)
    if (after === undefined) this.records.delete(id)
    else this.records.set(id, after)
    if (after !== undefined) this.#index(after)
    this.nextId = Math.max(this.nextId, id + 1)
  }

  #index(record: StoredRecord): void {
    for (const [field, owners] of this.#owners) {
      const value = record[field] ?? null
      if (value !== null) owners.set(value, record.id)
    }
    for (const [field, referrers] of this.#referrers) {
      for (const target of referencesOf(record, field)) {
        const ids = referrers.get(target)
        if (ids === undefined) referrers.set(target, new Set([record.id]))
        else ids.add(record.id)
      }
    }
  }

  #unindex(record: StoredRecord): void {
    for (const [field, owners] of this.#owners) {
      const value = record[field] ?? null
      // Within one transaction another record may already have taken the value over.
      if (owners.get(value) === record.id) owners.delete(value)
    }
    for (const [field, referrers] of this.#referrers) {
      for (const target of referencesOf(record, field)) {
        const ids = referrers.get(target)
        ids?.delete(record.id)
        if (ids?.size === 0) referrers.delete(target)
      }
    }
  }
}

/** The ids that a record refers to by one of its relation fields. */
export function referencesOf(record: StoredRecord, field: RelationField['name']): readonly number[] {
  const value = record[field] ?? null
  if (typeof value === 'number') return [value]
  return Array.isArray(value) ? (value as readonly number[]) : []
}
