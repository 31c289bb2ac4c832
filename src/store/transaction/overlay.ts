import type { Model } from '../../model/model.ts'
import { referencesOf, type StoredRecord } from '../store.ts'

/** The state of one record within a transaction. */
export interface Staged {
  readonly after: StoredRecord | undefined
  /** The operation that touched the record first; a cascade counts as the removal that caused it. */
  readonly index: number
  /** The operation that created the record and set all its fields, if any. */
  readonly madeBy: number | undefined
  /** The last operation that set each field since. */
  readonly setBy: ReadonlyMap<string, number>
}

/** The last operation that set a field, if any. */
export const setterOf = ({ madeBy, setBy }: Staged, field: string): number | undefined => setBy.get(field) ?? madeBy

const NOTHING_SET: Staged['setBy'] = new Map()
const NOTHING_STAGED: ReadonlyMap<number, Staged> = new Map()

/** The state of a table within a transaction. */
interface StagedTable {
  readonly table: CommittedTable
  /** Touched records, in order of first touch. */
  readonly rows: Map<number, Staged>
  /** The next id, once the transaction has assigned one. */
  nextId: number | undefined
  /** Number of ids that the transaction has chosen itself. */
  chosenIds: number
}

/** A record that a transaction has touched. */
export interface Touched {
  readonly table: CommittedTable
  readonly id: number
  readonly staged: Staged
}

/** The tables as a transaction would leave them: its changes over the committed records. It does not modify the tables. */
export class TransactionOverlay {
  readonly #tables: CommittedTables
  readonly #staged = new Map<string, StagedTable>()
  /** `table.field` → target id → staged records that newly refer to it. */
  #newReferrers: Map<string, Map<number, Set<number>>> | undefined

  constructor(tables: CommittedTables) {
    this.#tables = tables
  }

  /** Every touched record, in order of first touch. */
  *touched(): Generator<Touched> {
    for (const { table, rows } of this.#staged.values()) for (const [id, staged] of rows) yield { table, id, staged }
  }

  /** The touched records of a table. It makes nothing for a table without any. */
  touchedOf(table: string): ReadonlyMap<number, Staged> {
    return this.#staged.get(table)?.rows ?? NOTHING_STAGED
  }

  rowsOf(table: string): ReadonlyMap<number, Staged> {
    return this.#of(table).rows
  }

  /** The record as the transaction would leave it. */
  current(table: string, id: number): StoredRecord | undefined {
    const staged = this.#staged.get(table)?.rows.get(id)
    return staged === undefined ? this.table(table).get(id) : staged.after
  }

  /** Assigns an id: the requested one, or the next. Ids ascend and are not reused even if the record is removed again. */
  takeId(name: string, wanted: number | undefined): number {
    const staged = this.#of(name)
    const next = staged.nextId ?? staged.table.nextId
    const id = wanted ?? next
    staged.nextId = id < next ? next : staged.table.idAfter(id)
    if (wanted === undefined) staged.chosenIds++
    return id
  }

  /** Stages a record created by operation `index`. */
  make(table: string, record: StoredRecord, index: number): void {
    const first = this.#of(table).rows.get(record.id)?.index ?? index
    this.#set(table, record.id, { after: record, index: first, madeBy: index, setBy: NOTHING_SET })
  }

  /**
   * Stages a change of an existing record.
   *
   * @param fields the fields that operation `index` sets
   */
  put(table: string, id: number, after: StoredRecord | undefined, index: number, fields: readonly string[] = []): void {
    const earlier = this.#of(table).rows.get(id)
    const setBy = new Map(earlier?.setBy)
    for (const field of fields) setBy.set(field, index)
    this.#set(table, id, { after, index: earlier?.index ?? index, madeBy: earlier?.madeBy, setBy })
  }

  #set(table: string, id: number, staged: Staged): void {
    this.#of(table).rows.set(id, staged)
    if (staged.after !== undefined) this.#noteReferences(table, Object.freeze(staged.after))
  }

  /** The records that would refer to `target` by a relation field. */
  referrersTo(table: string, field: string, target: number): StoredRecord[] {
    const fresh = this.#newReferrers?.get(`${table}.${field}`)?.get(target) ?? []
    const candidates = new Set([...this.table(table).referrersTo(field, target), ...fresh])
    return [...candidates].flatMap((id) => {
      const record = this.current(table, id)
      return record !== undefined && referencesOf(record, field).includes(target) ? [record] : []
    })
  }

  /** Number of records that would refer to `target` by a relation field. */
  countReferrersTo(table: string, field: string, target: number): number {
    const committed = this.table(table)
    const isTouched = (this.#staged.get(table)?.rows.size ?? 0) > 0
    const known = isTouched ? this.referrersTo(table, field, target) : committed.referrersTo(field, target)
    return known.length + committed.countReferrersBeside(field, target)
  }

  /** Calls back with each table that assigned ids, and its next id. */
  eachNextId(visit: (table: string, nextId: number, chosen: number) => void): void {
    for (const [table, { nextId, chosenIds }] of this.#staged) if (nextId !== undefined) visit(table, nextId, chosenIds)
  }

  #noteReferences(table: string, after: StoredRecord): void {
    const { relations } = this.table(table).model
    if (relations.size === 0) return
    const before = this.table(table).get(after.id)
    for (const { name } of relations.values()) {
      if (before !== undefined && after[name] === before[name]) continue
      this.#newReferrers ??= new Map()
      const targets = this.#newReferrers.get(`${table}.${name}`) ?? new Map<number, Set<number>>()
      this.#newReferrers.set(`${table}.${name}`, targets)
      for (const target of referencesOf(after, name)) {
        targets.set(target, (targets.get(target) ?? new Set<number>()).add(after.id))
      }
    }
  }

  /** The staged state of a table, empty at first. */
  #of(name: string): StagedTable {
    const known = this.#staged.get(name)
    if (known !== undefined) return known
    const staged = { table: this.table(name), rows: new Map<number, Staged>(), nextId: undefined, chosenIds: 0 }
    this.#staged.set(name, staged)
    return staged
  }

  /** The committed records of a table. */
  table(name: string): CommittedTable {
    const table = this.#tables.get(name)
    if (table === undefined) throw new Error(`There is no table '${name}'`)
    return table
  }
}

/** The committed records of one table, as a transaction reads them. Each engine provides its own; all methods are synchronous. */
export interface CommittedTable {
  readonly model: Model
  /** The id of the next record. */
  readonly nextId: number
  /** The next id once `id`, which is not below the present one, is used. */
  idAfter(id: number): number
  get(id: number): StoredRecord | undefined
  /** The id of the record with this value in a unique field or, by its name, a unique set. The value is not null. */
  ownerOf(field: string, value: NonNullable<StoredRecord[string]>): number | undefined
  /** The ids of the records that refer to `target` by a relation field. */
  referrersTo(field: string, target: number): readonly number[]
  /**
   * Number of records that refer to `target`, without the records of `referrersTo`. An engine may count the referrers of a field with
   * `on_delete: restrict` that no operation touches, in place of reading them.
   */
  countReferrersBeside(field: string, target: number): number
}

/** The tables that a transaction may read, by name. */
export interface CommittedTables {
  get(table: string): CommittedTable | undefined
}
