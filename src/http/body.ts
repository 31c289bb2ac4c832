import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { parse as parseForm } from 'node:querystring'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { Request } from '@hapi/hapi'
import { AppError, type FieldMessages } from '../errors.ts'
import { type JsonFault, parseStrictJson, SENT_LIMITS, type StrictJson } from '../util/strict-json.ts'

/** Decoders by content encoding. Output beyond `maxOutputLength` is an error. */
const DECODERS: Readonly<Record<string, (sent: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
}

/** Time that a client may go on sending a rejected body, in milliseconds: most clients read the response only after sending all of it. */
const DISCARD_MS = 2000

/** Nesting levels of a bulk update around a field value: the body, its list, an item, the item's data. */
const ENVELOPE_LEVELS = 4

/**
 * Reads and parses the body of a request, JSON or a form; null if it is empty.
 *
 * hapi's own payload reading is not used: it cuts connections with too many chunks, and waits for all of a body that is too large.
 *
 * @param maxBytes maximum size of the body, both as sent and decoded
 * @throws {AppError} PAYLOAD_TOO_LARGE, MALFORMED_JSON, INVALID_REQUEST, also for too many members; VALIDATION_FAILED for values that
 *   parsing would change
 */
export async function readBody(request: Request, maxBytes: number): Promise<object | null> {
  const bytes = await readBytes(request, maxBytes)
  return request.mime === 'application/x-www-form-urlencoded' ? parseForm(textOf(bytes)) : parseBody(bytes)
}

/**
 * Parses a body of JSON; null if it is empty.
 *
 * @throws {AppError} MALFORMED_JSON, INVALID_REQUEST, also for too many members; VALIDATION_FAILED for values that parsing would change
 */
export async function parseBody(bytes: Buffer): Promise<object | null> {
  const text = textOf(bytes)
  return text === '' ? null : parseJson(text)
}

/**
 * Reads the body of a request as bytes, and decodes its content encoding.
 *
 * @param maxBytes maximum size of the body, both as sent and decoded
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

/** Collects a body in memory, up to its maximum size. */
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

/** Discards the rest of a body for a limited time and rejects it. */
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

/** Maximum number of steps of a path shown in a message. */
const MAX_SHOWN_PATH = 8

const tooLarge = (): AppError => new AppError('PAYLOAD_TOO_LARGE', 'The request body is larger than the server takes')

async function parseJson(text: string): Promise<object> {
  const { value, faults } = await parsed(text)
  if (faults.length > 0) throw refusal(faults)
  // Other JSON values have the wrong shape, which the reader of the payload reports.
  return value as object
}

async function parsed(text: string): Promise<StrictJson> {
  try {
    return await parseStrictJson(text, ENVELOPE_LEVELS, SENT_LIMITS)
  } catch {
    throw new AppError('MALFORMED_JSON', 'The request body is not valid JSON')
  }
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

/** The field that a path leads into, as error messages name it (`<index>.<field>` in bulk operations). */
function fieldOf([member, ...path]: JsonFault['path']): { field: string | undefined; inner: JsonFault['path'] } {
  if (typeof member !== 'string') return { field: undefined, inner: [] }
  if (member === 'data' && path.length > 0) return { field: String(path[0]), inner: path.slice(1) }
  const [index, ...within] = path
  if (typeof index !== 'number') return { field: member, inner: path }
  const [name, ...inner] = within[0] === 'data' && within.length > 1 ? within.slice(1) : within
  return { field: name === undefined ? `${member}.${index}` : `${index}.${name}`, inner }
}
