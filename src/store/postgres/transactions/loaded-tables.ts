import { FILE_TABLE } from '../../../model/files.ts'
import type { Json } from '../../../util/json.ts'
import { referencesOf, type StoredRecord } from '../../store.ts'
import type { CommittedTable, CommittedTables } from '../../transaction/overlay.ts'
import type { Layout, TableLayout } from '../layout/layout.ts'
import { isPossible } from './owners.ts'

/** What a transaction has loaded of all tables. */
export class LoadedTables implements CommittedTables {
  readonly layout: Layout
  readonly #tables = new Map<string, LoadedTable>()

  constructor(layout: Layout) {
    this.layout = layout
  }

  /** The loaded part of a table, empty at first. */
  get(name: string): LoadedTable {
    const known = this.#tables.get(name)
    if (known !== undefined) return known
    const table = new LoadedTable(this.layout.of(name))
    this.#tables.set(name, table)
    return table
  }

  get needsNothing(): boolean {
    for (const { needs } of this.#tables.values()) if (!needs.isEmpty) return false
    return true
  }

  /** The tables with needs, in an order that is the same for all transactions, so that they seldom wait for each other in a circle. */
  needing(): LoadedTable[] {
    const needing = [...this.#tables.values()].filter(({ needs }) => !needs.isEmpty)
    return needing.sort((a, b) => (a.layout.name < b.layout.name ? -1 : 1))
  }
}

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
    // A row of the registry of files is read to be changed.
    this.needs.addRecord(id, this.model.key === FILE_TABLE ? 'update' : 'share')
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

/**
 * How a record is locked until the end of the transaction: `key share` as long as it must exist, `share` if its values must stay,
 * `update` if it is changed, `remove` if it may be removed.
 */
export type Lock = 'key share' | 'share' | 'update' | 'remove'

const STRENGTHS: readonly Lock[] = ['key share', 'share', 'update', 'remove']

/** What a transaction has to load of one table. */
class Needs {
  /** Lock → ids. An id has only its strongest lock. */
  readonly records = new Map<Lock, Set<number>>()
  /** Unique field or set → values. */
  readonly owners = new Map<string, Set<Json>>()
  /** Relation field → targets. */
  readonly referrers = new Map<string, Set<number>>()

  get isEmpty(): boolean {
    return this.records.size === 0 && this.owners.size === 0 && this.referrers.size === 0
  }

  addRecord(id: number, lock: Lock): void {
    const strength = STRENGTHS.indexOf(lock)
    for (const [index, other] of STRENGTHS.entries()) {
      const ids = this.records.get(other)
      if (ids?.has(id) !== true) continue
      if (index >= strength) return
      ids.delete(id)
      if (ids.size === 0) this.records.delete(other)
    }
    add(this.records, lock, id)
  }

  addOwner(field: string, value: Json): void {
    add(this.owners, field, value)
  }

  addReferrers(field: string, target: number): void {
    add(this.referrers, field, target)
  }

  clear(): void {
    this.records.clear()
    this.owners.clear()
    this.referrers.clear()
  }
}

function add<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([value]))
  else known.add(value)
}
