import type { Registry } from '../../../model/registry.ts'
import type { StoredRecord } from '../../store.ts'
import { PERMISSION_TABLE, type StoredContent, type StoredPermission } from '../../stored-names.ts'
import { nodeDisk } from '../files/disk.ts'
import { Renaming } from '../renames/renaming.ts'
import { readFolderBeside, thenClose } from './recovery.ts'
import { replay, validatorForEdited } from './replay.ts'

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
  let tables: ReadonlyMap<string, number> = new Map()
  await thenClose(await readFolderBeside(folder, nodeDisk), async ({ snapshot, journal }) => {
    tables = (await replay(snapshot, journal.entries, consumer, validatorForEdited(undefined), new Renaming(registry))).tables
  })
  return { tables, permissions }
}
