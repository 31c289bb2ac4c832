import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { FORMATS, formatOfName, formatOfType } from '../query/formats.ts'
import type { ImportFile } from '../transfer/imports.ts'
import type { ConnectionLimits } from './listener.ts'
import { readForm } from './multipart.ts'
import { mediaTypeOf } from './request.ts'

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
  const { name, type, content } = await onlyFile(contentType, body)
  // Browsers send generic types for unknown files, and a spreadsheet's type for CSV if one is installed.
  const named = formatOfType(mediaTypeOf(type)) ?? formatOfName(name)
  if (named === undefined) {
    const names = FORMATS.map((each) => `.${each}`).join(', ')
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The part '${PART}' has neither a type that is read nor a name that ends in ${names}`,
    )
  }
  return { format: named, open: () => content }
}

/** The file in a form. */
interface FileInForm {
  readonly name: string
  readonly type: string
  readonly content: readonly Buffer[]
}

/** Reads a form of one part. Its content is not copied. */
async function onlyFile(contentType: string, body: Buffer): Promise<FileInForm> {
  let found: FileInForm | undefined
  await readForm(
    { contentType, body: Readable.from(slices(body)), maxParts: Number.POSITIVE_INFINITY },
    async ({ name, fileName, type, content }) => {
      if (found !== undefined || name !== PART || fileName === undefined) throw notOneFile()
      const pieces: Buffer[] = []
      for await (const piece of content) pieces.push(piece)
      found = { name: fileName, type, content: pieces }
    },
  )
  if (found === undefined) throw notOneFile()
  return found
}

/** Number of bytes that are searched before other work gets a turn. */
const SLICE = 65_536

async function* slices(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE) {
    yield bytes.subarray(at, at + SLICE)
    await setImmediate()
  }
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
