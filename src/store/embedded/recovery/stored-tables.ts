import type { Registry } from '../../../model/registry.ts'
import type { StoredRecord } from '../../store.ts'
import { mergedParts } from '../compaction/compact.ts'
import { nodeDisk } from '../files/disk.ts'
import { whileLocked } from '../files/lock.ts'
import { Renaming } from '../renames/renaming.ts'
import { parseLines } from '../snapshot/lines.ts'
import { readFolder, rejectInvalid, snapshotPath, thenClose } from './recovery.ts'
import { ignoreRecords, replay, validatorForEdited } from './replay.ts'

/** The start of a table, or some of its records in id order. */
export type StoredPart =
  | { readonly kind: 'table'; readonly name: string; readonly nextId: number }
  | { readonly kind: 'records'; readonly records: readonly StoredRecord[] }

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
  return whileLocked(folder, async () => {
    const found: { result?: T } = {}
    await thenClose(await readFolder(folder, nodeDisk), async ({ snapshot: opened, journal }) => {
      const renaming = new Renaming(registry)
      const validatorFor = validatorForEdited(registry)
      const { snapshot, overlay, validation } = await replay(opened, journal.entries, ignoreRecords, validatorFor, renaming)
      rejectInvalid(snapshotPath(folder), validation)
      found.result = await use({ [Symbol.asyncIterator]: () => parsed(mergedParts(snapshot, overlay)) })
    })
    return found.result as T
  })
}

async function* parsed(parts: ReturnType<typeof mergedParts>): AsyncGenerator<StoredPart> {
  for await (const part of parts) {
    if (part.kind === 'table') yield { kind: 'table', name: part.name, nextId: part.nextId }
    else if (part.kind === 'lines') yield { kind: 'records', records: parseLines(part.lines) as StoredRecord[] }
    else yield { kind: 'records', records: part.records as readonly StoredRecord[] }
  }
}
