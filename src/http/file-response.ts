import type { Readable } from 'node:stream'
import type { Lifecycle, ResponseToolkit } from '@hapi/hapi'
import { AppError } from '../errors.ts'
import type { FileBytes, FoundFile } from '../files/downloads.ts'
import type { Log } from '../log/log.ts'
import type { ByteRange } from '../store/blobs/blob-store.ts'
import { byteRange } from './byte-range.ts'
import { knowsTag, unchangedResponse } from './preconditions.ts'
import { addFields, allowEmbedding, setPolicy } from './response.ts'

/** A file that is opened as a document runs nothing and sends nothing, whatever it is. */
const FILE_POLICY = [
  "default-src 'none'",
  "img-src 'self'",
  "media-src 'self'",
  "style-src 'unsafe-inline'",
  'sandbox',
  "frame-ancestors 'none'",
].join('; ')

/** Up to this size, in bytes, a file is read before it is sent. */
const READ_AT_ONCE = 65_536

interface FileResponseOptions {
  /** True if the client asks for a file to save. */
  readonly isDownload: boolean
  /** True if pages of other origins may embed the file. */
  readonly isShared: boolean
  readonly log: Log
}

/**
 * Responds with a file or a thumbnail: `If-None-Match`, one range (RFC 9110, sections 13 and 14), and header fields by which no browser runs it.
 *
 * @throws {AppError} RANGE_NOT_SATISFIABLE, and those of the file
 */
export async function fileResponse(
  h: ResponseToolkit,
  file: FoundFile,
  { isDownload, isShared, log }: FileResponseOptions,
): Promise<Lifecycle.ReturnValue> {
  const { request } = h
  const { method, raw } = request
  const headers = request.headers as Readonly<Record<string, string | undefined>>
  setPolicy(raw.res, FILE_POLICY)
  if (isShared) allowEmbedding(raw.res)
  const tag = `"${file.tag}"`
  const cacheControl = file.isPublic ? 'public, max-age=300' : 'private, no-cache'
  const known = headers['if-none-match']
  if (known !== undefined && knowsTag(known, tag)) return unchangedResponse(h, tag, cacheControl)
  const content = await file.content()
  const range = method === 'get' ? askedRange(headers, tag, content.size) : undefined
  if (range === 'none') {
    addFields(raw.res, ['Content-Range', `bytes */${content.size}`])
    throw new AppError('RANGE_NOT_SATISFIABLE', `The file has ${content.size} bytes`)
  }
  const size = range === undefined ? content.size : range.end - range.start + 1
  // Files are sent as they are: most are compressed, and a range is one of their own bytes.
  request.info.acceptEncoding = 'identity'
  const body = method === 'get' ? await bodyOf(content, range, size) : undefined
  if (body !== undefined && !Buffer.isBuffer(body)) {
    // The connection is cut, so that a client does not take a part for the whole.
    body.on('error', (error) => log.error('A file could not be sent', { error }))
  }
  const type = servedType(content.type)
  const response = h
    .response(body)
    .code(range === undefined ? 200 : 206)
    .bytes(size)
    .type(type)
  if (type !== PLAIN) response.charset('')
  if (range !== undefined) response.header('Content-Range', `bytes ${range.start}-${range.end}/${content.size}`)
  return response
    .header('ETag', tag)
    .header('Cache-Control', cacheControl)
    .header('Accept-Ranges', 'bytes')
    .header('Content-Disposition', disposition(file.name, !isDownload && isShown(type, file.name)))
}

/** The range that a request asks for, unless its `If-Range` names other bytes. */
function askedRange({ range, 'if-range': ifRange }: Readonly<Record<string, string | undefined>>, tag: string, size: number) {
  return ifRange === undefined || ifRange === tag ? byteRange(range, size) : undefined
}

/** Small files as bytes, which is faster to send; others as a stream, which reads no faster than the client takes. */
async function bodyOf(content: FileBytes, range: ByteRange | undefined, size: number): Promise<Readable | Buffer> {
  if (size === 0) return Buffer.alloc(0)
  if (size > READ_AT_ONCE) return content.open(range)
  // The range of all bytes makes the stream read that many, and not look for the end of the file.
  const stream = await content.open(range ?? { start: 0, end: size - 1 })
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const PLAIN = 'text/plain'
const UNKNOWN = 'application/octet-stream'

/** Types that a browser may run: HTML, XML of any kind, such as SVG, scripts, style sheets. */
const ACTIVE =
  /^text\/(?:html|css|xml|xsl|cache-manifest)$|(?:^|[/+.-])(?:xml|xhtml|html)(?:$|\+)|(?:java|ecma|j|live)script|mathml/

/** The media type that a file is sent as. */
const servedType = (type: string): string => (ACTIVE.test(type) || !/^[\w.+-]+\/[\w.+-]+$/.test(type) ? UNKNOWN : type)

/** Types that browsers show without running anything. */
const SHOWN = /^(?:image|audio|video)\/(?!svg)[\w.+-]+$|^application\/pdf$/

/** Endings of names of texts. A text of another name, such as a script that is called an image, is saved. */
const TEXT_NAME = /^[^.]+$|\.(?:txt|text|log|md|markdown|csv|tsv|json|ndjson|ya?ml|toml|ini|conf|srt|vtt)$/i

const isShown = (type: string, name: string): boolean => SHOWN.test(type) || (type === PLAIN && TEXT_NAME.test(name))

/** `Content-Disposition` (RFC 6266): the name in ASCII, and in full (RFC 8187). */
function disposition(name: string, isInline: boolean): string {
  const plain = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%;/]/g, '_')
  const full = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${isInline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${full}`
}
