import { groupBy } from '../../../util/json.ts'
import type { Change, Operation, Outcome, StoredRecord } from '../../store.ts'
import type { Connection } from '../connection/database.ts'
import { type Layout, rememberRowVersion } from '../layout/layout.ts'
import { type LogEntry, logEntryOf } from '../shared/stored-change-log.ts'
import { joined, literal, type Sql, sql } from '../sql.ts'
import { addedPart, areStorable, linkParts, lockPart, MAX_UNLOCKED, type NewRecords } from './creation-parts.ts'
import type { Work } from './general-transaction.ts'
import { ALL, preconditions } from './owners.ts'
import { nextId } from './sequences.ts'
import { logPart, type NotedTables, noteChanges, noteParts, notesOf, PROVISIONAL_ID, readIds, selectIds } from './side-records.ts'
import { MAX_ROWS } from './statements.ts'

type Insert = Extract<Operation, { kind: 'insert' }>

/** The new records of one table. */
interface OfTable extends NewRecords, NotedTables {
  /** Ids that were taken before; null for a record that takes the next one. */
  readonly ids: readonly (number | null)[]
}

/**
 * New records of several tables, such as an order and its lines. Some may have ids that were taken before (`Store.takeIds`), to which others
 * refer. One statement stores all of them, with their links and notes.
 */
export class MixedCreation {
  readonly #layout: Layout
  readonly #tables: readonly OfTable[]
  /** The number of the record of each operation in the part `"ids"`, from 0. */
  readonly #places: readonly number[]
  readonly #entry: LogEntry | undefined

  private constructor(layout: Layout, tables: readonly OfTable[], places: readonly number[], entry: LogEntry | undefined) {
    this.#layout = layout
    this.#tables = tables
    this.#places = places
    this.#entry = entry
  }

  /** The creation that a transaction consists of; undefined for another transaction, and for one that is certain to be refused. */
  static of(layout: Layout, { operations, notes, origin }: Work): MixedCreation | undefined {
    if (operations.length > MAX_ROWS || !operations.every(isStorable)) return undefined
    const groups = [...groupBy(operations.entries(), ([, { table }]) => table)]
    // As of a creation: while records have provisional ids, no history entry tells by which way which of them was made.
    const hasOneVia = groups.every(([, own]) => own.every(([, { via }]) => via === own[0]?.[1].via))
    // The log tells of records of public models only, and counts them as the statement does.
    const isTold = groups.length === 1 || !groups.some(([name]) => layout.of(name).model.internal)
    if (!hasOneVia || !isTold) return undefined
    const inOrder = groups.flatMap(([, own]) => own)
    const records = inOrder.map(([, { values }]): StoredRecord => ({ id: PROVISIONAL_ID, ...values }))
    const changes = inOrder.map(([, { table }], index): Change => {
      const after = records[index]
      return { table, id: PROVISIONAL_ID, before: undefined, after }
    })
    const { events, history } = notesOf(
      layout,
      changes,
      inOrder.map(([, operation]) => operation),
      records,
      notes,
    )
    const tables: OfTable[] = []
    let start = 0
    for (const [name, own] of groups) {
      const table = layout.of(name)
      const ofTable = records.slice(start, start + own.length)
      if (!areStorable(layout, table, ofTable)) return undefined
      tables.push({
        table,
        records: ofTable,
        ids: own.map(([, { id = null }]) => id),
        start,
        suffix: `_${tables.length}`,
        events: events.filter(({ model }) => model === name),
        history: history.filter(({ model }) => model === name),
        eventTable: notes?.events?.table,
        historyTable: notes?.history?.table,
        entry: undefined,
        isProvisional: true,
      })
      start += own.length
    }
    const places: number[] = []
    for (const [place, [index]] of inOrder.entries()) places[index] = place
    return new MixedCreation(layout, tables, places, logEntryOf(layout, origin, changes))
  }

  /** @returns undefined if the records may not be stored; then nothing is */
  async run(connection: Connection): Promise<Outcome | undefined> {
    const conditions = this.#conditions()
    if (conditions === undefined) return undefined
    const parts = [
      this.#idsPart(conditions),
      ...this.#tables.flatMap((each) => [addedPart(each), ...linkParts(each), ...noteParts(this.#layout, each, each)]),
      ...(this.#entry === undefined ? [] : [logPart(this.#layout, this.#entry)]),
    ]
    const { rows } = await connection.query(sql`with ${joined(parts)} ${selectIds(this.#tables)}`, { isRepeated: false })
    return this.#outcome(rows)
  }

  /** Ids that were taken before are below the next one, and of no record. */
  #conditions(): Sql | undefined {
    const taken = new Map(this.#tables.map(({ table, ids }) => [table.model.key, ids.filter((id) => id !== null)]))
    const known = new Map([...taken].map(([name, ids]) => [name, new Set(ids)]))
    const isNew = (table: string, id: number) => known.get(table)?.has(id) === true
    const conditions: Sql[] = []
    for (const { table, records } of this.#tables) {
      const condition = preconditions(this.#layout, table, records, ALL, isNew)
      const ids = taken.get(table.model.key) ?? []
      if (condition === undefined || known.get(table.model.key)?.size !== ids.length) return undefined
      if (ids.length > 0) {
        conditions.push(sql`${Math.max(...ids)}::bigint < ${nextId(table.sequence)}`)
        conditions.push(sql`not exists (select from ${table.table} where "id" = any(${ids}::bigint[]))`)
      }
      conditions.push(condition)
    }
    return joined(conditions, ' and ')
  }

  #idsPart(condition: Sql): Sql {
    const count = this.#tables.reduce((sum, { records }) => sum + records.length, 0)
    const locks = lockPart(this.#layout, count > MAX_UNLOCKED ? this.#tables : [])
    const numbers = this.#tables.flatMap(({ records }, index) => records.map(() => index))
    const taken = this.#tables.flatMap(({ ids }) => ids)
    const next = this.#tables.map(({ table }, index) => sql`when ${literal(index)} then nextval(${table.sequence}::regclass)`)
    return sql`"ids" as materialized (select "n", coalesce("u"."taken", case "u"."table" ${joined(next, ' ')} end) as "id"
      from ${locks.from} unnest(${numbers}::integer[], ${taken}::bigint[]) with ordinality "u" ("table", "taken", "n")
      where ${locks.condition} ${condition})`
  }

  #outcome(rows: readonly (readonly (string | null)[])[]): Outcome | undefined {
    const made: Change[] = []
    const noted: Change[] = []
    let version = ''
    for (const [index, each] of this.#tables.entries()) {
      const given = readIds(rows, index)
      if (given === undefined) return undefined
      version = given.version
      const own = given.records.slice(each.start, each.start + each.records.length)
      for (const [position, record] of each.records.entries()) {
        const after = Object.freeze({ ...record, id: own[position] ?? 0 })
        made.push({ table: each.table.model.key, id: after.id, before: undefined, after })
      }
      noted.push(...noteChanges(this.#layout, given, own, each))
    }
    const changes = [...made, ...noted]
    for (const { after } of changes) if (after !== undefined) rememberRowVersion(after, version)
    return { ok: true, records: this.#places.flatMap((place) => made[place]?.after ?? []), changes }
  }
}

const isStorable = (operation: Operation): operation is Insert =>
  operation.kind === 'insert' &&
  operation.allowed === undefined &&
  operation.refs === undefined &&
  (operation.id === undefined || (Number.isSafeInteger(operation.id) && operation.id > 0))
