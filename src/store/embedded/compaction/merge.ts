import type { StoredRecord } from '../../store.ts'
import { idAt, lineOf, linesIn, NEWLINE, type SnapshotPart } from '../snapshot/layout.ts'
import type { JournalOverlay, TableOverlay } from './journal-overlay.ts'

/** Records serialised at a time. */
const BATCH = 1000

const SEPARATOR = Buffer.from(',\n')

/**
 * Merges an overlay into a snapshot, in id order. Untouched lines are copied unparsed.
 *
 * @param parts lines that begin with their ids, ascending except for records of an unordered overlay
 */
export async function* merge(parts: AsyncIterable<SnapshotPart>, overlay: JournalOverlay): AsyncGenerator<SnapshotPart> {
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
    // Untouched lines are copied in runs, which begin at `runStart`; -1 if there is none.
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
export function joinLines(pieces: readonly Buffer[]): Buffer {
  return Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [SEPARATOR, piece])))
}
