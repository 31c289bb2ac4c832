import type { StoredRecord } from '../../store.ts'
import type { Disk } from '../files/disk.ts'
import { readJournal } from '../journal/journal.ts'
import { openSnapshot, snapshotIn, snapshotSize } from '../recovery/recovery.ts'
import { countLines, idAt, lineOf, linesIn, type SnapshotPart } from '../snapshot/layout.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { JournalOverlay } from './journal-overlay.ts'
import { joined, merge } from './merge.ts'

/** Which journal to fold into which snapshot: plain data, so that it may travel to another thread. */
export interface CompactionTask {
  readonly folder: string
  /** The journal that begins with this transaction is being written to, and left alone. */
  readonly before?: number
}

/** What folding left behind. */
export interface CompactionResult {
  readonly bytes: number
}

/** Runs a task here or elsewhere. */
export type CompactionRunner = (task: CompactionTask) => Promise<CompactionResult>

/**
 * Folds the journal of a folder into its snapshot, from file to file: what memory it takes depends on the journal alone.
 * When it fails, the journal stays, and nothing is lost.
 *
 * @throws {Error} when the snapshot is not as it was written: it has to be judged first, as the next start does
 */
export async function compactFiles({ folder, before }: CompactionTask, disk: Disk): Promise<CompactionResult> {
  const snapshot = await openSnapshot(folder, disk)
  try {
    if (snapshot.file !== undefined && snapshot.file.origin !== 'ours') {
      throw new Error('db.json was changed by somebody else; the next start looks at it')
    }
    const { entries, last, paths, torn } = await readJournal(folder, disk, snapshot.sequence, before)
    if (torn !== undefined) throw new Error(`${torn.path} ends with a write that was never finished`)
    return await compact(folder, disk, { snapshot, overlay: new JournalOverlay(entries), sequence: last, covered: paths })
  } finally {
    await snapshot.file?.close()
  }
}

/** What is to become of a snapshot. */
export interface CompactionInput {
  /** One that may be believed: it is as it was written, or was judged. */
  readonly snapshot: Snapshot
  readonly overlay: JournalOverlay
  /** The last transaction of the overlay. */
  readonly sequence: number
  /** The journal files that the new snapshot makes superfluous, oldest first. */
  readonly covered: readonly string[]
}

/** Writes the new snapshot, unless it would be the old one, and removes the journal files that it covers. */
export async function compact(
  folder: string,
  disk: Disk,
  { snapshot, overlay, sequence, covered }: CompactionInput,
): Promise<CompactionResult> {
  const isOurs = snapshot.file === undefined || snapshot.file.origin === 'ours'
  if (!isOurs || sequence !== snapshot.sequence) {
    const low = snapshotIn(folder, disk)
    low.data = { sequence, parts: merge(isOurs ? snapshot.parts : canonical(snapshot.parts), overlay) }
    await low.write()
  }
  for (const [index, path] of covered.entries()) {
    // Each is gone for good before the next one goes: a journal that ends before its snapshot is taken for a stranger's.
    if (index > 0) await disk.syncFolder(folder)
    await disk.remove(path)
  }
  return { bytes: await snapshotSize(folder) }
}

/** How many records are turned into lines at a time. */
const BATCH = 1000

/** The parts of a judged snapshot, with every line as we would have begun it. */
async function* canonical(parts: AsyncIterable<SnapshotPart>): AsyncGenerator<SnapshotPart> {
  for await (const part of parts) {
    if (part.kind === 'lines') yield { ...part, lines: canonicalLines(part.lines) }
    else if (part.kind === 'table') yield part
    else {
      for (let from = 0; from < part.records.length; from += BATCH) {
        const batch = part.records.slice(from, from + BATCH) as StoredRecord[]
        yield { kind: 'lines', lines: Buffer.from(batch.map(lineOf).join(',\n')), line: 0 }
      }
    }
  }
}

function canonicalLines(lines: Buffer): Buffer {
  const pieces: Buffer[] = []
  let isCanonical = true
  for (const { start, end } of linesIn(lines)) {
    const piece = lines.subarray(start, end)
    const isGood = idAt(lines, start) !== undefined
    isCanonical &&= isGood
    pieces.push(isGood ? piece : Buffer.from(lineOf(JSON.parse(piece.toString()) as StoredRecord)))
  }
  return isCanonical ? lines : joined(pieces)
}

/** How many records a snapshot that may be believed holds. */
export async function countRecords({ parts }: Snapshot): Promise<number> {
  let count = 0
  for await (const part of parts) {
    if (part.kind !== 'table') count += part.kind === 'lines' ? countLines(part.lines) : part.records.length
  }
  return count
}
