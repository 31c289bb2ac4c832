import { stat } from 'node:fs/promises'
import type { Registry } from '../../../model/registry.ts'
import type { Json } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import { MAX_SAMPLE, PERMISSION_TABLE, type StoredContent, type StoredNames, type StoredPermission } from '../../stored-models.ts'
import { compact, countRecords, mergedParts } from './compact.ts'
import { nodeDisk } from './disk.ts'
import { whileLocked } from './lock.ts'
import {
  type DataFolder,
  editedNotice,
  openSnapshot,
  readFolder,
  readFolderBeside,
  rejectInvalid,
  removeDraft,
  snapshotPath,
  thenClose,
  truncateTail,
} from './recovery.ts'
import { Renaming } from './renaming.ts'
import { ignoreRecords, type RecordConsumer, type ReplayResult, replay, validatorForEdited } from './replay.ts'
import { parseLines } from './snapshot-lines.ts'

/**
 * The names in a data folder, after the renames that the models declare, whether or not the models have them. Takes no lock.
 *
 * @throws {AppError} DATA_CORRUPT, RENAME_CONFLICT
 */
export async function storedNames(folder: string, registry: Registry): Promise<StoredNames> {
  let tables = new Map<string, { records: number; fields: Map<string, Counted> }>()
  const consumer = {
    begin: () => {
      tables = new Map()
    },
    table(name: string) {
      const table = tables.get(name) ?? { records: 0, fields: new Map<string, Counted>() }
      tables.set(name, table)
      return (record: StoredRecord) => {
        table.records++
        for (const [key, value] of Object.entries(record))
          if (value !== null && value !== undefined) add(table.fields, key, value)
      }
    },
  }
  await replayedBeside(folder, registry, consumer)
  return tables
}

interface Counted {
  records: number
  readonly sample: Json[]
}

function add(fields: Map<string, Counted>, name: string, value: Json): void {
  const field = fields.get(name) ?? { records: 0, sample: [] }
  fields.set(name, field)
  field.records++
  if (field.sample.length < MAX_SAMPLE) field.sample.push(value)
}

/**
 * Counts the records of every table of a data folder, and reads its permissions. Takes no lock.
 *
 * @throws {AppError} DATA_CORRUPT, RENAME_CONFLICT
 */
export async function storedContent(folder: string, registry: Registry): Promise<StoredContent> {
  let permissions: StoredPermission[] = []
  const collect = ({ id, codename, name }: StoredRecord) =>
    permissions.push({ id, codename: String(codename), name: typeof name === 'string' ? name : null })
  const consumer = {
    begin: () => {
      permissions = []
    },
    // A table without a consumer is not counted.
    table: (name: string) => (name === PERMISSION_TABLE ? collect : () => {}),
  }
  const { tables } = await replayedBeside(folder, registry, consumer)
  return { tables, permissions }
}

/** Replays a data folder, whether or not a server writes to it. */
async function replayedBeside(folder: string, registry: Registry, consumer: RecordConsumer): Promise<ReplayResult> {
  const { snapshot, journal } = await readFolderBeside(folder, nodeDisk)
  return thenClose(snapshot, () =>
    replay(snapshot, journal.entries, consumer, validatorForEdited(undefined), new Renaming(registry)),
  )
}

/** The start of a table, or some of its records in id order. */
type StoredPart =
  | { readonly kind: 'table'; readonly name: string; readonly nextId: number }
  | { readonly kind: 'records'; readonly records: readonly StoredRecord[] }

/**
 * Replays a data folder that no process writes to, without loading the records, and calls `work` while its snapshot is open.
 *
 * @param accept true for an edited `db.json` that is not validated, and without the journal that it names
 * @throws {AppError} DATA_CORRUPT, RENAME_CONFLICT
 */
async function replayed<T>(
  folder: string,
  registry: Registry,
  work: (result: ReplayResult, found: DataFolder) => Promise<T>,
  { accept = false, remedy = '' } = {},
): Promise<T> {
  const found = await readFolder(folder, nodeDisk, accept)
  return thenClose(found.snapshot, async (snapshot) => {
    const validatorFor = validatorForEdited(accept ? undefined : registry)
    const result = await replay(snapshot, found.journal.entries, ignoreRecords, validatorFor, new Renaming(registry))
    rejectInvalid(snapshotPath(folder), result.validation, remedy)
    return work(result, found)
  })
}

/**
 * Reads all tables of a data folder that no process uses, which is locked meanwhile. Memory depends on the size of the journal only.
 *
 * @param use gets the tables under the present names of the models, as often as it iterates them
 * @throws {AppError} DATA_IN_USE, DATA_CORRUPT, RENAME_CONFLICT
 */
export function withStoredTables<T>(
  folder: string,
  registry: Registry,
  use: (parts: AsyncIterable<StoredPart>) => Promise<T>,
): Promise<T> {
  const read = () =>
    replayed(folder, registry, ({ snapshot, overlay }) =>
      use({ [Symbol.asyncIterator]: () => parsed(mergedParts(snapshot, overlay)) }),
    )
  return whileLocked(folder, read)
}

async function* parsed(parts: ReturnType<typeof mergedParts>): AsyncGenerator<StoredPart> {
  for await (const part of parts) {
    if (part.kind === 'table') yield { kind: 'table', name: part.name, nextId: part.nextId }
    else if (part.kind === 'lines') yield { kind: 'records', records: parseLines(part.lines) as StoredRecord[] }
    else yield { kind: 'records', records: part.records as readonly StoredRecord[] }
  }
}

/** Result of `compactFolder`. Sizes in bytes. */
interface CompactedFolder {
  readonly before: { readonly snapshot: number; readonly journal: number }
  readonly after: number
  readonly records: number
}

/** Options of `compactFolder`. */
interface CompactOptions {
  /**
   * Accepts a `db.json` that was edited by hand (its checksum differs) even if records do not match the models, and the loss of the journal that it
   * names.
   */
  readonly accept?: boolean
  readonly warn?: (message: string) => void
}

/**
 * Compacts the journal of a data folder that no process uses, without loading the records.
 *
 * @throws {AppError} DATA_IN_USE naming the holder, DATA_CORRUPT
 */
export function compactFolder(folder: string, registry: Registry, options: CompactOptions = {}): Promise<CompactedFolder> {
  const { accept = false, warn = () => {} } = options
  const run = async ({ snapshot, overlay, renamed, validation }: ReplayResult, { snapshot: { file }, journal }: DataFolder) => {
    const sizes = await Promise.all(journal.paths.map(async (path) => (await stat(path)).size))
    await truncateTail(journal, nodeDisk, warn)
    if (validation !== undefined && file !== undefined && !accept) warn(editedNotice(file.origin, validation))
    const isRenamed = renamed.length > 0
    for (const message of renamed) warn(message)
    const input = { snapshot, overlay, sequence: journal.last, covered: journal.paths, isRenamed }
    const { bytes } = await compact(folder, nodeDisk, input)
    const before = { snapshot: file?.bytes ?? 0, journal: sizes.reduce((sum, size) => sum + size, 0) }
    return { before, after: bytes, records: await thenClose(await openSnapshot(folder, nodeDisk), countRecords) }
  }
  return whileLocked(folder, async () => {
    await removeDraft(folder, nodeDisk)
    return replayed(folder, registry, run, { accept, remedy: accept ? '' : 'To accept it unchanged, add --accept' })
  })
}

/**
 * Removes every table but some from a locked data folder that no store has open. The new snapshot replaces the former one
 * atomically: after a crash there is the former data or the kept tables.
 *
 * @throws {AppError} DATA_CORRUPT; then nothing is changed
 */
export async function retainTables(folder: string, registry: Registry, tables: ReadonlySet<string>): Promise<void> {
  await removeDraft(folder, nodeDisk)
  await replayed(folder, registry, async ({ snapshot, overlay }, { journal }) => {
    await truncateTail(journal, nodeDisk, () => {})
    await compact(folder, nodeDisk, { snapshot, overlay, sequence: journal.last, covered: journal.paths, tables })
  })
}
