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
  const waiting = new Map(overlay.tables)
  let open: TableMerge | undefined
  for await (const part of parts) {
    if (part.kind === 'table') {
      if (open !== undefined) yield* open.rest()
      const over = waiting.get(part.name)
      waiting.delete(part.name)
      open = new TableMerge(over)
      yield { ...part, nextId: Math.max(part.nextId, over?.nextId ?? 1) }
    } else if (part.kind === 'lines' && open !== undefined) {
      const lines = open.over(part.lines)
      if (lines.length > 0) yield { ...part, lines }
    }
  }
  if (open !== undefined) yield* open.rest()
  for (const [name, over] of waiting) {
    yield { kind: 'table', name, nextId: over.nextId }
    yield* new TableMerge(over).rest()
  }
}

/** The merge of one table. */
class TableMerge {
  readonly #records: ReadonlyMap<number, StoredRecord | null>
  readonly #isUnordered: boolean
  /** Ids of the overlay in ascending order; `#next` is the position reached. */
  readonly #ids: Float64Array
  #done = 0

  constructor(merge: TableOverlay | undefined) {
    this.#records = merge?.records ?? new Map()
    this.#isUnordered = merge?.isUnordered ?? false
    this.#ids = Float64Array.from(this.#records.keys()).sort()
  }

  /** Merges some lines of the snapshot with the overlay. */
  over(lines: Buffer): Buffer {
    const last = idAt(lines, lines.lastIndexOf(NEWLINE) + 1) ?? 0
    if (!this.#isUnordered && last < this.#next()) return lines
    const pieces: Buffer[] = []
    let kept = -1
    const keepUntil = (end: number) => {
      if (kept !== -1) pieces.push(lines.subarray(kept, end))
      kept = -1
    }
    let previousEnd = 0
    for (const { start, end } of linesIn(lines)) {
      const id = idAt(lines, start) ?? 0
      if (this.#next() <= id || this.#records.has(id)) {
        keepUntil(previousEnd)
        this.#addUntil(id, pieces)
      }
      if (!this.#records.has(id) && kept === -1) kept = start
      previousEnd = end
    }
    keepUntil(previousEnd)
    return joinLines(pieces)
  }

  /** The records behind the last line. */
  *rest(): Generator<SnapshotPart> {
    while (this.#done < this.#ids.length) {
      const pieces: Buffer[] = []
      this.#addUntil(this.#ids[this.#done + BATCH] ?? Number.POSITIVE_INFINITY, pieces)
      if (pieces.length > 0) yield { kind: 'lines', lines: joinLines(pieces), line: 0 }
    }
  }

  #next(): number {
    return this.#ids[this.#done] ?? Number.POSITIVE_INFINITY
  }

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
