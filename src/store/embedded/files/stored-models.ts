import type { Registry } from '../../../model/registry.ts'
import type { Json } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import { MAX_SAMPLE, PERMISSION_TABLE, type StoredContent, type StoredNames, type StoredPermission } from '../../stored-models.ts'
import { mergedParts } from './compact.ts'
import { nodeDisk } from './disk.ts'
import { whileLocked } from './lock.ts'
import { readFolder, readFolderBeside, rejectInvalid, snapshotPath, thenClose } from './recovery.ts'
import { Renaming } from './renaming.ts'
import { ignoreRecords, replay, validatorForEdited } from './replay.ts'
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
  await thenClose(await readFolderBeside(folder, nodeDisk), ({ snapshot, journal }) =>
    replay(snapshot, journal.entries, consumer, validatorForEdited(undefined), new Renaming(registry)),
  )
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
  let tables: ReadonlyMap<string, number> = new Map()
  await thenClose(await readFolderBeside(folder, nodeDisk), async ({ snapshot, journal }) => {
    tables = (await replay(snapshot, journal.entries, consumer, validatorForEdited(undefined), new Renaming(registry))).tables
  })
  return { tables, permissions }
}

/** The start of a table, or some of its records in id order. */
type StoredPart =
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
