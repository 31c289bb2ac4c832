import type { Json } from '../../../../util/json.ts'
import { referencesOf } from '../../../references.ts'
import type { StoredRecord } from '../../../store.ts'
import type { CommittedTable } from '../../../transactions/committed-table.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { type Lock, Needs } from './needs.ts'
import { isPossible } from './unique-keys.ts'

/**
 * The part of a table that a transaction has loaded. What is asked for and not loaded becomes a need, and the answer is preliminary:
 * the caller loads all needs and runs the transaction again, until no need is left.
 */
export class LoadedTable implements CommittedTable {
  readonly layout: TableLayout
  readonly needs = new Needs()
  /** Loaded records by id; undefined where none exists. */
  readonly #records = new Map<number, StoredRecord | undefined>()
  /** Unique field or set → value → the id of its record, if any. */
  readonly #owners = new Map<string, Map<Json, number | undefined>>()
  /** Relation field → the targets all of whose referrers are loaded or counted. */
  readonly #complete = new Map<string, Set<number>>()
  /** Relation field → target → number of its referrers. */
  readonly #counts = new Map<string, Map<number, number>>()
  /** Relation field → target → loaded referrers; empty after each load. */
  readonly #referrers = new Map<string, Map<number, number[]>>()
  #firstId = 1
  /** An id reserved for this transaction → the next one. */
  #following: ReadonlyMap<number, number> = new Map()
  /** Ids that a run has given to new records. */
  readonly #given = new Set<number>()

  constructor(layout: TableLayout) {
    this.layout = layout
  }

  get model() {
    return this.layout.model
  }

  get nextId(): number {
    return this.#give(this.#firstId)
  }

  idAfter(id: number): number {
    return this.#give(this.#following.get(id) ?? id + 1)
  }

  #give(id: number): number {
    this.#given.add(id)
    return id
  }

  /** The ids that the next run gives to new records, in this order; after the last one those that follow it. */
  setIds(ids: readonly [number, ...(readonly number[])]): void {
    this.#firstId = ids[0]
    this.#following = new Map(ids.slice(1).map((id, index) => [ids[index] ?? 0, id]))
    this.#given.clear()
  }

  get(id: number): StoredRecord | undefined {
    const record = this.#records.get(id)
    if (record !== undefined || this.#records.has(id) || this.#given.has(id) || !isId(id)) return record
    this.needs.addRecord(id, 'share')
    return undefined
  }

  ownerOf(field: string, value: NonNullable<Json>): number | undefined {
    const known = this.#owners.get(field)
    if (known?.has(value) === true) return known.get(value)
    // An invalid value belongs to no record.
    if (isPossible(this.layout, field, value)) this.needs.addOwner(field, value)
    return undefined
  }

  referrersTo(field: string, target: number): readonly number[] {
    if (this.#complete.get(field)?.has(target) !== true) this.needs.addReferrers(field, target)
    return this.#loadedReferrers(field, target)
  }

  countReferrersBeside(field: string, target: number): number {
    const total = this.#counts.get(field)?.get(target) ?? 0
    return Math.max(0, total - this.#loadedReferrers(field, target).length)
  }

  #loadedReferrers(field: string, target: number): readonly number[] {
    const known = this.#referrers.get(field)
    if (known !== undefined) return known.get(target) ?? []
    const referrers = new Map<number, number[]>()
    for (const [id, record] of this.#records) {
      for (const reference of record === undefined ? [] : referencesOf(record, field)) {
        const others = referrers.get(reference)
        if (others === undefined) referrers.set(reference, [id])
        else others.push(id)
      }
    }
    this.#referrers.set(field, referrers)
    return referrers.get(target) ?? []
  }

  /** Adds the records found of these ids; the others do not exist. */
  addRecords(ids: Iterable<number>, found: readonly StoredRecord[]): void {
    for (const id of ids) this.#records.set(id, undefined)
    for (const record of found) this.#records.set(record.id, record)
    this.#referrers.clear()
  }

  addOwners(field: string, values: Iterable<Json>, found: ReadonlyMap<Json, number>): void {
    const owners = this.#owners.get(field) ?? new Map<Json, number | undefined>()
    for (const value of values) owners.set(value, found.get(value))
    this.#owners.set(field, owners)
  }

  /**
   * Adds the referrers to some targets.
   *
   * @param counts the number of referrers by target, of a field whose referrers are only counted
   */
  addReferrers(field: string, targets: Iterable<number>, counts: ReadonlyMap<number, number>): void {
    const [complete, known] = [this.#complete.get(field) ?? new Set<number>(), this.#counts.get(field) ?? new Map()]
    for (const target of targets) {
      complete.add(target)
      known.set(target, counts.get(target) ?? 0)
    }
    this.#complete.set(field, complete)
    this.#counts.set(field, known)
  }

  /** Adds a need of a record that an operation names. Other numbers than ids have no record. */
  need(id: number, lock: Lock): void {
    if (isId(id)) this.needs.addRecord(id, lock)
  }
}

const isId = (id: number): boolean => Number.isSafeInteger(id) && id >= 1
