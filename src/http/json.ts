import type { Lifecycle, ResponseToolkit } from '@hapi/hapi'
import { sendDirectly } from './direct-response.ts'
import type { HeaderFields } from './response.ts'

/** Status and headers of a JSON response. */
export interface JsonAnswer {
  /** Default: 200. */
  readonly status?: number | undefined
  /** Path of the created record. */
  readonly location?: string | undefined
  readonly etag?: string
  /** Number of records that a search may have missed; no header tells of none. */
  readonly missing?: number
}

/** Minimum size of a response that is compressed, in bytes. */
const COMPRESSED_FROM = 1024

const JSON_FIELDS: HeaderFields = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']

/** Responds with a JSON text: directly where hapi would neither compress it nor add anything. */
export function jsonResponse(h: ResponseToolkit, body: string | Buffer, answer: JsonAnswer = {}): Lifecycle.ReturnValue {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const { status = 200, location, etag, missing = 0 } = answer
  const isAsItIs = length < COMPRESSED_FROM || h.request.info.acceptEncoding === 'identity'
  if (isAsItIs && sendDirectly(h.request, status, fieldsOf(length, answer), body)) return h.abandon
  const response = h.response(body).code(status).type('application/json')
  if (location !== undefined) response.header('location', location)
  if (etag !== undefined) response.header('etag', etag)
  if (missing > 0) response.header('search-missing', String(missing))
  return response
}

function fieldsOf(length: number, { location, etag, missing = 0 }: JsonAnswer): HeaderFields {
  const fields = [...JSON_FIELDS, 'content-length', length]
  if (length >= COMPRESSED_FROM) fields.push('vary', 'accept-encoding')
  if (location !== undefined) fields.push('location', location)
  if (etag !== undefined) fields.push('etag', etag)
  if (missing > 0) fields.push('search-missing', missing)
  return fields
}
