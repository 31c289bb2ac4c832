import { AppError } from '../errors.ts'
import { FILE_TABLE, filesIn, rowOfFileId } from '../model/files.ts'
import type { Registry } from '../model/registry.ts'
import { type BlobStore, isWhole, type KeptBlob } from '../store/blobs/blob-store.ts'
import type { Store } from '../store/store.ts'
import { type ListedFile, listedFile, listFiles } from './file-list.ts'
import { HASHES_AT_ONCE, UNREFERENCED_MS, withoutRows } from './unreferenced.ts'

/**
 * A finding of a check.
 *
 * - `missing`: there are no bytes of a file, or of a hash that a snapshot lists.
 * - `damaged`: bytes have another hash, or cannot be read.
 * - `without_record`: the registry has a file for a record that does not have it.
 * - `without_row`: a record has a file that the registry does not have for it.
 * - `unreferenced`: bytes that no file and no snapshot has, and that are older than 24 hours. They are no fault: a sweep removes them.
 */
export type FileFindingKind = 'missing' | 'damaged' | 'without_record' | 'without_row' | 'unreferenced'

/** What a check has found. */
export interface FileFinding {
  readonly kind: FileFindingKind
  readonly sha256: string
  /** A file with these bytes; undefined if no row and no record has them. */
  readonly file: Pick<ListedFile, 'model' | 'record' | 'field' | 'name'> | undefined
  /** Why bytes cannot be read. */
  readonly reason?: string
}

/** The totals of a check. */
export interface FileTotals {
  /** Rows of the registry. */
  readonly files: number
  /** Kept hashes, and their size in bytes. */
  readonly contents: number
  readonly bytes: number
  /** Free bytes on the disk that receives files. */
  readonly free: number
  readonly found: Readonly<Record<FileFindingKind, number>>
}

/** Which faults a check has found, and how many of each: `2 missing, 1 damaged`; undefined if there are none. */
export function describeFileFaults({ found }: FileTotals): string | undefined {
  const { unreferenced: _, ...faults } = found
  const named = Object.entries(faults).filter(([, count]) => count > 0)
  return named.length === 0 ? undefined : named.map(([kind, count]) => `${count} ${kind}`).join(', ')
}

export interface FileCheckParts {
  readonly registry: Registry
  readonly store: Pick<Store, 'get' | 'stream' | 'find' | 'aggregate'>
  readonly blobs: BlobStore
  /** The hashes that snapshots list. */
  readonly snapshotHashes: () => Promise<ReadonlySet<string>>
  /** The present time by the clock of the bytes, in milliseconds since the Unix epoch. */
  readonly now: number
}

/**
 * Reads every byte and compares it with its hash, the registry with the bytes, and the registry with the records. Changes nothing, and works
 * in bounded memory while files are uploaded and removed.
 *
 * @param found called with each finding
 * @throws {AppError} STORE_UNAVAILABLE
 */
export async function checkFiles(parts: FileCheckParts, found: (finding: FileFinding) => void): Promise<FileTotals> {
  const { registry, blobs } = parts
  const counts = { missing: 0, damaged: 0, without_record: 0, without_row: 0, unreferenced: 0 }
  const report = (finding: FileFinding) => {
    counts[finding.kind]++
    found(finding)
  }
  const totals = { files: 0, contents: 0, bytes: 0 }
  if (registry.withFiles.length > 0) {
    totals.files = await checkRows(parts, report)
    await checkRecords(parts, report)
    Object.assign(totals, await checkBytes(parts, report))
  }
  return { ...totals, free: await blobs.free(), found: counts }
}

type Report = (finding: FileFinding) => void

/** Compares each row with its record and its bytes. @returns the number of rows */
async function checkRows(parts: FileCheckParts, report: Report): Promise<number> {
  const { blobs } = parts
  let rows = 0
  for await (const files of listFiles(parts)) {
    rows += files.length
    const orphans = await withoutRecord(parts, files)
    const isKept = new Map<string, boolean>()
    for (const file of files) {
      const { sha256 } = file
      if (!isKept.has(sha256)) isKept.set(sha256, (await blobs.size(sha256)) !== undefined)
      const kinds: FileFindingKind[] = []
      if (isKept.get(sha256) === false) kinds.push('missing')
      if (orphans.has(file)) kinds.push('without_record')
      // The row may have been removed or changed meanwhile.
      if (kinds.length === 0 || !(await isUnchanged(parts, file))) continue
      for (const kind of kinds) report({ kind, sha256, file })
    }
  }
  return rows
}

/** The attached files of a batch that their records do not have. Files of models and fields that the project has no more are left out. */
async function withoutRecord(
  { registry, store }: FileCheckParts,
  files: readonly ListedFile[],
): Promise<ReadonlySet<ListedFile>> {
  const orphans = new Set<ListedFile>()
  const attached = files.filter(({ state }) => state === 'attached')
  for (const { key, fileFields } of registry.withFiles) {
    const names = new Set(fileFields.map(({ name }) => name))
    const ofModel = attached.filter(({ model, field }) => model === key && names.has(field))
    const records = await store.get(
      key,
      ofModel.map(({ record }) => record ?? 0),
    )
    for (const [index, file] of ofModel.entries()) {
      if (!filesIn(records[index]?.[file.field]).some(({ id }) => id === file.id)) orphans.add(file)
    }
  }
  return orphans
}

async function isUnchanged({ store }: FileCheckParts, { id, state, record }: ListedFile): Promise<boolean> {
  const [row] = await store.get(FILE_TABLE, [rowOfFileId(id)?.row ?? 0])
  if (row === undefined) return false
  const now = listedFile(row)
  return now.id === id && now.state === state && now.record === record
}

/** Looks for the row of each file that a record has. */
async function checkRecords({ registry, store }: FileCheckParts, report: Report): Promise<void> {
  for (const { key: model, fileFields } of registry.withFiles) {
    for await (const records of store.stream(model, { filters: [], sort: [{ field: 'id', order: 'asc' }] })) {
      const held = records.flatMap((record) =>
        fileFields.flatMap(({ name: field }) => filesIn(record[field]).map((file) => ({ record, field, file }))),
      )
      const rows = await store.get(
        FILE_TABLE,
        held.map(({ file }) => rowOfFileId(file.id)?.row ?? 0),
      )
      for (const [index, { record, field, file }] of held.entries()) {
        const row = rows[index]
        const isListed = row !== undefined && isFor(listedFile(row), { id: file.id, model, record: record.id, field })
        if (isListed && row.sha256 === file.sha256) continue
        // The record may have been changed meanwhile.
        const [present] = await store.get(model, [record.id])
        if (!filesIn(present?.[field]).some(({ id }) => id === file.id)) continue
        report({ kind: 'without_row', sha256: file.sha256, file: { model, record: record.id, field, name: file.name } })
      }
    }
  }
}

const isFor = (
  listing: ListedFile,
  { id, model, record, field }: Pick<ListedFile, 'id' | 'model' | 'record' | 'field'>,
): boolean =>
  listing.id === id &&
  listing.state === 'attached' &&
  listing.model === model &&
  listing.record === record &&
  listing.field === field

/** Reads all kept bytes, and looks who has them. */
async function checkBytes(parts: FileCheckParts, report: Report): Promise<Pick<FileTotals, 'contents' | 'bytes'>> {
  const { store, blobs, snapshotHashes, now } = parts
  const totals = { contents: 0, bytes: 0 }
  const listedBySnapshots = new Set(await snapshotHashes())
  let batch: KeptBlob[] = []
  const end = async () => {
    for (const { sha256, keptAt } of await withoutRows(store, batch)) {
      const isOld = keptAt <= now - UNREFERENCED_MS
      if (isOld && !listedBySnapshots.has(sha256)) report({ kind: 'unreferenced', sha256, file: undefined })
    }
    batch = []
  }
  for await (const blob of blobs.list()) {
    const { sha256, size } = blob
    totals.contents++
    totals.bytes += size
    batch.push(blob)
    const reason = await damageOf(blobs, sha256)
    if (reason !== undefined) report({ kind: 'damaged', sha256, file: await anyFileOf(parts, sha256), reason })
    if (batch.length === HASHES_AT_ONCE) await end()
  }
  await end()
  for (const sha256 of listedBySnapshots) {
    const isMissing = (await blobs.size(sha256)) === undefined
    if (isMissing && (await anyFileOf(parts, sha256)) === undefined) report({ kind: 'missing', sha256, file: undefined })
  }
  return totals
}

/** Why bytes are not those of their hash; undefined if they are, or are removed meanwhile. */
async function damageOf(blobs: BlobStore, sha256: string): Promise<string | undefined> {
  try {
    return (await isWhole(blobs, sha256)) === false ? 'the bytes have another hash' : undefined
  } catch (error) {
    // The database cannot be reached, which says nothing about the bytes.
    if (error instanceof AppError) throw error
    if ((await blobs.size(sha256).catch(() => 0)) === undefined) return undefined
    return `the bytes cannot be read: ${(error as Error).message}`
  }
}

async function anyFileOf({ store }: FileCheckParts, sha256: string): Promise<ListedFile | undefined> {
  const { records } = await store.find(
    FILE_TABLE,
    {
      filters: [{ field: 'sha256', operator: 'eq', value: sha256 }],
      sort: [{ field: 'id', order: 'asc' }],
      offset: 0,
      limit: 1,
    },
    { withoutTotal: true },
  )
  return records[0] && listedFile(records[0])
}
