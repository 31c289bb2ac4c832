import type { Registry } from '../../../model/registry.ts'
import type { StoredRecord } from '../../store.ts'
import { JournalOverlay } from '../compaction/journal-overlay.ts'
import type { JournalEntry } from '../journal/format.ts'
import type { SnapshotPart } from '../snapshot/layout.ts'
import { parseLines, StrayLine } from '../snapshot/lines.ts'
import type { Origin, Snapshot } from '../snapshot/snapshot.ts'
import type { Table } from '../tables/table.ts'
import { StoredDataValidator, type TableValidator, type ValidationResult } from './validator.ts'

/** Who takes the records of a data folder: tables in memory, or nobody. */
export interface RecordConsumer {
  /** Called before the first table. The file may have to be read anew in another way: what was taken until then is void. */
  begin?(): void
  /**
   * A table, and its next id. Called twice for a table over which something lies: what came first stays.
   *
   * @returns who takes its records; undefined: nobody wants them
   */
  table(name: string, nextId: number): ((record: StoredRecord) => void) | undefined
}

/** Takes nothing. */
export const ignoreRecords: RecordConsumer = { table: () => undefined }

/** What was poured. */
export interface ReplayResult {
  /** The snapshot, in parts that were found to be what they seem. */
  readonly snapshot: Snapshot
  readonly overlay: JournalOverlay
  /** How many records each table has in the end; of a table that nobody looks into, 0. */
  readonly tables: ReadonlyMap<string, number>
  /** What a judge found, if one was asked. */
  readonly judgement: ValidationResult | undefined
}

type JudgeFor = (origin: Origin) => StoredDataValidator | undefined

/** What is as we wrote it was judged when it was written. */
export const validatorForEdited =
  (registry: Registry | undefined): JudgeFor =>
  (origin) =>
    origin === 'ours' ? undefined : new StoredDataValidator(registry)

/**
 * Gives all records of a snapshot with its journal to a sink: each once, as it is in the end.
 *
 * @param judgeFor makes who judges a file of this origin, if anybody does
 * @throws {AppError} DATA_CORRUPT when the file cannot be read
 */
export async function replay(
  snapshot: Snapshot,
  entries: readonly JournalEntry[],
  sink: RecordConsumer,
  judgeFor: JudgeFor,
): Promise<ReplayResult> {
  try {
    return await replayOnce(snapshot, entries, sink, judgeFor)
  } catch (error) {
    if (!(error instanceof StrayLine) || snapshot.file === undefined) throw error
    return replayOnce(await snapshot.file.document(error), entries, sink, judgeFor)
  }
}

async function replayOnce(
  snapshot: Snapshot,
  entries: readonly JournalEntry[],
  sink: RecordConsumer,
  judgeFor: JudgeFor,
): Promise<ReplayResult> {
  sink.begin?.()
  const overlay = new JournalOverlay(entries)
  const overlaid = new Map([...overlay.tables].map(([name, { records }]) => [name, new Map(records)]))
  const judge = judgeFor(snapshot.file?.origin ?? 'ours')
  const tables = new Map<string, number>()
  let open: OpenTable | undefined
  const end = () => {
    if (open !== undefined) tables.set(open.name, open.end(overlay))
  }
  for await (const part of snapshot.parts) {
    if (part.kind === 'table') {
      end()
      open = new OpenTable(part, overlaid.get(part.name), sink, judge?.table(part.name, part.line))
    } else open?.take(part)
  }
  end()
  for (const [name, { nextId }] of overlay.tables) {
    let count = tables.get(name) ?? 0
    const put = sink.table(name, nextId)
    for (const record of overlaid.get(name)?.values() ?? []) {
      if (record === null) continue
      count++
      judge?.ours(name, record)
      put?.(Object.freeze(record))
    }
    tables.set(name, count)
  }
  return { snapshot, overlay, tables, judgement: judge?.finish() }
}

/** The table that is being poured. */
class OpenTable {
  readonly name: string
  readonly #nextId: number
  readonly #overlaid: ReadonlyMap<number, unknown> | undefined
  readonly #judge: TableValidator | undefined
  readonly #put: ((record: StoredRecord) => void) | undefined
  readonly #displaced: StoredRecord[] = []
  #highest = 0
  #given = 0

  constructor(
    { name, nextId }: SnapshotPart & { kind: 'table' },
    overlaid: ReadonlyMap<number, unknown> | undefined,
    sink: RecordConsumer,
    judge: TableValidator | undefined,
  ) {
    this.name = name
    this.#nextId = nextId
    this.#overlaid = overlaid
    this.#judge = judge
    this.#put = sink.table(name, nextId)
  }

  take(part: SnapshotPart & { kind: 'lines' | 'records' }): void {
    if (this.#judge !== undefined) this.#judgeAll(part.kind === 'lines' ? parseLines(part.lines, part.line) : part.records)
    else if (this.#put !== undefined && part.kind === 'lines') {
      // Nobody's table is not even parsed.
      for (const record of parseLines(part.lines) as StoredRecord[]) this.#give(record)
    }
  }

  #judgeAll(values: readonly unknown[]): void {
    for (const value of values) {
      const record = this.#judge?.record(value, this.#overlaid?.has((value as { id?: number } | null)?.id ?? 0) === true)
      if (record === undefined) continue
      if (record.id < this.#highest) this.#displaced.push(record)
      else this.#highest = record.id
      this.#give(idFirst(record))
    }
  }

  #give(record: StoredRecord): void {
    if (this.#overlaid?.has(record.id) === true) return
    this.#given++
    this.#put?.(Object.freeze(record))
  }

  /**
   * Tells the overlay what in a file that was made by hand is not as it should be in ours.
   *
   * @returns how many records there were
   */
  end(overlay: JournalOverlay): number {
    if (this.#highest >= this.#nextId) overlay.raiseNextId(this.name, this.#highest + 1)
    for (const record of this.#displaced) overlay.displace(this.name, record)
    return this.#given
  }
}

/** The record as it will stand in the file, so that it is the same after the next start, and so is its version. */
function idFirst(record: StoredRecord): StoredRecord {
  for (const key in record)
    if (key === 'id') return record
    else break
  const { id, ...others } = record
  return { id, ...others }
}

/** Puts records into a table of the engine; into none, when the model is not registered at present: they stay in the file. */
export function tableLoader(table: Table | undefined, nextId: number): ((record: StoredRecord) => void) | undefined {
  if (table === undefined) return undefined
  table.nextId = Math.max(table.nextId, nextId)
  return (record) => table.replace(record.id, record)
}
