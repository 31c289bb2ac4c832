import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { AppError } from '../errors.ts'
import { FORMATS, formatOfName, formatOfType } from '../query/formats.ts'
import type { ImportFile } from '../transfer/imports.ts'
import type { ConnectionLimits } from './listener.ts'
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

/** Number of boundaries up to which a form is parsed: one part has two, and a file may contain the text of a boundary. */
const MAX_BOUNDARIES = 100

/** The body is in memory already, so Node's own parser is sufficient. It takes its time for each part, so parts are counted before. */
async function readForm(contentType: string, body: Buffer): Promise<FormData> {
  if (hasManyParts(contentType, body)) throw notOneFile()
  try {
    return await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType } }).formData()
  } catch (error) {
    throw new AppError('INVALID_REQUEST', `The request body is not ${MULTIPART}, as its Content-Type says`, { cause: error })
  }
}

function hasManyParts(contentType: string, body: Buffer): boolean {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const boundary = `--${quoted ?? plain ?? ''}`
  let count = 0
  for (let at = body.indexOf(boundary); at !== -1 && count <= MAX_BOUNDARIES; at = body.indexOf(boundary, at + boundary.length))
    count++
  return count > MAX_BOUNDARIES
}

function onlyFile(form: FormData): File {
  const parts = [...form]
  const file = form.get(PART)
  if (parts.length === 1 && file instanceof File) return file
  throw notOneFile()
}

const notOneFile = (): AppError => new AppError('INVALID_REQUEST', `The form must have one part, '${PART}', with the file in it`)

/**
 * Cuts the connection of a response whose client takes nothing for `unreadTimeout` while bytes wait for it. For responses that hold resources of
 * others until they are read, such as a connection to the database.
 */
export function cutIfUnread(
  response: ServerResponse,
  { unreadTimeout, idleTimeout }: Pick<ConnectionLimits, 'unreadTimeout' | 'idleTimeout'>,
): void {
  // A request that is injected comes from no connection.
  if (!(response.req.socket instanceof Socket)) return
  // Node.js counts a partly sent chunk as activity, so a slow client is not cut.
  response.setTimeout(unreadTimeout, (socket?: Socket) => {
    if (socket === undefined) return
    if (socket.writableLength > 0) socket.destroy()
    // The client waits for the server.
    else socket.setTimeout(unreadTimeout)
  })
  // Before Node.js sets the timeout of a connection without a request.
  response.prependOnceListener('finish', () => response.socket?.setTimeout(idleTimeout))
}
