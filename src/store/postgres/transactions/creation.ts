import type { Change, Operation, Outcome, StoredRecord } from '../../store.ts'
import { type Connection, isConstraintViolation } from '../connection/database.ts'
import { type Layout, rememberRowVersion, type TableLayout } from '../layout/layout.ts'
import { insertEntry, logEntryOf } from '../shared/stored-change-log.ts'
import { joined, keyword, type Sql, sql } from '../sql.ts'
import { addedPart, areStorable, givenColumns, linkParts, lockPart, MAX_UNLOCKED, type NewRecords } from './creation-parts.ts'
import type { Work } from './general-transaction.ts'
import { ALL, preconditions } from './owners.ts'
import {
  type GivenIds,
  type NotedTables,
  noteChanges,
  noteParts,
  notesOf,
  PROVISIONAL_ID,
  readIds,
  selectIds,
} from './side-records.ts'
import { slicesOf } from './statements.ts'

type Accepted = Extract<Outcome, { ok: true }>

interface CreationParts {
  readonly layout: Layout
  readonly table: TableLayout
  /** With provisional ids. */
  readonly records: readonly StoredRecord[]
  readonly notes: NotedTables
  readonly takesLocks: boolean
}

/** New records of one table. One statement stores them with their links and notes; several do if there are many. */
export class Creation {
  readonly #parts: CreationParts

  private constructor(parts: CreationParts) {
    this.#parts = parts
  }

  /** The creation that a transaction consists of; undefined for another transaction, and for one that is certain to be refused. */
  static of(layout: Layout, { operations, notes, origin, isContinued = false }: Work): Creation | undefined {
    const [first] = operations
    if (first === undefined || !operations.every((operation) => isPlainInsert(operation, first))) return undefined
    const table = layout.of(first.table)
    const records = operations.map(
      (operation): StoredRecord => ({
        id: PROVISIONAL_ID,
        ...(operation.kind === 'insert' ? operation.values : {}),
      }),
    )
    if (!areStorable(layout, table, records)) return undefined
    const changes = records.map((after): Change => ({ table: first.table, id: after.id, before: undefined, after }))
    const noted: NotedTables = {
      ...notesOf(layout, changes, operations, records, notes),
      eventTable: notes?.events?.table,
      historyTable: notes?.history?.table,
      entry: logEntryOf(layout, origin, changes),
      isProvisional: true,
    }
    return new Creation({ layout, table, records, notes: noted, takesLocks: records.length > MAX_UNLOCKED && !isContinued })
  }

  /** Number of records. */
  get size(): number {
    return this.#parts.records.length
  }

  /** Creations with the same kind can be joined: their records are in one table, and have the same notes and receivers. */
  get kind(): string {
    const { events, eventTable, history, historyTable, entry } = this.#parts.notes
    const receivers = events.length === 0 ? undefined : { ...events[0], message_id: '', data: '', timestamp: '' }
    return JSON.stringify([this.#parts.table.name, eventTable, receivers, history.length > 0 && historyTable, entry?.origin])
  }

  /** Runs several creations of one kind in one statement, so that all of them are stored or none. */
  static async runJoined(
    connection: Connection,
    creations: readonly [Creation, ...Creation[]],
  ): Promise<readonly Outcome[] | undefined> {
    const parts = creations[0].#parts
    const { entry } = parts.notes
    const all = creations.map((creation) => creation.#parts)
    const notes = {
      ...parts.notes,
      events: all.flatMap((each) => each.notes.events),
      history: all.flatMap((each) => each.notes.history),
      entry: entry && { ...entry, changes: all.flatMap((each) => each.notes.entry?.changes ?? []) },
    }
    const records = all.flatMap((each) => each.records)
    const ids = await new Creation({ ...parts, records, notes, takesLocks: false }).#store(connection)
    if (ids === undefined) return undefined
    let start = 0
    return creations.map((creation) => {
      const own = ids.records.slice(start, start + creation.size)
      start += creation.size
      return creation.#outcome(ids, own)
    })
  }

  /** @returns undefined if the records may not be stored; then nothing is */
  async run(connection: Connection): Promise<Outcome | undefined> {
    const ids = await this.#store(connection)
    return ids === undefined ? undefined : this.#outcome(ids, ids.records)
  }

  /**
   * Stores many records by several statements in the transaction of `connection`.
   *
   * @returns undefined if the records may not be stored; then the transaction must be rolled back
   */
  async runInSlices(connection: Connection): Promise<Outcome | undefined> {
    const outcomes: Accepted[] = []
    for (const slice of this.#slices()) {
      const outcome = await slice.run(connection)
      if (outcome?.ok !== true) return undefined
      outcomes.push(outcome)
    }
    const changes = outcomes.flatMap((outcome) => outcome.changes)
    // The entry of the parts has provisional ids.
    const entry = logEntryOf(this.#parts.layout, this.#parts.notes.entry?.origin, changes)
    if (entry !== undefined) await connection.query(insertEntry(this.#parts.layout, entry))
    return { ok: true, records: outcomes.flatMap((outcome) => outcome.records), changes }
  }

  /** Parts that one statement stores each. None of them is logged. The first takes the locks of its values. */
  *#slices(): Generator<Creation> {
    let start = 0
    for (const records of slicesOf(this.#parts.records)) {
      const end = start + records.length
      const own = <T>(notes: readonly T[]) => notes.slice(start, end)
      const notes = {
        ...this.#parts.notes,
        events: own(this.#parts.notes.events),
        history: own(this.#parts.notes.history),
        entry: undefined,
      }
      yield new Creation({ ...this.#parts, records, notes, takesLocks: this.#parts.takesLocks && start === 0 })
      start = end
    }
  }

  async #store(connection: Connection): Promise<GivenIds | undefined> {
    const condition = preconditions(this.#parts.layout, this.#parts.table, this.#parts.records, ALL)
    if (condition === undefined) return undefined
    const { rows } = await connection.query(this.#statement(condition), { isRepeated: false })
    return readIds(rows)
  }

  /** @param own the ids of the records */
  #outcome(ids: GivenIds, own: readonly number[]): Outcome {
    const records = this.#parts.records.map((record, index) => Object.freeze({ ...record, id: own[index] ?? 0 }))
    const made = records.map((after): Change => ({ table: this.#parts.table.model.key, id: after.id, before: undefined, after }))
    const changes = [...made, ...noteChanges(this.#parts.layout, ids, own, this.#parts.notes)]
    for (const { after } of changes) if (after !== undefined) rememberRowVersion(after, ids.version)
    return { ok: true, records, changes }
  }

  #statement(condition: Sql): Sql {
    const { layout, table, records, notes } = this.#parts
    const added = { table, records, start: 0, suffix: '' }
    if (records.length === 1) return this.#singleStatement(added, condition)
    const locks = lockPart(layout, this.#parts.takesLocks ? [added] : [])
    const parts = [
      sql`"ids" as materialized (select "n", nextval(${table.sequence}::regclass) as "id"
        from ${locks.from} generate_series(1, ${records.length}::bigint) "n" where ${locks.condition} ${condition})`,
      addedPart(added),
      ...linkParts(added),
      ...noteParts(layout, notes),
    ]
    return sql`with ${joined(parts)} ${selectIds([notes])}`
  }

  /** PostgreSQL plans this faster: the row takes its id by itself. */
  #singleStatement(added: NewRecords, condition: Sql): Sql {
    const { layout, table, records, notes } = this.#parts
    const given = givenColumns(table, records)
    const names = given.length === 0 ? [sql`"id"`] : given.map(({ name }) => name)
    const values = given.map(({ type, values: [value = null] }) => sql`${value}::${keyword(type)}`)
    const selected = given.length === 0 ? sql`nextval(${table.sequence}::regclass)` : joined(values)
    const insert = sql`insert into ${table.table} (${joined(names)}) select ${selected} where ${condition}`
    const parts = [...linkParts(added), ...noteParts(layout, notes)]
    if (parts.length === 0) return sql`${insert} returning 0, 1, "id", pg_current_xact_id()::xid`
    const ids = sql`"ids" as (${insert} returning 1::bigint as "n", "id")`
    return sql`with ${joined([ids, ...parts])} ${selectIds([notes])}`
  }
}

/** @param first the first operation: while records have provisional ids, no history entry tells by which way which of them was made */
const isPlainInsert = (operation: Operation, first: Operation): boolean =>
  operation.kind === 'insert' &&
  first.kind === 'insert' &&
  operation.table === first.table &&
  operation.via === first.via &&
  operation.id === undefined &&
  operation.allowed === undefined &&
  operation.refs === undefined

/** Maximum number of records of one statement. */
const MAX_RECORDS = 200

/** A creation, and the caller that waits for its outcome. */
interface Waiting {
  readonly creation: Creation
  resolve(outcome: Promise<Outcome | undefined> | Outcome): void
  reject(error: unknown): void
}

/** Runs `task` when the present turn of the event loop is over. */
export type AfterTurn = (task: () => void) => void

/**
 * Joins creations of one kind that arrive in one turn of the event loop into one statement. Each keeps its own outcome: if the statement
 * stores nothing or breaks a constraint, each of them runs alone; after a deadlock all callers get it as an error.
 */
export class JoinedCreations {
  readonly #connection: Connection
  readonly #afterTurn: AfterTurn
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(connection: Connection, afterTurn: AfterTurn) {
    this.#connection = connection
    this.#afterTurn = afterTurn
  }

  /** @returns undefined if the records may not be stored; then nothing is */
  run(creation: Creation): Promise<Outcome | undefined> {
    if (creation.size > MAX_UNLOCKED) return creation.run(this.#connection)
    return new Promise((resolve, reject) => {
      const { kind } = creation
      const others = this.#waiting.get(kind)
      if (others !== undefined) return void others.push({ creation, resolve, reject })
      this.#waiting.set(kind, [{ creation, resolve, reject }])
      this.#afterTurn(() => {
        const waiting = this.#waiting.get(kind) ?? []
        this.#waiting.delete(kind)
        for (const group of groupsOf(waiting)) void this.#runGroup(group)
      })
    })
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#joined(group)
      for (const [index, { creation, resolve }] of group.entries()) resolve(outcomes?.[index] ?? creation.run(this.#connection))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  /** @returns undefined if nothing is stored */
  async #joined(group: readonly Waiting[]): Promise<readonly Outcome[] | undefined> {
    const [first, ...others] = group.map(({ creation }) => creation)
    if (first === undefined || others.length === 0) return undefined
    try {
      return await Creation.runJoined(this.#connection, [first, ...others])
    } catch (error) {
      if (isConstraintViolation(error)) return undefined
      throw error
    }
  }
}

function groupsOf(waiting: readonly Waiting[]): Waiting[][] {
  const groups: Waiting[][] = []
  let records = Number.POSITIVE_INFINITY
  for (const each of waiting) {
    records += each.creation.size
    if (records > MAX_RECORDS) {
      groups.push([])
      records = each.creation.size
    }
    groups.at(-1)?.push(each)
  }
  return groups
}
