import type { Registry } from '../../../model/registry.ts'
import type { Json } from '../../../util/json.ts'
import type { StoredRecord } from '../../store.ts'
import { MAX_SAMPLE, type StoredNames } from '../../stored-names.ts'
import { nodeDisk } from '../files/disk.ts'
import { Renaming } from '../renames/renaming.ts'
import { readFolderBeside, thenClose } from './recovery.ts'
import { replay, validatorForEdited } from './replay.ts'

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
