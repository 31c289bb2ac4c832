import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { matcher, type Predicate } from '../../query/match.ts'
import type { Filter } from '../../query/plan.ts'
import type { Json, JsonObject } from '../../util/json.ts'
import { STEP, type Steps } from '../../util/slices.ts'
import {
  type Change,
  isSameValue,
  isSameVersion,
  type Operation,
  type Outcome,
  referencesOf,
  type SideRecords,
  type StoredRecord,
  type Violation,
} from '../store.ts'
import { brokenFields } from './field-constraints.ts'
import { FileMoves } from './file-moves.ts'
import { type CommittedTables, setterOf, type Touched, TransactionOverlay } from './overlay.ts'
import { eventsOf, historyOf } from './side-records.ts'

/**
 * Runs a batch of operations: all of them are staged, constraints are checked against the resulting state, and the caller then
 * applies or discards the changes. So a batch may swap unique values or delete records that refer to each other.
 */
export class Transaction {
  readonly #registry: Registry
  readonly #overlay: TransactionOverlay
  readonly #violations: Violation[] = []
  /** Ids of new records that were taken before the first operation, by the index of their insert. */
  readonly #taken = new Map<number, number>()
  /** Table → unique field or set → value → the staged record that may have it. */
  readonly #owners = new Map<string, Map<string, Map<unknown, number>>>()

  constructor(tables: CommittedTables, registry: Registry) {
    this.#registry = registry
    this.#overlay = new TransactionOverlay(tables)
  }

  /**
   * Calls back with each table in which the operations, events and history entries used ids. The engine ensures that no later transaction
   * uses them.
   *
   * @param visit gets the next id after the transaction, and the number of ids that the transaction has chosen; the others were requested
   */
  eachNextId(visit: (table: string, nextId: number, chosen: number) => void): void {
    this.#overlay.eachNextId(visit)
  }

  /**
   * Runs the operations in steps. The committed tables must not change before the last one.
   *
   * @param notes what is stored with the changes
   */
  *steps(operations: readonly Operation[], notes?: SideRecords): Steps<Outcome> {
    const left: (StoredRecord | undefined)[] = []
    this.#takeReferredIds(operations)
    for (const [index, operation] of operations.entries()) {
      left.push(yield* this.#perform(operation, index))
      if (index % STEP === STEP - 1) yield
    }
    yield
    yield* inSteps(this.#overlay.touched(), (touched) => this.#check(touched))
    yield* inSteps(operations.entries(), ([index, { kind, table, allowed }]) => {
      const record = kind === 'remove' || allowed === undefined ? undefined : left[index]
      // What later operations, without the condition, change of the record does not count.
      if (record !== undefined && this.#overlay.current(table, record.id) !== undefined)
        this.#requireMatch(record, allowed, index)
    })
    yield* this.#checkProtected(operations)
    this.#checkKnownCascades(operations)
    if (this.#registry.withFiles.length > 0) {
      const moves = new FileMoves(this.#overlay, notes?.files?.at)
      for (const model of this.#registry.withFiles)
        yield* inSteps(this.#overlay.touchedOf(model.key), ([id, staged]) => moves.of(model, id, staged))
      this.#violations.push(...moves.violations)
    }
    if (this.#violations.length > 0) {
      return { ok: false, violations: this.#violations.sort((a, b) => a.index - b.index) }
    }
    const records = left.filter((record) => record !== undefined)
    const changes: Change[] = []
    yield* inSteps(this.#overlay.touched(), ({ table, id, staged: { after } }) => {
      const before = table.get(id)
      if (before !== after) changes.push({ table: table.model.key, id, before, after })
    })
    if (notes !== undefined) yield* this.#note(changes, operations, records, notes)
    return { ok: true, records, changes }
  }

  /** Adds the records of events and history. They are made here, so they are not validated. */
  *#note(
    changes: Change[],
    operations: readonly Operation[],
    records: readonly StoredRecord[],
    { events, history }: SideRecords,
  ): Steps<void> {
    const own = [...changes]
    const modelOf = (table: string) => this.#overlay.table(table).model
    const insert = (table: string) => (values: JsonObject) => {
      const id = this.#overlay.takeId(table, undefined)
      changes.push({ table, id, before: undefined, after: Object.freeze({ id, ...values }) })
    }
    if (events !== undefined) yield* inSteps(eventsOf(own, events, modelOf), insert(events.table))
    if (history !== undefined) yield* inSteps(historyOf(own, { operations, records }, history, modelOf), insert(history.table))
  }

  /** @returns the stored record; for a removal, the removed one */
  *#perform(operation: Operation, index: number): Steps<StoredRecord | undefined> {
    if (operation.kind === 'insert') return this.#insert(operation, index)
    if (operation.kind === 'assert') return this.#assert(operation, index)
    const { kind, table, id, expect, allowed } = operation
    const current = this.#overlay.current(table, id)
    const before = kind === 'remove' ? this.#overlay.table(table).get(id) : undefined
    if (current === undefined) {
      // A record that a cascade of this transaction removed already existed to be removed.
      if (before === undefined) this.#violations.push({ kind: 'missing', index, id, ...this.#changedBy(table, id) })
      return before
    }
    // An earlier removal of this transaction may have emptied a reference of the record.
    const found = expect === undefined ? current : (before ?? current)
    if (expect !== undefined && !isSameVersion(found, expect)) {
      const committed = this.#overlay.table(table).get(id)
      const isOwn = committed !== undefined && isSameVersion(committed, expect)
      this.#violations.push({ kind: 'stale', index, id, ...(isOwn ? this.#changedBy(table, id) : {}) })
      return undefined
    }
    this.#requireMatch(current, allowed, index)
    if (kind === 'remove') {
      yield* this.#delete(table, id, index)
      return found
    }
    const values = this.#withReferredIds(operation)
    const changed = Object.keys(values).filter((name) => !isSameValue(values[name] ?? null, current[name] ?? null))
    // The record as it is: no change, no version, no event.
    if (changed.length === 0) return current
    this.#overlay.put(table, id, { ...current, ...values, id }, index, changed)
    return this.#overlay.current(table, id)
  }

  /** The operation of this transaction that has touched a record first, if any. */
  #changedBy(table: string, id: number): { readonly by?: number } {
    const staged = this.#overlay.touchedOf(table).get(id)
    return staged === undefined ? {} : { by: staged.index }
  }

  /** Reports a record that does not match a filter. */
  #requireMatch(record: StoredRecord, allowed: Filter | undefined, index: number): void {
    if (allowed !== undefined && !this.#matcher(allowed)(record)) this.#violations.push({ kind: 'denied', index, id: record.id })
  }

  /** Reports the removals that remove a protected record, in one pass over the removed records. */
  *#checkProtected(operations: readonly Operation[]): Steps<void> {
    const protecting = operations.map((operation) => (operation.kind === 'remove' ? operation.protectedRecords : undefined))
    const filters = new Set(protecting.filter((protectedRecords) => protectedRecords !== undefined))
    const matchers = new Map([...filters].map((protectedRecords) => [protectedRecords, this.#matcher(protectedRecords.filter)]))
    const denied = new Set<number>()
    for (const table of new Set([...filters].map((protectedRecords) => protectedRecords.table))) {
      yield* inSteps(this.#overlay.rowsOf(table), ([id, { after, index }]) => {
        const protectedRecords = after === undefined ? protecting[index] : undefined
        if (protectedRecords?.table !== table || denied.has(index)) return
        const before = this.#overlay.table(table).get(id)
        if (before !== undefined && matchers.get(protectedRecords)?.(before) === true) denied.add(index)
      })
    }
    for (const index of denied) {
      const operation = operations[index]
      if (operation?.kind === 'remove') this.#violations.push({ kind: 'denied', index, id: operation.id })
    }
  }

  #matcher(filter: Filter): Predicate {
    return matcher(filter, ({ field, target, filter: inner }) => {
      const matches = this.#matcher(inner)
      return (record) =>
        referencesOf(record, field).some((id) => {
          const related = this.#overlay.current(target, id)
          return related !== undefined && matches(related)
        })
    })
  }

  /** Takes the ids of new records that other operations refer to, so that the order of the operations does not matter. */
  #takeReferredIds(operations: readonly Operation[]): void {
    const refs = operations.flatMap((each) => ('refs' in each ? (each.refs ?? []) : []))
    if (refs.length === 0) return
    // Ids that operations have chosen are not given to others.
    for (const each of operations) if (each.kind === 'insert' && each.id !== undefined) this.#overlay.takeId(each.table, each.id)
    for (const { operation } of refs) {
      const target = operations[operation]
      if (target?.kind !== 'insert') throw new Error(`Operation ${operation} creates no record to refer to`)
      if (this.#taken.has(operation)) continue
      this.#taken.set(operation, this.#overlay.takeId(target.table, target.id))
    }
  }

  /** The values of an operation with the ids of the new records that it refers to. */
  #withReferredIds({ values, refs }: Exclude<Operation, { kind: 'remove' | 'assert' }>): JsonObject {
    if (refs === undefined) return values
    const all: Record<string, Json> = { ...values }
    for (const { field, operation } of refs) {
      const id = this.#taken.get(operation) ?? null
      const list = all[field]
      all[field] = Array.isArray(list) ? [...list, id] : id
    }
    return all
  }

  #assert({ table, id, expect }: Extract<Operation, { kind: 'assert' }>, index: number): StoredRecord | undefined {
    const found = this.#overlay.table(table).get(id)
    const isExpected = found === undefined || expect === undefined ? found === expect : isSameVersion(found, expect)
    if (!isExpected) this.#violations.push({ kind: 'stale', index, id })
    return found
  }

  /** Reports the removals whose cascades are not those that are known. */
  #checkKnownCascades(operations: readonly Operation[]): void {
    const keyOf = (table: string, id: number) => `${table} ${id}`
    const known = new Map<string, { readonly record: StoredRecord; readonly index: number }>()
    const tables = new Set<string>()
    for (const [index, operation] of operations.entries()) {
      if (operation.kind !== 'remove' || operation.knownCascade === undefined) continue
      for (const table of operation.knownCascade.tables) tables.add(table)
      for (const { table, record } of operation.knownCascade.records) known.set(keyOf(table, record.id), { record, index })
    }
    if (tables.size === 0) return
    const own = new Set(
      operations.flatMap((each) => (each.kind === 'update' || each.kind === 'remove' ? [keyOf(each.table, each.id)] : [])),
    )
    for (const name of tables) {
      for (const [id, { index }] of this.#overlay.rowsOf(name)) {
        const before = this.#overlay.table(name).get(id)
        const key = keyOf(name, id)
        if (before === undefined || own.has(key)) continue
        const record = known.get(key)?.record
        known.delete(key)
        if (record === undefined || !isSameVersion(before, record)) this.#violations.push({ kind: 'stale', index, id })
      }
    }
    for (const [key, { record, index }] of known) {
      if (!own.has(key)) this.#violations.push({ kind: 'stale', index, id: record.id })
    }
  }

  #insert(operation: Extract<Operation, { kind: 'insert' }>, index: number): StoredRecord | undefined {
    const { table, id: wanted } = operation
    const values = this.#withReferredIds(operation)
    if (wanted !== undefined && (!Number.isSafeInteger(wanted) || wanted < 1)) {
      this.#violations.push({ kind: 'check', index, field: 'id' })
      return undefined
    }
    const id = this.#taken.get(index) ?? this.#overlay.takeId(table, wanted)
    if (this.#overlay.current(table, id) !== undefined) this.#violations.push({ kind: 'unique', index, field: 'id' })
    this.#overlay.make(table, Object.assign({ id }, values, { id }), index)
    return this.#overlay.current(table, id)
  }

  #check({ table, id, staged }: Touched): void {
    const { model } = table
    const { after, index } = staged
    if (after === undefined) {
      this.#checkRestricting(model, id, index)
      return
    }
    for (const { kind, field } of brokenFields(model, after, table.get(id))) {
      this.#violations.push({ kind, index: setterOf(staged, field) ?? index, field })
    }
    for (const { name: field, unique, relation } of model.constrained) {
      const setter = setterOf(staged, field)
      // Values and references that this transaction did not set were checked when they were set.
      if (setter === undefined) continue
      const isTaken = unique && this.#isTaken(model.key, field, (record) => record[field] ?? null, after)
      if (isTaken) this.#violations.push({ kind: 'unique', index: setter, field })
      const dangles = relation !== undefined && this.#dangles(relation.target, field, after)
      if (dangles) this.#violations.push({ kind: 'foreign_key', index: setter, field })
    }
    for (const set of model.uniqueSets) {
      const setters = set.fields.flatMap((field) => setterOf(staged, field) ?? [])
      if (setters.length === 0 || !this.#isTaken(model.key, set.name, (record) => set.keyOf(record), after)) continue
      const [field = '', ...together] = set.fields
      this.#violations.push({ kind: 'unique', index: Math.max(...setters), field, together })
    }
  }

  #dangles(target: string, field: string, record: StoredRecord): boolean {
    return referencesOf(record, field).some((id) => this.#overlay.current(target, id) === undefined)
  }

  /** @param keyOf the value of a record in the unique field or set of this name */
  #isTaken(table: string, name: string, keyOf: (record: StoredRecord) => Json, record: StoredRecord): boolean {
    const value = keyOf(record)
    if (value === null) return false
    const owner = this.#overlay.table(table).ownerOf(name, value)
    const untouched = owner !== undefined && !this.#overlay.rowsOf(table).has(owner)
    if (untouched && owner !== record.id) return true
    if (this.#overlay.rowsOf(table).size === 1) return false
    const owners = this.#stagedOwners(table, name, keyOf)
    const first = owners.get(value)
    if (first === undefined) owners.set(value, record.id)
    return first !== undefined && first !== record.id
  }

  /** Owners of staged unique values: at first the records that keep theirs, then each record that is the first to set its value. */
  #stagedOwners(table: string, name: string, keyOf: (record: StoredRecord) => Json): Map<unknown, number> {
    const known = this.#owners.get(table)?.get(name)
    if (known !== undefined) return known
    const owners = new Map<unknown, number>()
    for (const [id, { after }] of this.#overlay.rowsOf(table)) {
      const value = after === undefined ? null : keyOf(after)
      const before = value === null ? undefined : this.#overlay.table(table).get(id)
      if (before !== undefined && keyOf(before) === value) owners.set(value, id)
    }
    const ofTable = this.#owners.get(table) ?? new Map<string, Map<unknown, number>>()
    this.#owners.set(table, ofTable.set(name, owners))
    return owners
  }

  /**
   * Stages the deletion of a record and applies `on_delete` to the records that refer to it: `cascade` deletes them, `set_null`
   * empties the reference, links of many-to-many fields are removed. `restrict` is checked at the end of the transaction
   * (`#checkRestricting`), when all deletions are known.
   *
   * A step deletes one record, or changes some of those that refer to it.
   *
   * @param index the operation of the transaction, to which the changes belong
   */
  *#delete(table: string, id: number, index: number): Steps<void> {
    const overlay = this.#overlay
    const deletions = [{ table, id }]
    for (const deletion of deletions) {
      if (overlay.current(deletion.table, deletion.id) === undefined) continue
      overlay.put(deletion.table, deletion.id, undefined, index)
      for (const { model, field } of this.#registry.referrersOf(deletion.table)) {
        const { kind, onDelete } = field.relation
        if (kind !== 'many' && onDelete === 'restrict') continue
        for (const [count, referrer] of overlay.referrersTo(model.key, field.name, deletion.id).entries()) {
          if (count % STEP === STEP - 1) yield
          if (kind === 'many') {
            const links = referencesOf(referrer, field.name).filter((link) => link !== deletion.id)
            overlay.put(model.key, referrer.id, { ...referrer, [field.name]: links }, index)
          } else if (onDelete === 'set_null') {
            overlay.put(model.key, referrer.id, { ...referrer, [field.name]: null }, index)
          } else if (onDelete === 'cascade') {
            deletions.push({ table: model.key, id: referrer.id })
          }
        }
      }
      if (deletions.length > 1) yield
    }
  }

  /** Reports the references with `on_delete: restrict` that forbid the deletion of a record. */
  #checkRestricting(model: Model, id: number, index: number): void {
    for (const { model: referrer, field } of this.#registry.referrersOf(model.key)) {
      if (field.relation.kind === 'many' || field.relation.onDelete !== 'restrict') continue
      const count = this.#overlay.countReferrersTo(referrer.key, field.name, id)
      if (count > 0) this.#violations.push({ kind: 'restrict', index, id, table: referrer.key, field: field.name, count })
    }
  }
}

/** Deals with items in steps. */
function* inSteps<T>(items: Iterable<T>, deal: (item: T) => void): Steps<void> {
  let count = 0
  for (const item of items) {
    deal(item)
    if (++count % STEP === 0) yield
  }
}
