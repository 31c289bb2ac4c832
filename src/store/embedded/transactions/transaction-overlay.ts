import type { Model } from '../../../model/model.ts'
import type { Change, StoredRecord } from '../../store.ts'
import { referencesOf, type Table } from '../tables/table.ts'

/** What a transaction makes of one record. */
export interface Staged {
  readonly after: StoredRecord | undefined
  /** The operation that touched the record first; a cascade counts to the removal that set it off. */
  readonly index: number
  /** The operation that made the record, and so set all of its fields, if one did. */
  readonly madeBy: number | undefined
  /** For each field that an operation has set since: the last one that did. */
  readonly setBy: ReadonlyMap<string, number>
}

/** The operation that set a field last, if one did. */
export const setterOf = ({ madeBy, setBy }: Staged, field: string): number | undefined => setBy.get(field) ?? madeBy

const NOTHING_SET: Staged['setBy'] = new Map()

/** What a transaction makes of a table. */
interface StagedTable {
  readonly table: Table
  /** The records that it touches, in the order of first touch. */
  readonly rows: Map<number, Staged>
  /** Once it took ids: the next one. */
  nextId: number | undefined
}

/** The tables as a transaction would leave them: its changes, beside what is committed. Nothing here touches the tables. */
export class TransactionOverlay {
  readonly #tables: ReadonlyMap<string, Table>
  readonly #staged = new Map<string, StagedTable>()
  /** `table.field` → target id → staged records that refer to it and did not before. */
  #newReferrers: Map<string, Map<number, Set<number>>> | undefined

  constructor(tables: ReadonlyMap<string, Table>) {
    this.#tables = tables
  }

  /** Calls back with every record that the transaction touches, in the order of first touch. */
  each(visit: (table: Table, id: number, staged: Staged) => void): void {
    for (const { table, rows } of this.#staged.values()) for (const [id, staged] of rows) visit(table, id, staged)
  }

  rowsOf(table: string): ReadonlyMap<number, Staged> {
    return this.#of(table).rows
  }

  committed(table: string, id: number): StoredRecord | undefined {
    return this.#table(table).get(id)
  }

  /** The record as it would be. */
  current(table: string, id: number): StoredRecord | undefined {
    const staged = this.#staged.get(table)?.rows.get(id)
    return staged === undefined ? this.committed(table, id) : staged.after
  }

  modelOf(table: string): Model {
    return this.#table(table).model
  }

  /** Takes an id: the wanted one, or the next. Ids go up and are spent even if their record goes again. */
  takeId(name: string, wanted: number | undefined): number {
    const staged = this.#of(name)
    const next = staged.nextId ?? staged.table.nextId
    const id = wanted ?? next
    staged.nextId = Math.max(next, id + 1)
    return id
  }

  /** Stages a record that operation `index` makes. */
  make(table: string, record: StoredRecord, index: number): void {
    const first = this.#of(table).rows.get(record.id)?.index ?? index
    this.#set(table, record.id, { after: record, index: first, madeBy: index, setBy: NOTHING_SET })
  }

  /** Stages what becomes of a record that is there. @param fields the fields that operation `index` sets */
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

  /** The id of a committed record that has this value in a unique field. */
  ownerOf(table: string, field: string, value: NonNullable<StoredRecord[string]>): number | undefined {
    return this.#table(table).ownerOf(field, value)
  }

  /** The records that would refer to `target` by a relation field. */
  referrersTo(table: string, field: string, target: number): StoredRecord[] {
    const fresh = this.#newReferrers?.get(`${table}.${field}`)?.get(target) ?? []
    const candidates = new Set([...this.#table(table).referrersTo(field, target), ...fresh])
    return [...candidates].flatMap((id) => {
      const record = this.current(table, id)
      return record !== undefined && referencesOf(record, field).includes(target) ? [record] : []
    })
  }

  /** What is to be applied. */
  changes(): Change[] {
    const changes: Change[] = []
    this.each((table, id, { after }) => {
      const before = table.get(id)
      if (before !== after) changes.push({ table: table.model.key, id, before, after })
    })
    return changes
  }

  /** Calls back with each table that gave out ids, and the next one. */
  eachNextId(visit: (table: Table, nextId: number) => void): void {
    for (const { table, nextId } of this.#staged.values()) if (nextId !== undefined) visit(table, nextId)
  }

  #noteReferences(table: string, after: StoredRecord): void {
    const before = this.committed(table, after.id)
    for (const { name } of this.modelOf(table).relations.values()) {
      if (before !== undefined && after[name] === before[name]) continue
      this.#newReferrers ??= new Map()
      const targets = this.#newReferrers.get(`${table}.${name}`) ?? new Map<number, Set<number>>()
      this.#newReferrers.set(`${table}.${name}`, targets)
      for (const target of referencesOf(after, name)) {
        targets.set(target, (targets.get(target) ?? new Set<number>()).add(after.id))
      }
    }
  }

  /** What becomes of a table, nothing to begin with. */
  #of(name: string): StagedTable {
    const known = this.#staged.get(name)
    if (known !== undefined) return known
    const staged = { table: this.#table(name), rows: new Map<number, Staged>(), nextId: undefined }
    this.#staged.set(name, staged)
    return staged
  }

  #table(name: string): Table {
    const table = this.#tables.get(name)
    if (table === undefined) throw new Error(`There is no table '${name}'`)
    return table
  }
}
