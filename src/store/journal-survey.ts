import { basename } from 'node:path'
import type { Disk } from './disk.ts'
import { firstOf, journalFiles } from './journal.ts'
import { countEntriesAfter, type JournalEntry, readEntries } from './journal-format.ts'

/** Something that a data folder should not hold. An error keeps a server from starting; a warning it deals with by itself. */
export interface Finding {
  readonly level: 'error' | 'warning'
  readonly file: string
  readonly message: string
}

/** One journal file, as far as it can be read. */
export interface JournalFile {
  readonly file: string
  readonly bytes: number
  /** How many transactions it holds before the first damage. */
  readonly transactions: number
}

/** All journal files of a folder, damaged or not. */
export interface JournalSurvey {
  readonly files: readonly JournalFile[]
  /** The transactions behind the snapshot, up to the first damage. */
  readonly entries: readonly JournalEntry[]
  readonly last: number
  readonly findings: readonly Finding[]
}

/**
 * Reads what can be read of a folder's journal.
 *
 * @param sequence the last transaction of the snapshot; undefined when nobody knows
 */
export async function surveyJournal(folder: string, disk: Disk, sequence: number | undefined): Promise<JournalSurvey> {
  const paths = await journalFiles(folder, disk)
  const files: JournalFile[] = []
  const entries: JournalEntry[] = []
  const findings: Finding[] = []
  let last = sequence ?? firstOf(paths[0] ?? 'journal.1.log') - 1
  let isWhole = true
  for (const [index, path] of paths.entries()) {
    const file = basename(path)
    const bytes = await disk.readBytes(path)
    const { entries: good, goodLength, rest } = readEntries(bytes, firstOf(path))
    files.push({ file, bytes: bytes.length, transactions: good.length })
    const isDamaged = rest === 'damaged' || (rest === 'torn' && index < paths.length - 1)
    if (firstOf(path) > last + 1 && isWhole) {
      isWhole = false
      findings.push({
        level: 'error',
        file,
        message: `begins with transaction ${firstOf(path)}, but the last one before it is ${last}`,
      })
    }
    for (const entry of isWhole ? good : []) {
      if (entry.sequence <= last) continue
      entries.push(entry)
      last = entry.sequence
    }
    if (isDamaged) {
      isWhole = false
      const behind = countEntriesAfter(bytes, goodLength)
      findings.push({
        level: 'error',
        file,
        message: `is damaged at byte ${goodLength}, with ${behind} good transactions behind it`,
      })
    } else if (rest === 'torn') {
      const torn = bytes.length - goodLength
      findings.push({
        level: 'warning',
        file,
        message: `the last ${torn} bytes, from byte ${goodLength}, are of a write that was never finished; the next start cuts them off`,
      })
    }
  }
  return { files, entries, last, findings }
}
