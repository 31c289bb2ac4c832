import { AppError } from '../../errors.ts'
import { FORMATS, formatOfName, formatOfType } from '../../query/formats.ts'
import type { ImportFile } from '../../transfer/imports.ts'
import { mediaTypeOf } from './request.ts'

export const MULTIPART = 'multipart/form-data'

/** Name of the form part that holds the file (RFC 7578). */
const PART = 'file'

/**
 * The file of an upload: the body itself, or the one part of a multipart form.
 *
 * @throws {AppError} INVALID_REQUEST, UNSUPPORTED_MEDIA_TYPE
 */
export async function uploadedFile(contentType: string, body: Buffer): Promise<ImportFile> {
  const format = formatOfType(mediaTypeOf(contentType))
  if (format !== undefined) return { format, open: () => [body] }
  const file = onlyFile(await readForm(contentType, body))
  // Browsers send generic types for unknown files, and a spreadsheet's type for CSV if one is installed.
  const named = formatOfType(mediaTypeOf(file.type)) ?? formatOfName(file.name)
  if (named === undefined) {
    const names = FORMATS.map((each) => `.${each}`).join(', ')
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The part '${PART}' has neither a type that is read nor a name that ends in ${names}`,
    )
  }
  const bytes = new Uint8Array(await file.arrayBuffer())
  return { format: named, open: () => [bytes] }
}

/** The body is in memory already, so Node's own parser is sufficient. */
async function readForm(contentType: string, body: Buffer): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType } }).formData()
  } catch (error) {
    throw new AppError('INVALID_REQUEST', `The request body is not ${MULTIPART}, as its Content-Type says`, { cause: error })
  }
}

function onlyFile(form: FormData): File {
  const parts = [...form]
  const file = form.get(PART)
  if (parts.length === 1 && file instanceof File) return file
  throw new AppError('INVALID_REQUEST', `The form must have one part, '${PART}', with the file in it`)
}
