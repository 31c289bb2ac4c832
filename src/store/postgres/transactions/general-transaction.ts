import { runInSlices } from '../../../util/slices.ts'
import type { Operation, Outcome, SideRecords, TransactionMode } from '../../store.ts'
import { Transaction } from '../../transaction/transaction.ts'
import type { Connection } from '../connection/database.ts'
import { type Layout, rememberRowVersion, rowVersionOf } from '../layout/layout.ts'
import { logEntryOf } from '../shared/stored-change-log.ts'
import { LoadedTables } from './loaded-tables.ts'
import { addCascades, Loader, predictNeeds, tablesOfNewRecords } from './loader.ts'
import { hasLocks, idLock, takeLocks, uniqueLocks } from './locks.ts'
import { lockIds, moveSequence, nextIds, reserveIds } from './sequences.ts'
import { completeRecord, differs, slicesOf, writeStatement } from './statements.ts'

type Accepted = Extract<Outcome, { ok: true }>

/** What a transaction is to do. Its values are in stored form. */
export interface Work {
  readonly operations: readonly Operation[]
  readonly mode: TransactionMode
  readonly notes: SideRecords | undefined
  /** The name with which the changes are logged for other processes; undefined if none of them reads the log. */
  readonly origin?: string | undefined
  /** True for a further part of a transaction, which takes no more locks of unique values: they would become too many. */
  readonly isContinued?: boolean
}

/** The next id of a table after a transaction, and the number of ids that the transaction has chosen; the others were requested. */
interface UsedIds {
  readonly table: string
  readonly nextId: number
  readonly chosen: number
}

/** The first id of each table that gets records, and the ids that are reserved beyond it. */
type Ids = Map<string, [number, ...(readonly number[])]>

/**
 * A transaction that may do anything: it loads and locks what the operations concern, decides by the same rules as every engine, and
 * stores the changes in the same SQL transaction. A dry run reads a snapshot without locks and writes nothing.
 */
export class GeneralTransaction {
  readonly #layout: Layout
  readonly #connection: Connection
  readonly #work: Work
  readonly #tables: LoadedTables
  readonly #loader: Loader

  constructor(layout: Layout, connection: Connection, work: Work) {
    this.#layout = layout
    this.#connection = connection
    this.#work = work
    this.#tables = new LoadedTables(layout)
    this.#loader = new Loader(connection, work.mode === 'commit')
  }

  /** Runs the transaction. If the outcome is not `ok`, nothing is written. */
  async run(): Promise<Outcome> {
    const { operations, mode, notes } = this.#work
    const names = tablesOfNewRecords(operations, notes)
    const moved = mode === 'commit' ? await this.#lock(names) : new Set<string>()
    predictNeeds(this.#tables, operations)
    await addCascades(this.#connection, this.#tables, operations)
    const next = await nextIds(
      this.#connection,
      names.map((name) => this.#layout.of(name)),
    )
    const ids: Ids = new Map(names.map((name, index) => [name, [next[index] ?? 1]]))
    const decided = await this.#decide(ids)
    if (!decided.outcome.ok || mode === 'rehearse') return this.#completed(decided.outcome)
    const outcome = this.#completed(await this.#withReservedIds(decided.outcome, decided.used, ids, moved))
    if (outcome.ok) await this.#store(outcome)
    return outcome
  }

  /**
   * Takes the locks by which concurrent transactions wait for each other, in the same order in all of them: ids, tables, unique values.
   *
   * @returns the tables whose sequences a requested id may move
   */
  async #lock(names: readonly string[]): Promise<ReadonlySet<string>> {
    const { operations } = this.#work
    const requested = new Map<string, number>()
    for (const operation of operations) {
      if (operation.kind !== 'insert' || operation.id === undefined || !Number.isSafeInteger(operation.id)) continue
      requested.set(operation.table, Math.max(requested.get(operation.table) ?? 0, operation.id))
    }
    const candidates = [...requested].map(([table, highest]) => ({ layout: this.#layout.of(table), highest }))
    const next = await nextIds(
      this.#connection,
      candidates.map(({ layout }) => layout),
    )
    const moving = candidates.flatMap(({ layout, highest }, index) => (highest >= (next[index] ?? 1) ? [layout] : []))
    await lockIds(this.#connection, moving)
    const moved = new Set(moving.map(({ model }) => model.key))
    const others = names.filter((name) => !moved.has(name)).map((name) => idLock(this.#layout.of(name)))
    const setting = this.#work.isContinued === true ? [] : operations
    const exclusive = uniqueLocks(
      this.#layout,
      setting.flatMap((operation) => (operation.kind === 'remove' || operation.kind === 'assert' ? [] : [operation])),
    )
    const locks = { shared: others.sort(), exclusive }
    if (hasLocks(locks)) await this.#connection.query(takeLocks(locks))
    return moved
  }

  /** Runs the operations on the loaded records, until all records that they read are loaded. */
  async #decide(ids: Ids): Promise<{ outcome: Outcome; used: readonly UsedIds[] }> {
    const { operations, notes } = this.#work
    for (;;) {
      await this.#loader.load(this.#tables)
      for (const [name, given] of ids) this.#tables.get(name).setIds(given)
      const transaction = new Transaction(this.#tables, this.#layout.registry)
      const outcome = await runInSlices(transaction.steps(operations, notes))
      if (!this.#tables.needsNothing) continue
      const used: UsedIds[] = []
      transaction.eachNextId((table, nextId, chosen) => used.push({ table, nextId, chosen }))
      return { outcome, used }
    }
  }

  /** Reserves the ids of new records. If others took some of them meanwhile, the operations run again with those that are reserved. */
  async #withReservedIds(outcome: Outcome, used: readonly UsedIds[], ids: Ids, moved: ReadonlySet<string>): Promise<Outcome> {
    for (const { table, nextId } of used) {
      if (moved.has(table) && nextId > (ids.get(table)?.[0] ?? nextId))
        await moveSequence(this.#connection, this.#layout.of(table), nextId)
    }
    const others = used.filter(({ table, chosen }) => !moved.has(table) && chosen > 0)
    const reserved = await reserveIds(
      this.#connection,
      others.map(({ table, chosen }) => ({ layout: this.#layout.of(table), count: chosen })),
    )
    const given = new Map(ids)
    let areExpected = true
    for (const [index, { table }] of others.entries()) {
      const [first = 1, ...rest] = reserved[index] ?? []
      const expected = ids.get(table)?.[0] ?? 1
      given.set(table, [first, ...rest])
      areExpected &&= [first, ...rest].every((id, position) => id === expected + position)
    }
    return areExpected ? outcome : (await this.#decide(given)).outcome
  }

  /** Events and history entries have only some of their fields. */
  #completed(outcome: Outcome): Outcome {
    const { events, history } = this.#work.notes ?? {}
    if (!outcome.ok || (events === undefined && history === undefined)) return outcome
    const changes = outcome.changes.map((change) => {
      if ((change.table !== events?.table && change.table !== history?.table) || change.after === undefined) return change
      return { ...change, after: completeRecord(this.#layout.of(change.table), change.after) }
    })
    return { ...outcome, changes }
  }

  async #store({ changes }: Accepted): Promise<void> {
    let entry = logEntryOf(this.#layout, this.#work.origin, changes)
    let version: string | undefined
    for (const slice of slicesOf(changes)) {
      const notes = { entry, eventTable: this.#work.notes?.events?.table }
      const { rows } = await this.#connection.query(writeStatement(this.#layout, slice, notes))
      version = rows[0]?.[0] ?? undefined
      entry = undefined
    }
    for (const { table, before, after } of changes) {
      if (after === undefined) continue
      const { model } = this.#layout.of(table)
      const isWritten = before === undefined || [...model.fields.keys()].some((name) => differs({ before, after }, name))
      const known = isWritten ? version : before === undefined ? undefined : rowVersionOf(before)
      if (known !== undefined) rememberRowVersion(after, known)
    }
  }
}
