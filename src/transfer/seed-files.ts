import { AppError } from '../errors.ts'
import type { FileField } from '../model/field.ts'
import { brokenCount, maxSizeOf, type SizeSettings } from '../model/file-limits.ts'
import { FILE_TABLE, fileIdOf, type StoredFile } from '../model/files.ts'
import type { Model } from '../model/model.ts'
import type { Records } from '../records/records.ts'
import { formatBytes } from '../util/bytes.ts'
import { isoTime, systemClock } from '../util/clock.ts'
import type { FieldIssues } from '../validate/issues.ts'
import { type NamedPath, type OpenedFile, PathProblem } from './file-paths.ts'
import { withUploadedFiles } from './file-uploads.ts'

/** Takes a file that a seed names, and returns the id of its upload, or what the record would store. @throws {PathProblem}, {AppError} */
export type TakeSeedFile = (
  model: Model,
  field: FileField,
  file: OpenedFile,
  reference: NamedPath,
) => Promise<string | StoredFile>

/**
 * Takes the files that the file fields of a seed record name by their paths. Where images cannot be read, a field that is not required stays empty.
 *
 * @param folder that of the seed file
 * @param issues gets the faults
 * @param leaveOut is told of a field that stays empty, and why
 * @returns the record with what was taken in place of paths
 */
export async function withSeedFiles(
  model: Model,
  data: Readonly<Record<string, unknown>>,
  folder: string,
  take: TakeSeedFile,
  issues: FieldIssues,
  leaveOut: (field: FileField, why: AppError) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const values: Record<string, unknown> = {}
  for (const field of model.fileFields) {
    const { name } = field
    const value = Object.hasOwn(data, name) ? data[name] : null
    if (value === null || value === undefined) continue
    const broken = brokenCount(field.file, [value].flat().length)
    if (broken !== undefined) {
      issues.add(name, `${name} ${broken}`)
      continue
    }
    try {
      values[name] = await withUploadedFiles(folder, name, value, (_, file, reference) => take(model, field, file, reference))
    } catch (error) {
      if (error instanceof PathProblem) issues.add(name, `${name} ${error.message}`)
      else if (error instanceof AppError && typeof error.details !== 'string')
        issues.add(name, ...Object.values(error.details).flat())
      else if (error instanceof AppError && error.code === 'IMAGES_UNAVAILABLE' && !field.required) {
        values[name] = null
        leaveOut(field, error)
      } else throw error
    }
  }
  return Object.keys(values).length === 0 ? data : { ...data, ...values }
}

/**
 * Judges files without keeping them: whether they exist, and their size.
 *
 * @param records of a store in memory, which gets a row of the registry for each file
 */
export const checkSeedFile =
  (settings: SizeSettings, records: Pick<Records, 'commitInternal'>): TakeSeedFile =>
  async (model, { name: field, file }, { size }, { name }) => {
    const { isImage, accept, minWidth, minHeight } = file
    const most = maxSizeOf(file, settings)
    if (size > most) throw new PathProblem(`must not be larger than ${formatBytes(most)}`)
    const type = accept?.find((each) => !each.endsWith('*')) ?? 'application/octet-stream'
    // The image is not read.
    const sides = { width: isImage ? (minWidth ?? USUAL_SIDE) : null, height: isImage ? (minHeight ?? USUAL_SIDE) : null }
    const at = isoTime(systemClock())
    const found = { name, type, size, sha256: '0'.repeat(64), ...sides }
    const place = { model: model.key, field, record_id: null, user_id: null, released_at: null }
    const outcome = await records.commitInternal([
      { kind: 'insert', table: FILE_TABLE, values: { token: TOKEN, ...found, ...place, at } },
    ])
    const [row] = outcome.ok ? outcome.records : []
    if (row == null) throw new Error('A file of a seed was not registered')
    return { id: fileIdOf(TOKEN, row.id), ...found, alt: null, uploaded_at: at }
  }

const TOKEN = 'not_uploaded'
/** Length of the sides of an image that is not read. */
const USUAL_SIDE = 1000
