import Joi from 'joi'
import type { FileSettings, Settings } from './define.ts'
import type { Faults } from './fault.ts'
import { sizeSchema } from './size-schema.ts'
import { type Definition, flatSource } from './source.ts'

/** Default settings of files: sizes in bytes. */
export const FILE_DEFAULTS: FileSettings = {
  max_size: 2 ** 30,
  pending_hours: 24,
  pending_bytes: 2 ** 30,
  keep_removed_days: 1,
  min_free: 2 ** 28,
}

/** Schema of `files`. */
export const filesSchema = Joi.object({
  max_size: sizeSchema(),
  pending_hours: Joi.number().positive().max(8784),
  pending_bytes: sizeSchema(),
  keep_removed_days: Joi.number().min(0).max(36_500),
  min_free: sizeSchema(0),
  store: Joi.string(),
})

/**
 * Reports a folder for the bytes of files without a database as the store: the embedded store has them in its data folder.
 *
 * @param file the settings file, whose position the fault has if the setting is there
 */
export function checkFileStore(
  { store, files }: Pick<Settings, 'store' | 'files'>,
  file: Definition | undefined,
  faults: Faults,
): void {
  if (store !== 'embedded' || files.store === undefined) return
  const isInFile = Object.hasOwn(Object(Object(file?.value).files), 'store')
  const source = isInFile && file !== undefined ? file.source : flatSource('environment ADMIN_FILES__STORE')
  faults.add(
    source,
    isInFile ? ['files', 'store'] : [],
    "'files.store' is for PostgreSQL: the embedded store keeps files in its data folder; remove it, or move the data folder with 'data'",
    { rule: 'config/invalid' },
  )
}
