import type { Model } from '../model/model.ts'
import type { Change, StoredRecord } from './store.ts'
import { referencesOf, type Table } from './table.ts'

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

/** The tables as a transaction would leave them: its changes, beside what is committed. Nothing here touches the tables. */
export class Stage {
  readonly #tables: ReadonlyMap<string, Table>
  readonly #rows = new Map<string, Map<number, Staged>>()
  readonly #nextIds = new Map<string, number>()
  /** `table.field` → target id → staged records that refer to it and did not before. */
  readonly #newReferrers = new Map<string, Map<number, Set<number>>>()

  constructor(tables: ReadonlyMap<string, Table>) {
    this.#tables = tables
  }

  /** Every record that the transaction touches, in the order of first touch. */
  *all(): Generator<{ readonly model: Model; readonly id: number; readonly staged: Staged }> {
    for (const [table, rows] of this.#rows) {
      const { model } = this.#table(table)
      for (const [id, staged] of rows) yield { model, id, staged }
    }
  }

  rowsOf(table: string): ReadonlyMap<number, Staged> {
    return this.#rows.get(table) ?? new Map()
  }

  committed(table: string, id: number): StoredRecord | undefined {
    return this.#table(table).get(id)
  }

  /** The record as it would be. */
  current(table: string, id: number): StoredRecord | undefined {
    const staged = this.#rows.get(table)?.get(id)
    return staged === undefined ? this.committed(table, id) : staged.after
  }

  modelOf(table: string): Model {
    return this.#table(table).model
  }

  /** Takes an id: the wanted one, or the next. Ids go up and are spent even if their record goes again. */
  takeId(table: string, wanted: number | undefined): number {
    const next = this.#nextIds.get(table) ?? this.#table(table).nextId
    const id = wanted ?? next
    this.#nextIds.set(table, Math.max(next, id + 1))
    return id
  }

  /** Stages a record that operation `index` makes. */
  make(table: string, record: StoredRecord, index: number): void {
    const first = this.#rows.get(table)?.get(record.id)?.index ?? index
    this.#set(table, record.id, { after: record, index: first, madeBy: index, setBy: NOTHING_SET })
  }

  /** Stages what becomes of a record that is there. @param fields the fields that operation `index` sets */
  put(table: string, id: number, after: StoredRecord | undefined, index: number, fields: readonly string[] = []): void {
    const earlier = this.#rows.get(table)?.get(id)
    const setBy = new Map(earlier?.setBy)
    for (const field of fields) setBy.set(field, index)
    this.#set(table, id, { after, index: earlier?.index ?? index, madeBy: earlier?.madeBy, setBy })
  }

  #set(table: string, id: number, staged: Staged): void {
    const rows = this.#rows.get(table)
    if (rows === undefined) this.#rows.set(table, new Map([[id, staged]]))
    else rows.set(id, staged)
    if (staged.after !== undefined) this.#noteReferences(table, Object.freeze(staged.after))
  }

  /** The id of a committed record that has this value in a unique field. */
  ownerOf(table: string, field: string, value: NonNullable<StoredRecord[string]>): number | undefined {
    return this.#table(table).ownerOf(field, value)
  }

  /** The records that would refer to `target` by a relation field. */
  referrersTo(table: string, field: string, target: number): StoredRecord[] {
    const fresh = this.#newReferrers.get(`${table}.${field}`)?.get(target) ?? []
    const candidates = new Set([...this.#table(table).referrersTo(field, target), ...fresh])
    return [...candidates].flatMap((id) => {
      const record = this.current(table, id)
      return record !== undefined && referencesOf(record, field).includes(target) ? [record] : []
    })
  }

  /** What is to be applied. */
  changes(): Change[] {
    const changes: Change[] = []
    for (const { model, id, staged } of this.all()) {
      const { after } = staged
      const before = this.committed(model.key, id)
      if (before !== after) changes.push({ table: model.key, id, before, after })
    }
    return changes
  }

  /** For each table that gave out ids: the next one. */
  nextIds(): ReadonlyMap<string, number> {
    return this.#nextIds
  }

  #noteReferences(table: string, after: StoredRecord): void {
    const before = this.committed(table, after.id)
    for (const { name } of this.modelOf(table).relations.values()) {
      if (before !== undefined && after[name] === before[name]) continue
      const targets = this.#newReferrers.get(`${table}.${name}`) ?? new Map<number, Set<number>>()
      this.#newReferrers.set(`${table}.${name}`, targets)
      for (const target of referencesOf(after, name)) {
        targets.set(target, (targets.get(target) ?? new Set<number>()).add(after.id))
      }
    }
  }

  #table(name: string): Table {
    const table = this.#tables.get(name)
    if (table === undefined) throw new Error(`There is no table '${name}'`)
    return table
  }
}
