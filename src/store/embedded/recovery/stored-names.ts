import type { Registry } from '../../../model/registry.ts'
import type { Json } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import { nodeDisk } from '../files/disk.ts'
import { Renaming } from '../renames/renaming.ts'
import { readFolderBeside, thenClose } from './recovery.ts'
import { replay, validatorForEdited } from './replay.ts'

/** Maximum number of values kept of one field. */
const MAX_SAMPLE = 200

/** A stored field: the number of records with a value, and some of the values. */
interface StoredField {
  records: number
  readonly sample: Json[]
}

/** The tables of a data folder, with the fields that have values. */
export type StoredNames = ReadonlyMap<
  string,
  { readonly records: number; readonly fields: ReadonlyMap<string, Readonly<StoredField>> }
>

/**
 * The names in a data folder, after the renames that the models declare, whether or not the models have them. Takes no lock.
 *
 * @throws {AppError} DATA_CORRUPT, RENAME_CONFLICT
 */
export async function storedNames(folder: string, registry: Registry): Promise<StoredNames> {
  let tables = new Map<string, { records: number; fields: Map<string, StoredField> }>()
  const consumer = {
    begin: () => {
      tables = new Map()
    },
    table(name: string) {
      const table = tables.get(name) ?? { records: 0, fields: new Map<string, StoredField>() }
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

function add(fields: Map<string, StoredField>, name: string, value: Json): void {
  const field = fields.get(name) ?? { records: 0, sample: [] }
  fields.set(name, field)
  field.records++
  if (field.sample.length < MAX_SAMPLE) field.sample.push(value)
}
