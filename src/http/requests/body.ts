import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { parse as parseForm } from 'node:querystring'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { Request } from '@hapi/hapi'
import { AppError, type FieldMessages } from '../../errors.ts'
import type { MaybePromise } from '../../util/maybe-promise.ts'
import { type JsonFault, parseStrictJson, type StrictJson } from '../../util/strict-json.ts'

declare module '@hapi/hapi' {
  interface Request {
    /** There is a body that may still be coming: then an answer ends the connection. Not part of hapi's types. */
    _isPayloadPending: boolean
  }
}

/** What undoes an encoding; more than `maxOutputLength` is not even made. */
const DECODERS: Readonly<Record<string, (sent: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
}

/** How long a client may go on sending a body that is refused anyway: most see the answer only once they have sent it all. */
const DISCARD_MS = 2000

/** Of a bulk update: the body, its list, an item, the item's data. */
const ENVELOPE_LEVELS = 4

/**
 * Reads and parses the body of a request, JSON or a form; null when there is none.
 *
 * @param maxBytes most bytes of it, as it was sent and with its encoding undone
 * @throws {AppError} PAYLOAD_TOO_LARGE, MALFORMED_JSON, INVALID_REQUEST; VALIDATION_FAILED for what cannot be kept as it was said
 */
export async function readBody(request: Request, maxBytes: number): Promise<object | null> {
  const text = textOf(arrived(request, maxBytes) ?? (await readBytes(request, maxBytes)))
  if (request.mime === 'application/x-www-form-urlencoded') return parseForm(text)
  return text === '' ? null : parseJson(text)
}

/** A body that is here already, all of it, as small ones are: then there is nothing to listen to and to wait for. */
function arrived(request: Request, maxBytes: number): Buffer | undefined {
  const sent = request.raw.req
  const length = sent.readableLength
  const isWhole = length > 0 && length <= maxBytes && Number(sent.headers['content-length']) === length
  if (!isWhole || sent.headers['content-encoding'] !== undefined) return undefined
  const body: Buffer = sent.read()
  // All that is left to come is its end, which may be after the answer: that would take it for a body that nobody reads.
  request._isPayloadPending = false
  sent.resume()
  return body
}

/**
 * Reads the body of a request, whatever it is.
 *
 * @param maxBytes most bytes of it, as it was sent and with its encoding undone
 * @throws {AppError} PAYLOAD_TOO_LARGE, INVALID_REQUEST
 */
export async function readBytes({ raw: { req: sent } }: Request, maxBytes: number): Promise<Buffer> {
  const encoding = sent.headers['content-encoding']?.toLowerCase() ?? 'identity'
  const collected = await collect(sent, maxBytes)
  return collected.length === 0 ? collected : decode(collected, encoding, maxBytes)
}

function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw new AppError('MALFORMED_JSON', 'The request body is not valid UTF-8')
  return body.toString()
}

/** Holds no more of a body than may be. */
function collect(sent: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(sent.headers['content-length']) > maxBytes) return discard(sent)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (settle: () => void) => {
      sent.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
      settle()
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) finish(() => discard(sent).catch(reject))
      else chunks.push(chunk)
    }
    const onEnd = () => finish(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    const onCut = () => finish(() => reject(new AppError('INVALID_REQUEST', 'The request body ended early')))
    sent.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  })
}

/** Lets what is left of a body go by, for a while, and refuses it. */
async function discard(sent: IncomingMessage): Promise<never> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, DISCARD_MS)
    function done() {
      clearTimeout(timer)
      sent.off('end', done).off('error', done).off('close', done)
      sent.pause()
      resolve()
    }
    sent.on('end', done).on('error', done).on('close', done).resume()
  })
  throw tooLarge()
}

async function decode(sent: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const decoder = DECODERS[encoding]
  if (decoder === undefined) return sent
  try {
    return await decoder(sent, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new AppError('INVALID_REQUEST', `The request body is not ${encoding}, as its Content-Encoding says`)
  }
}

/** Nobody reads a longer path into a field. */
const MAX_SHOWN_PATH = 8

const tooLarge = (): AppError => new AppError('PAYLOAD_TOO_LARGE', 'The request body is larger than the server takes')

function parseJson(text: string): MaybePromise<object> {
  let parsed: MaybePromise<StrictJson>
  try {
    parsed = parseStrictJson(text, ENVELOPE_LEVELS)
  } catch {
    throw new AppError('MALFORMED_JSON', 'The request body is not valid JSON')
  }
  return parsed instanceof Promise ? parsed.then(objectIn) : objectIn(parsed)
}

function objectIn({ value, faults }: StrictJson): object {
  if (faults.length > 0) throw refusal(faults)
  // A text, a number or null is a body in the wrong shape, which whoever reads it says.
  return value as object
}

function refusal(faults: readonly JsonFault[]): AppError {
  const messages: Record<string, string[]> = Object.create(null)
  for (const { path, problem } of faults) {
    const { field, inner } = fieldOf(path)
    if (field === undefined) return new AppError('INVALID_REQUEST', `The request body ${problem}`)
    messages[field] ??= []
    const shown = inner.length > MAX_SHOWN_PATH ? [] : inner
    messages[field].push(`${[field.replace(/^\d+\./, ''), ...shown].join('.')} ${problem}`)
  }
  return new AppError('VALIDATION_FAILED', messages as FieldMessages)
}

/** The field that a path leads into, by the name that errors have for it (`<index>.<field>` in bulk operations). */
function fieldOf([member, ...path]: JsonFault['path']): { field: string | undefined; inner: JsonFault['path'] } {
  if (typeof member !== 'string') return { field: undefined, inner: [] }
  if (member === 'data' && path.length > 0) return { field: String(path[0]), inner: path.slice(1) }
  const [index, ...within] = path
  if (typeof index !== 'number') return { field: member, inner: path }
  const [name, ...inner] = within[0] === 'data' && within.length > 1 ? within.slice(1) : within
  return { field: name === undefined ? `${member}.${index}` : `${index}.${name}`, inner }
}
