import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
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
  const { file, content } = await readForm(contentType, body)
  // Browsers send generic types for unknown files, and a spreadsheet's type for CSV if one is installed.
  const named = formatOfType(mediaTypeOf(file.type)) ?? formatOfName(file.name)
  if (named === undefined) {
    const names = FORMATS.map((each) => `.${each}`).join(', ')
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The part '${PART}' has neither a type that is read nor a name that ends in ${names}`,
    )
  }
  return { format: named, open: () => [content] }
}

const CRLF = '\r\n'

/** Maximum length of a boundary (RFC 2046, section 5.1.1). */
const MAX_BOUNDARY = 70

/** Maximum number of bytes before the content of the part. */
const MAX_HEAD = 16_384

/** Number of bytes that are searched before other work gets a turn. */
const SLICE = 65_536

/**
 * Reads a form of one part.
 *
 * Node.js parses a form in one step, which takes long for some contents. So the content is cut out, and Node.js parses the form without it.
 */
async function readForm(contentType: string, body: Buffer): Promise<{ readonly file: File; readonly content: Buffer }> {
  const boundary = boundaryOf(contentType)
  const start = contentStart(body, boundary)
  const delimiter = Buffer.from(`${CRLF}--${boundary}`)
  const end = await indexOfInSlices(body, delimiter, start)
  if (end === -1) throw notForm()
  const next = end + delimiter.length
  if (body.toString('latin1', next, next + 2) !== '--') throw notOneFile()
  const head = body.subarray(0, start)
  // Deprecated by RFC 7578, section 4.7. `binary`, `8bit` and `7bit` change nothing.
  if (/^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)/im.test(head.toString('latin1')))
    throw new AppError('INVALID_REQUEST', `The part '${PART}' must not have a Content-Transfer-Encoding`)
  const form = Buffer.concat([head, delimiter, Buffer.from(`--${CRLF}`)])
  return { file: onlyFile(await parseForm(contentType, form)), content: body.subarray(start, end) }
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined || boundary.length > MAX_BOUNDARY) throw notForm()
  return boundary
}

/** The place behind the headers of the first part. */
function contentStart(body: Buffer, boundary: string): number {
  const blankLine = CRLF + CRLF
  const head = body.subarray(0, MAX_HEAD)
  const part = head.indexOf(`--${boundary}`)
  const end = part === -1 ? -1 : head.indexOf(blankLine, part)
  if (end === -1) throw notForm()
  return end + blankLine.length
}

/** Searches as `Buffer.indexOf` does, with a turn of the event loop after each slice. */
async function indexOfInSlices(bytes: Buffer, wanted: Buffer, from: number): Promise<number> {
  for (let at = from; at < bytes.length; at += SLICE) {
    const index = bytes.subarray(at, at + SLICE + wanted.length - 1).indexOf(wanted)
    if (index !== -1) return at + index
    await setImmediate()
  }
  return -1
}

async function parseForm(contentType: string, form: Buffer): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(form), { headers: { 'Content-Type': contentType } }).formData()
  } catch (error) {
    throw notForm(error)
  }
}

function onlyFile(form: FormData): File {
  const parts = [...form]
  const file = form.get(PART)
  if (parts.length === 1 && file instanceof File) return file
  throw notOneFile()
}

const notForm = (cause?: unknown): AppError =>
  new AppError('INVALID_REQUEST', `The request body is not ${MULTIPART}, as its Content-Type says`, { cause })

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
