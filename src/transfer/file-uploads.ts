import { rowOfFileId, type StoredFile } from '../model/files.ts'
import { type NamedPath, type OpenedFile, openInside, PathProblem, readNamedPath } from './file-paths.ts'

/** Takes a file for a field, and returns its id, or what a record would store. @throws {PathProblem}, {AppError} if the field does not take it */
export type UploadFile = (field: string, file: OpenedFile, reference: NamedPath) => Promise<string | StoredFile>

/**
 * Uploads the files that a value of a file field names by their paths.
 *
 * @param folder the paths are relative to it, and stay inside
 * @returns the value with ids in place of paths
 * @throws {PathProblem}
 */
export async function withUploadedFiles(
  folder: string | undefined,
  field: string,
  value: unknown,
  upload: UploadFile,
): Promise<unknown> {
  if (!Array.isArray(value)) return uploadedItem(folder, field, value, upload)
  const items: unknown[] = []
  for (const item of value) items.push(await uploadedItem(folder, field, item, upload))
  return items
}

async function uploadedItem(folder: string | undefined, field: string, item: unknown, upload: UploadFile): Promise<unknown> {
  const reference = readNamedPath(item)
  if (reference === undefined) return item
  const opened = await openInside(folder, reference.path).catch((error: unknown) => {
    // The id of an upload or of a file of the record, as the API takes it.
    if (typeof item === 'string' && rowOfFileId(item) !== undefined && error instanceof PathProblem) return undefined
    throw error
  })
  if (opened === undefined) return item
  try {
    const uploaded = await upload(field, opened, reference)
    if (reference.alt === null) return uploaded
    return typeof uploaded === 'string' ? { id: uploaded, alt: reference.alt } : { ...uploaded, alt: reference.alt }
  } finally {
    await opened.handle.close()
  }
}
