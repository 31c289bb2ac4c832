import { once } from 'node:events'
import { startThread } from '../../../util/own-modules.ts'
import type { StoredRecord } from '../../store.ts'
import type { Disk } from './disk.ts'
import { readJournal } from './journal.ts'
import { openSnapshot, snapshotSize, thenClose, writeSnapshot } from './recovery.ts'
import { JournalOverlay, type TableOverlay } from './replay.ts'
import type { Snapshot } from './snapshot.ts'
import { countLines, idAt, lineOf, linesIn, linesOf, NEWLINE, type SnapshotPart } from './snapshot-lines.ts'

/** A compaction as plain data, which can be posted to another thread. */
export interface CompactionTask {
  readonly folder: string
  /** First transaction of the journal file being written, which is left alone. */
  readonly before?: number
  /** Name of that file, which the new snapshot names; undefined if it does not exist. */
  readonly journal?: string | undefined
}

/** Result of a compaction. */
export interface CompactionResult {
  readonly bytes: number
}

/** Runs a compaction, here or in another thread. */
export type CompactionRunner = (task: CompactionTask) => Promise<CompactionResult>

/**
 * Compacts the journal of a folder into its snapshot, file to file: memory depends on the size of the journal only. If it fails
 * the journal stays, and no data is lost.
 *
 * @throws {Error} if the snapshot was edited: the next start must validate it first
 */
export async function compactFiles({ folder, before, journal }: CompactionTask, disk: Disk): Promise<CompactionResult> {
  return thenClose(await openSnapshot(folder, disk), async (snapshot) => {
    if (snapshot.file !== undefined && snapshot.file.origin !== 'ours') {
      throw new Error('db.json was changed by another program; the next start validates it')
    }
    const range = { sequence: snapshot.sequence, before, expected: snapshot.journal }
    const { entries, last, paths, torn } = await readJournal(folder, disk, range)
    if (torn !== undefined) throw new Error(`${torn.path} ends with an unfinished write`)
    const overlay = new JournalOverlay(entries)
    return compact(folder, disk, { snapshot, overlay, sequence: last, covered: paths, journal })
  })
}

/** Input of a compaction. */
interface CompactionInput {
  /** A snapshot with a valid checksum, or a validated one. */
  readonly snapshot: Snapshot
  readonly overlay: JournalOverlay
  /** The last transaction of the overlay. */
  readonly sequence: number
  /** Journal files that the new snapshot replaces, oldest first. */
  readonly covered: readonly string[]
  /** Name of the journal file that goes on, if there is one. */
  readonly journal?: string | undefined
  /** True if the snapshot's file holds former names. */
  readonly isRenamed?: boolean
  /** The tables to keep; all of them by default. */
  readonly tables?: ReadonlySet<string>
}

/** Writes the new snapshot, unless it equals the present one, and removes the journal files that it replaces. */
export async function compact(
  folder: string,
  disk: Disk,
  { snapshot, overlay, sequence, covered, journal, isRenamed = false, tables }: CompactionInput,
): Promise<CompactionResult> {
  const isUnchanged = (snapshot.file === undefined || snapshot.file.origin === 'ours') && snapshot.journal === journal
  if (!isUnchanged || isRenamed || sequence !== snapshot.sequence || tables !== undefined) {
    const parts = mergedParts(snapshot, overlay)
    await writeSnapshot(folder, disk, { sequence, journal, parts: tables === undefined ? parts : only(tables, parts) })
  }
  for (const [index, path] of covered.entries()) {
    // Each removal is durable before the next: a journal that ends before its snapshot would be rejected as belonging to other
    // data.
    if (index > 0) await disk.syncFolder(folder)
    await disk.remove(path)
  }
  return { bytes: await snapshotSize(folder) }
}

/** The parts of a snapshot, with a valid checksum or validated, merged with the journal: tables, and their records as lines. */
export function mergedParts(snapshot: Snapshot, overlay: JournalOverlay): AsyncIterable<SnapshotPart> {
  const isOurs = snapshot.file === undefined || snapshot.file.origin === 'ours'
  return merge(isOurs ? snapshot.parts : canonical(snapshot.parts), overlay)
}

/** The parts of some tables. */
async function* only(tables: ReadonlySet<string>, parts: AsyncIterable<SnapshotPart>): AsyncGenerator<SnapshotPart> {
  let isKept = false
  for await (const part of parts) {
    if (part.kind === 'table') isKept = tables.has(part.name)
    if (isKept) yield part
  }
}

/** The parts of a validated snapshot as lines that begin with their ids, which `merge` requires. */
async function* canonical(parts: AsyncIterable<SnapshotPart>): AsyncGenerator<SnapshotPart> {
  for await (const part of parts) {
    if (part.kind === 'lines') yield { ...part, lines: canonicalLines(part.lines) }
    else if (part.kind === 'table') yield part
    else yield { kind: 'lines', lines: Buffer.from(linesOf(part.records)), line: 0 }
  }
}

function canonicalLines(lines: Buffer): Buffer {
  const pieces: Buffer[] = []
  let isCanonical = true
  for (const { start, end } of linesIn(lines)) {
    const piece = lines.subarray(start, end)
    const startsWithId = idAt(lines, start) !== undefined
    isCanonical &&= startsWithId
    pieces.push(startsWithId ? piece : Buffer.from(lineOf(JSON.parse(piece.toString()) as StoredRecord)))
  }
  return isCanonical ? lines : joinLines(pieces)
}

/** Number of records in a snapshot with a valid checksum. */
export async function countRecords({ parts }: Snapshot): Promise<number> {
  let count = 0
  for await (const part of parts) {
    if (part.kind !== 'table') count += part.kind === 'lines' ? countLines(part.lines) : part.records.length
  }
  return count
}

/** Records serialised at a time. */
const BATCH = 1000

const SEPARATOR = Buffer.from(',\n')

/**
 * Merges an overlay into a snapshot, in id order. Untouched lines are copied unparsed.
 *
 * @param parts lines that begin with their ids, ascending except for records of an unordered overlay
 */
async function* merge(parts: AsyncIterable<SnapshotPart>, overlay: JournalOverlay): AsyncGenerator<SnapshotPart> {
  const remaining = new Map(overlay.tables)
  let table: TableMerge | undefined
  for await (const part of parts) {
    if (part.kind === 'table') {
      if (table !== undefined) yield* table.rest()
      const tableOverlay = remaining.get(part.name)
      remaining.delete(part.name)
      table = new TableMerge(tableOverlay)
      yield { ...part, nextId: Math.max(part.nextId, tableOverlay?.nextId ?? 1) }
    } else if (part.kind === 'lines' && table !== undefined) {
      const lines = table.mergeInto(part.lines)
      if (lines.length > 0) yield { ...part, lines }
    }
  }
  if (table !== undefined) yield* table.rest()
  for (const [name, tableOverlay] of remaining) {
    yield { kind: 'table', name, nextId: tableOverlay.nextId }
    yield* new TableMerge(tableOverlay).rest()
  }
}

/** The merge of one table. */
class TableMerge {
  readonly #records: ReadonlyMap<number, StoredRecord | null>
  readonly #isUnordered: boolean
  /** Ids of the overlay in ascending order, and how many of them are merged. */
  readonly #ids: Float64Array
  #done = 0

  constructor(overlay: TableOverlay | undefined) {
    this.#records = overlay?.records ?? new Map()
    this.#isUnordered = overlay?.isUnordered ?? false
    this.#ids = Float64Array.from(this.#records.keys()).sort()
  }

  /** Merges the overlay into some lines of the snapshot. */
  mergeInto(lines: Buffer): Buffer {
    const last = idAt(lines, lines.lastIndexOf(NEWLINE) + 1) ?? 0
    if (!this.#isUnordered && last < this.#next()) return lines
    const pieces: Buffer[] = []
    // Untouched lines are copied in runs, which begin at `runStart`; -1 outside a run.
    let runStart = -1
    const copyRun = (end: number) => {
      if (runStart !== -1) pieces.push(lines.subarray(runStart, end))
      runStart = -1
    }
    let previousEnd = 0
    for (const { start, end } of linesIn(lines)) {
      const id = idAt(lines, start) ?? 0
      if (this.#next() <= id || this.#records.has(id)) {
        copyRun(previousEnd)
        this.#addUntil(id, pieces)
      }
      if (!this.#records.has(id) && runStart === -1) runStart = start
      previousEnd = end
    }
    copyRun(previousEnd)
    return joinLines(pieces)
  }

  /** The records with ids after the last line. */
  *rest(): Generator<SnapshotPart> {
    while (this.#done < this.#ids.length) {
      const pieces: Buffer[] = []
      this.#addUntil(this.#ids[this.#done + BATCH] ?? Number.POSITIVE_INFINITY, pieces)
      if (pieces.length > 0) yield { kind: 'lines', lines: joinLines(pieces), line: 0 }
    }
  }

  /** The next id of the overlay to merge. */
  #next(): number {
    return this.#ids[this.#done] ?? Number.POSITIVE_INFINITY
  }

  /** Adds the records of the overlay with ids below `id`. */
  #addUntil(id: number, pieces: Buffer[]): void {
    for (; this.#next() < id; this.#done++) {
      const record = this.#records.get(this.#next())
      if (record !== null && record !== undefined) pieces.push(Buffer.from(lineOf(record)))
    }
  }
}

/** Joins buffers by a comma and a newline. */
function joinLines(pieces: readonly Buffer[]): Buffer {
  return Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [SEPARATOR, piece])))
}

/** Compacts in a worker thread, so that requests do not wait. */
export const compactInThread: CompactionRunner = async (task) => {
  const worker = startThread('store/embedded/files/compact-worker', task)
  const exited = once(worker, 'exit').then(([code]) => {
    throw new Error(`The compaction thread exited with code ${code}`)
  })
  const [result] = await Promise.race([once(worker, 'message'), exited])
  return result
}
