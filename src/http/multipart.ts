import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Dicer } from '@fastify/busboy'
import { AppError } from '../errors.ts'
import { cleanFileName } from '../util/file-name.ts'

export const MULTIPART = 'multipart/form-data'

/** A part of a form (RFC 7578). */
export interface FormPart {
  readonly name: string
  /** As `cleanFileName` leaves it; undefined for a part without a file name. */
  readonly fileName: string | undefined
  /** The Content-Type as sent; empty without one. */
  readonly type: string
  /** The bytes, with back-pressure. Ends with an error if the form does not arrive whole. */
  readonly content: Readable
}

/** Maximum length of a boundary (RFC 2046, section 5.1.1). */
const MAX_BOUNDARY = 70

/** Maximum size of the header of a part, in bytes. The parser itself cuts a header at 80 KiB without a word. */
const MAX_HEADER = 16_384

type PartHeader = Readonly<Record<string, readonly string[]>>

/**
 * Reads a form of parts, one after the other. Resolves when the form has ended with its last boundary, its body has arrived whole and every
 * part was taken; only then may anything be made of the parts.
 *
 * The parser `Dicer` is used below the `Busboy` of the same package, which skips parts that it does not understand without a word.
 *
 * @param body the body of a request; it is destroyed if the form is refused
 * @param onPart takes a part; the next one waits for its promise, whose error refuses the form. What it does not read is discarded
 * @throws {AppError} INVALID_REQUEST for a form that is malformed, ends early or has more than `maxParts` parts; the errors of `body` and `onPart`
 */
export async function readForm(
  { contentType, body, maxParts }: { readonly contentType: string; readonly body: Readable; readonly maxParts: number },
  onPart: (part: FormPart) => Promise<void>,
): Promise<void> {
  const parser = new Dicer({ boundary: boundaryOf(contentType) })
  const refusal = new AbortController()
  const { signal } = refusal
  const open = new Set<Readable>()
  let count = 0
  /** A part whose header has not ended. */
  let begun: Readable | undefined
  let taken = Promise.resolve()
  const fail = (error: unknown): void => {
    if (signal.aborted) return
    refusal.abort(error)
    const cause = error instanceof Error ? error : new Error(String(error))
    for (const each of open) each.destroy(cause)
  }
  const take = async (part: FormPart): Promise<void> => {
    if (signal.aborted) return
    await onPart(part)
    open.delete(part.content)
    part.content.resume()
  }
  parser.on('part', (content) => {
    // The parser reports a form that ends early as well.
    content.on('error', () => {})
    if (begun !== undefined) fail(notForm())
    if (++count > maxParts) fail(tooManyParts(maxParts))
    if (signal.aborted) {
      content.resume()
      return
    }
    begun = content
    open.add(content)
    content.on('header', (header) => {
      begun = undefined
      if (signal.aborted) return
      try {
        const part = { ...described(header as PartHeader), content }
        taken = taken.then(() => take(part)).catch(fail)
      } catch (error) {
        fail(error)
      }
    })
  })
  body.once('error', fail)
  parser.once('error', (error) => fail(notForm(error)))
  try {
    await pipeline(body, feeding(parser), { signal })
  } catch (error) {
    fail(error)
  }
  await taken
  if (!signal.aborted && (count === 0 || begun !== undefined)) fail(notForm())
  if (signal.aborted) throw signal.reason
}

/**
 * Feeds a parser until it has finished: every part behind which there is a boundary has been read, and there is a last boundary, or an error
 * that was emitted. It finishes without a word about its last chunk, and may do so while the body goes on behind the last boundary.
 */
function feeding(parser: Dicer): Writable {
  let isFinished = false
  let proceed: (() => void) | undefined
  parser.once('finish', () => {
    isFinished = true
    proceed?.()
  })
  /** Calls back once, with the end of a step or of the parser. */
  const until = (step: (ended: () => void) => void, done: () => void): void => {
    if (isFinished) {
      done()
      return
    }
    const ended = () => {
      if (proceed !== ended) return
      proceed = undefined
      done()
    }
    proceed = ended
    step(ended)
  }
  return new Writable({
    write: (chunk, _, done) => until((ended) => void parser.write(chunk, ended), done),
    final: (done) => until(() => void parser.end(), done),
  })
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^";\s]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined || boundary.length > MAX_BOUNDARY) throw notForm()
  return boundary
}

function described(header: PartHeader): Omit<FormPart, 'content'> {
  const fields = Object.entries(header)
  const size = fields.flatMap(([name, values]) => values.map((value) => name.length + value.length)).reduce((a, b) => a + b, 0)
  const disposition = header['content-disposition']?.[0]
  if (size > MAX_HEADER || disposition === undefined) throw notForm()
  const parameters = parametersOf(disposition)
  const name = parameters?.get('name')
  if (name === undefined) throw notForm()
  // Deprecated by RFC 7578, section 4.7. `binary`, `8bit` and `7bit` change nothing.
  if (/^(?:base64|quoted-printable)/i.test(header['content-transfer-encoding']?.[0] ?? '')) throw encodedPart(name)
  const fileName = parameters?.get('filename')
  return {
    ...{ name, type: header['content-type']?.[0] ?? '' },
    fileName: fileName === undefined ? undefined : cleanFileName(fileName),
  }
}

/** A parameter of a Content-Disposition: quoted, or a token. */
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g

/** The parameters of a Content-Disposition of the type `form-data`, as browsers and other clients write them; undefined for another type. */
function parametersOf(disposition: string): ReadonlyMap<string, string> | undefined {
  if (!/^form-data\s*(?:;|$)/i.test(disposition)) return undefined
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, token = ''] of disposition.matchAll(PARAMETER)) {
    const key = name.toLowerCase()
    const extended = key.endsWith('*') ? extendedValue(token) : undefined
    // Browsers write a backslash as it is; other clients put one before quotes and backslashes.
    const value = extended ?? fromBytes(quoted === undefined ? token.trim() : quoted.replace(/\\(["\\])/g, '$1'))
    const known = extended === undefined ? key : key.slice(0, -1)
    if (extended !== undefined || !parameters.has(known)) parameters.set(known, value)
  }
  return parameters
}

/** Decodes a value as browsers write it: UTF-8, in which only quotes and line ends are percent-encoded (HTML, multipart form data). */
const fromBytes = (value: string): string =>
  Buffer.from(value, 'latin1')
    .toString()
    .replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Decodes `UTF-8''a%20b` (RFC 8187), which some clients send for names beyond ASCII; undefined if it is something else. */
function extendedValue(value: string): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value.trim())?.[1]
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

const notForm = (cause?: unknown): AppError =>
  new AppError('INVALID_REQUEST', `The request body is not ${MULTIPART}, as its Content-Type says`, { cause })

const tooManyParts = (most: number): AppError => new AppError('INVALID_REQUEST', `The form has more than ${most} parts`)

const encodedPart = (name: string): AppError =>
  new AppError('INVALID_REQUEST', `The part '${name.slice(0, 100)}' must not have a Content-Transfer-Encoding`)
