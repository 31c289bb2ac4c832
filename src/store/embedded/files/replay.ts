import type { Registry } from '../../../model/registry.ts'
import type { StoredRecord } from '../../store.ts'
import type { Table } from '../tables/table.ts'
import type { JournalEntry } from './journal-format.ts'
import { Renaming } from './renaming.ts'
import type { Origin, Snapshot } from './snapshot.ts'
import { LayoutError, parseLines, type SnapshotPart } from './snapshot-lines.ts'
import { StoredDataValidator, type TableValidator, type ValidationResult } from './validator.ts'

/** Receives the records of a data folder. */
export interface RecordConsumer {
  /** Called before the first table. Called again if the file has to be read in another way; earlier records are void then. */
  begin?(): void
  /**
   * Starts a table with its next id. Called twice for a table that the journal touches; earlier records stay valid.
   *
   * @returns receives the table's records; undefined to skip them
   */
  table(name: string, nextId: number): ((record: StoredRecord) => void) | undefined
}

/** Discards all records. */
export const ignoreRecords: RecordConsumer = { table: () => undefined }

/** Result of a replay. */
export interface ReplayResult {
  /** The snapshot, in parts whose layout was verified. */
  readonly snapshot: Snapshot
  readonly overlay: JournalOverlay
  /** Final number of records of each table; 0 for skipped tables. */
  readonly tables: ReadonlyMap<string, number>
  /** Renames of models and fields that were found in the data; the files hold the former names. */
  readonly renamed: readonly string[]
  /** Result of the validation, if there was one. */
  readonly validation: ValidationResult | undefined
}

type ValidatorFor = (origin: Origin) => StoredDataValidator | undefined

/** Files with a matching checksum were validated when they were written. */
export const validatorForEdited =
  (registry: Registry | undefined): ValidatorFor =>
  (origin) =>
    origin === 'ours' ? undefined : new StoredDataValidator(registry)

/**
 * Streams the final state of every record: the snapshot merged with the journal.
 *
 * @param validatorFor returns the validator for a file of this origin, if it needs one
 * @param renaming the renames to apply; none by default
 * @throws {AppError} DATA_CORRUPT if the file cannot be read, RENAME_CONFLICT
 */
export async function replay(
  snapshot: Snapshot,
  entries: readonly JournalEntry[],
  consumer: RecordConsumer,
  validatorFor: ValidatorFor,
  renaming = new Renaming(undefined),
): Promise<ReplayResult> {
  try {
    return await replayOnce(snapshot, entries, consumer, validatorFor, renaming)
  } catch (error) {
    if (!(error instanceof LayoutError) || snapshot.file === undefined) throw error
    return replayOnce(await snapshot.file.document(error), entries, consumer, validatorFor, renaming)
  }
}

async function replayOnce(
  stored: Snapshot,
  journal: readonly JournalEntry[],
  consumer: RecordConsumer,
  validatorFor: ValidatorFor,
  renaming: Renaming,
): Promise<ReplayResult> {
  consumer.begin?.()
  const { snapshot, entries } = await renaming.apply(stored, journal)
  const overlay = new JournalOverlay(entries)
  const changed = new Map([...overlay.tables].map(([name, { records }]) => [name, new Map(records)]))
  const validator = validatorFor(snapshot.file?.origin ?? 'ours')
  const tables = new Map<string, number>()
  let open: TableReplay | undefined
  const end = () => {
    if (open !== undefined) tables.set(open.name, open.end(overlay))
  }
  for await (const part of snapshot.parts) {
    if (part.kind === 'table') {
      end()
      open = new TableReplay(part, changed.get(part.name), consumer, validator?.table(part.name, part.line))
    } else open?.add(part)
  }
  end()
  for (const [name, { nextId }] of overlay.tables) {
    let count = tables.get(name) ?? 0
    const receive = consumer.table(name, nextId)
    for (const record of changed.get(name)?.values() ?? []) {
      if (record === null) continue
      count++
      validator?.journalRecord(name, record)
      receive?.(Object.freeze(record))
    }
    tables.set(name, count)
  }
  return { snapshot, overlay, tables, renamed: renaming.messages, validation: validator?.finish() }
}

/** The table being replayed. */
class TableReplay {
  readonly name: string
  readonly #nextId: number
  /** The records that the journal changes, by id. */
  readonly #changed: ReadonlyMap<number, unknown> | undefined
  readonly #validator: TableValidator | undefined
  readonly #receive: ((record: StoredRecord) => void) | undefined
  readonly #unordered: StoredRecord[] = []
  #highest = 0
  #count = 0

  constructor(
    { name, nextId }: SnapshotPart & { kind: 'table' },
    changed: ReadonlyMap<number, unknown> | undefined,
    consumer: RecordConsumer,
    validator: TableValidator | undefined,
  ) {
    this.name = name
    this.#nextId = nextId
    this.#changed = changed
    this.#validator = validator
    this.#receive = consumer.table(name, nextId)
  }

  add(part: SnapshotPart & { kind: 'lines' | 'records' }): void {
    if (this.#validator !== undefined) this.#validateAll(part.kind === 'lines' ? parseLines(part.lines, part.line) : part.records)
    else if (this.#receive !== undefined && part.kind === 'lines') {
      // Skipped tables are not parsed.
      for (const record of parseLines(part.lines) as StoredRecord[]) this.#emit(record)
    }
  }

  #validateAll(values: readonly unknown[]): void {
    for (const value of values) {
      const record = this.#validator?.record(value, this.#changed?.has((value as { id?: number } | null)?.id ?? 0) === true)
      if (record === undefined) continue
      if (record.id < this.#highest) this.#unordered.push(record)
      else this.#highest = record.id
      this.#emit(idFirst(record))
    }
  }

  #emit(record: StoredRecord): void {
    if (this.#changed?.has(record.id) === true) return
    this.#count++
    this.#receive?.(Object.freeze(record))
  }

  /**
   * Ends the table. Adds to the overlay what an edited file lacks: the next id, and the id order of records.
   *
   * @returns number of records
   */
  end(overlay: JournalOverlay): number {
    if (this.#highest >= this.#nextId) overlay.raiseNextId(this.name, this.#highest + 1)
    for (const record of this.#unordered) overlay.addUnordered(this.name, record)
    return this.#count
  }
}

/** Puts the id first, as in the file, so that the version is the same after a restart. */
function idFirst(record: StoredRecord): StoredRecord {
  for (const key in record)
    if (key === 'id') return record
    else break
  const { id, ...others } = record
  return { id, ...others }
}

/** Loads records into a table of the engine. Records of models that the project does not have stay in the file. */
export function tableLoader(table: Table | undefined, nextId: number): ((record: StoredRecord) => void) | undefined {
  if (table === undefined) return undefined
  table.nextId = Math.max(table.nextId, nextId)
  return (record) => table.replace(record.id, record)
}

/** The journal's changes of one table. */
export interface TableOverlay {
  nextId: number
  /** The final record of each id; null if it was removed. */
  readonly records: Map<number, StoredRecord | null>
  /** True if the snapshot contains some of these records out of id order. */
  isUnordered: boolean
}

/** The final state of every record that the journal touches. */
export class JournalOverlay {
  readonly #tables = new Map<string, TableOverlay>()

  constructor(entries: Iterable<JournalEntry>) {
    for (const { changes, nextIds } of entries) {
      for (const [table, id, after] of changes) this.#table(table).records.set(id, after)
      for (const [table, nextId] of Object.entries(nextIds)) this.raiseNextId(table, nextId)
    }
  }

  get tables(): ReadonlyMap<string, TableOverlay> {
    return this.#tables
  }

  /** Raises the next id of a table; a lower value has no effect. */
  raiseNextId(table: string, nextId: number): void {
    const overlay = this.#table(table)
    overlay.nextId = Math.max(overlay.nextId, nextId)
  }

  /** Adds a record that the snapshot contains out of id order. */
  addUnordered(table: string, record: StoredRecord): void {
    const overlay = this.#table(table)
    overlay.isUnordered = true
    if (!overlay.records.has(record.id)) overlay.records.set(record.id, record)
  }

  /** The overlay of a table, created if it does not exist. */
  #table(table: string): TableOverlay {
    const overlay = this.#tables.get(table) ?? { nextId: 1, records: new Map(), isUnordered: false }
    this.#tables.set(table, overlay)
    return overlay
  }
}
