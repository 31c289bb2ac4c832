import { basename } from 'node:path'
import type { Disk } from '../files/disk.ts'
import { countEntriesAfter, type JournalEntry, readEntries } from './format.ts'
import { endOf, firstOf, type JournalEnd, journalFiles, strayEnd } from './journal.ts'

/** A finding in a data folder. An error prevents a start; a warning is repaired automatically. */
export interface Finding {
  readonly level: 'error' | 'warning'
  readonly file: string
  readonly message: string
}

/** The readable part of a journal file. */
export interface JournalFile {
  readonly file: string
  readonly bytes: number
  /** Number of transactions before the first damage. */
  readonly transactions: number
}

/** All journal files of a folder, damaged or not. */
export interface JournalSurvey {
  readonly files: readonly JournalFile[]
  /** The transactions after the snapshot, up to the first damage. */
  readonly entries: readonly JournalEntry[]
  readonly last: number
  readonly findings: readonly Finding[]
}

/**
 * Reads what is readable of a folder's journal.
 *
 * @param sequence the last transaction of the snapshot; undefined if unknown
 */
export async function surveyJournal(folder: string, disk: Disk, sequence: number | undefined): Promise<JournalSurvey> {
  const files: JournalFile[] = []
  const entries: JournalEntry[] = []
  const findings: Finding[] = []
  const paths = await journalFiles(folder, disk)
  let last = sequence ?? firstOf(paths[0] ?? 'journal.1.log') - 1
  let end: JournalEnd | undefined
  let torn: { readonly file: string; readonly goodLength: number; readonly length: number } | undefined
  let isWhole = true
  const fault = (file: string, message: string) => {
    isWhole = false
    findings.push({ level: 'error', file, message })
  }
  for (const path of paths) {
    const file = basename(path)
    const bytes = await disk.readBytes(path)
    const { entries: good, validLength: goodLength, rest } = readEntries(bytes, firstOf(path))
    files.push({ file, bytes: bytes.length, transactions: good.length })
    end = endOf(path, good) ?? end
    if (torn !== undefined && bytes.length > 0) {
      fault(torn.file, `is damaged at byte ${torn.goodLength}, and ${file} goes on behind it`)
      torn = undefined
    }
    if (firstOf(path) > last + 1 && isWhole) {
      fault(file, `begins with transaction ${firstOf(path)}, but the last one before it is ${last}`)
    }
    for (const entry of isWhole ? good : []) {
      if (entry.sequence <= last) continue
      entries.push(entry)
      last = entry.sequence
    }
    if (rest === 'damaged') {
      const behind = countEntriesAfter(bytes, goodLength)
      fault(file, `is damaged at byte ${goodLength}, with ${behind} good transactions behind it`)
    } else if (rest === 'torn') torn = { file, goodLength, length: bytes.length }
  }
  if (torn !== undefined) {
    const what = `the last ${torn.length - torn.goodLength} bytes, from byte ${torn.goodLength}, are of a write that was never finished`
    findings.push({ level: 'warning', file: torn.file, message: `${what}; the next start cuts them off` })
  }
  const stray = sequence === undefined ? undefined : strayEnd(end, sequence)
  if (stray !== undefined && end !== undefined) fault(basename(end.path), stray)
  return { files, entries, last, findings }
}
