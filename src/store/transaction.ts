import type { RelationField } from '../model/field.ts'
import type { Registry } from '../model/registry.ts'
import type { JsonObject } from '../util/json.ts'
import { brokenFields } from './constraints.ts'
import type { Change, Operation, Outcome, StoredRecord, Violation } from './store.ts'
import { referencesOf, type Table } from './table.ts'
import { versionOf } from './version.ts'

/** What a record becomes, and the operation that made it so (a cascade counts to the removal that set it off). */
interface Staged {
  after: StoredRecord | undefined
  readonly index: number
}

/**
 * Works out what a batch of operations does, without touching the tables: changes are staged beside them, constraints are
 * held against tables and stage together, and only then is the whole of it applied (by whoever called) or forgotten.
 */
export class Transaction {
  readonly #tables: ReadonlyMap<string, Table>
  readonly #registry: Registry
  readonly #staged = new Map<string, Map<number, Staged>>()
  readonly #nextIds = new Map<string, number>()
  readonly #violations: Violation[] = []
  readonly #ownersByField = new Map<string, Map<unknown, number>>()

  constructor(tables: ReadonlyMap<string, Table>, registry: Registry) {
    this.#tables = tables
    this.#registry = registry
  }

  run(operations: readonly Operation[]): Outcome {
    const ids = operations.map((operation, index) => this.#stage(operation, index))
    const removedBefore = operations.map((operation, index) => this.#committed(operation.table, ids[index] ?? 0))
    this.#checkConstraints()
    if (this.#violations.length > 0) return { ok: false, violations: this.#violations }
    const records = operations.map(({ kind, table }, index) => {
      const record = kind === 'remove' ? removedBefore[index] : this.#current(table, ids[index] ?? 0)
      if (record === undefined) throw new Error(`Operation ${index} left no record behind`)
      return record
    })
    return { ok: true, records, changes: this.#changes() }
  }

  #stage(operation: Operation, index: number): number {
    const { kind, table } = operation
    if (kind === 'insert') return this.#insert(table, operation.values, operation.id, index)
    const { id, expect } = operation
    const current = this.#current(table, id)
    if (current === undefined) {
      // A record that a cascade of this very transaction took along was there to be removed.
      const wasThere = kind === 'remove' && this.#committed(table, id) !== undefined
      if (!wasThere) this.#violations.push({ kind: 'missing', index, id })
    } else if (expect !== undefined && versionOf(current) !== expect) this.#violations.push({ kind: 'stale', index, id })
    else if (kind === 'update') this.#put(table, id, Object.freeze({ ...current, ...operation.values, id }), index)
    else this.#remove(table, id, index)
    return id
  }

  #insert(table: string, values: JsonObject, wanted: number | undefined, index: number): number {
    const next = this.#nextIds.get(table) ?? this.#table(table).nextId
    const id = wanted ?? next
    if (this.#current(table, id) !== undefined) this.#violations.push({ kind: 'unique', index, field: 'id' })
    this.#nextIds.set(table, Math.max(next, id + 1))
    this.#put(table, id, Object.freeze({ id, ...values }), index)
    return id
  }

  #remove(table: string, id: number, index: number): void {
    this.#put(table, id, undefined, index)
    for (const { model, field } of this.#registry.referrersOf(table)) {
      for (const referrer of this.#referrersTo(model.key, field.name, id)) this.#letGo(model.key, field, referrer, id, index)
    }
  }

  /** Does to a referring record what its field says is to be done when `target` goes; `restrict` is judged at the end. */
  #letGo(table: string, field: RelationField, referrer: StoredRecord, target: number, index: number): void {
    const { name, relation } = field
    if (relation.kind === 'many') {
      const links = referencesOf(referrer, name).filter((id) => id !== target)
      this.#put(table, referrer.id, Object.freeze({ ...referrer, [name]: links }), index)
    } else if (relation.onDelete === 'cascade') {
      if (this.#current(table, referrer.id) !== undefined) this.#remove(table, referrer.id, index)
    } else if (relation.onDelete === 'set_null') {
      this.#put(table, referrer.id, Object.freeze({ ...referrer, [name]: null }), index)
    }
  }

  #checkConstraints(): void {
    for (const [table, rows] of this.#staged) {
      for (const [id, { after, index }] of rows) {
        if (after === undefined) this.#checkRestrict(table, id, index)
        else this.#checkRecord(table, after, index)
      }
    }
    this.#violations.sort((a, b) => a.index - b.index)
  }

  #checkRestrict(table: string, id: number, index: number): void {
    for (const { model, field } of this.#registry.referrersOf(table)) {
      const count = this.#referrersTo(model.key, field.name, id).length
      if (count > 0) this.#violations.push({ kind: 'restrict', index, id, table: model.key, field: field.name, count })
    }
  }

  #checkRecord(table: string, record: StoredRecord, index: number): void {
    const { model } = this.#table(table)
    for (const { kind, field } of brokenFields(model, record, this.#committed(table, record.id)))
      this.#violations.push({ kind, index, field })
    for (const field of model.fields.values()) {
      if (field.unique && field.name !== 'id' && this.#isTaken(table, field.name, record)) {
        this.#violations.push({ kind: 'unique', index, field: field.name })
      }
    }
    for (const { name, relation } of model.relations.values()) {
      const dangling = referencesOf(record, name).some((id) => this.#current(relation.target, id) === undefined)
      if (dangling) this.#violations.push({ kind: 'foreign_key', index, field: name })
    }
  }

  #isTaken(table: string, field: string, record: StoredRecord): boolean {
    const value = record[field] ?? null
    if (value === null) return false
    const rows = this.#staged.get(table)
    const owner = this.#table(table).ownerOf(field, value)
    if (owner !== undefined && owner !== record.id && rows?.has(owner) !== true) return true
    return this.#stagedOwners(table, field).get(value) !== record.id
  }

  /** Among the staged records: the first that has each value. Built once, when all is staged. */
  #stagedOwners(table: string, field: string): Map<unknown, number> {
    const name = `${table}.${field}`
    const known = this.#ownersByField.get(name)
    if (known !== undefined) return known
    const owners = new Map<unknown, number>()
    for (const { after } of this.#staged.get(table)?.values() ?? []) {
      const value = after?.[field] ?? null
      if (after !== undefined && value !== null && !owners.has(value)) owners.set(value, after.id)
    }
    this.#ownersByField.set(name, owners)
    return owners
  }

  /** The records that refer to `target` as things stand on the stage. */
  #referrersTo(table: string, field: string, target: number): StoredRecord[] {
    const rows = this.#staged.get(table)
    const candidates = new Set([...this.#table(table).referrersTo(field, target), ...(rows?.keys() ?? [])])
    const found: StoredRecord[] = []
    for (const id of candidates) {
      const record = this.#current(table, id)
      if (record !== undefined && referencesOf(record, field).includes(target)) found.push(record)
    }
    return found
  }

  #changes(): Change[] {
    const changes: Change[] = []
    for (const [table, rows] of this.#staged) {
      for (const [id, { after }] of rows) {
        const before = this.#committed(table, id)
        if (before !== after) changes.push({ table, id, before, after })
      }
    }
    return changes
  }

  #put(table: string, id: number, after: StoredRecord | undefined, index: number): void {
    const rows = this.#staged.get(table) ?? new Map<number, Staged>()
    this.#staged.set(table, rows)
    const staged = rows.get(id)
    if (staged === undefined) rows.set(id, { after, index })
    else staged.after = after
  }

  #current(table: string, id: number): StoredRecord | undefined {
    const staged = this.#staged.get(table)?.get(id)
    return staged === undefined ? this.#committed(table, id) : staged.after
  }

  #committed(table: string, id: number): StoredRecord | undefined {
    return this.#table(table).records.get(id)
  }

  #table(name: string): Table {
    const table = this.#tables.get(name)
    if (table === undefined) throw new Error(`There is no table '${name}'`)
    return table
  }
}
