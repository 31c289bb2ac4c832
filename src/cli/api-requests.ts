import { AppError, ERRORS, type ErrorCode, type FieldMessages } from '../errors.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { isObject } from '../util/json.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Requests to a project's API. */
export interface ApiRequests {
  /**
   * Sends a request and returns the parsed body of the response.
   *
   * @param path relative to the root of the API: `/webhooks/3`
   * @param body sent as JSON, unless it is an `Upload`
   * @throws {AppError} with the error that the API responds with
   */
  // biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each command knows the shape of its responses
  request(method: Method, path: string, body?: unknown): Promise<any>
  /**
   * Returns the text of a file as a stream. The stream fails when the file is cut off.
   *
   * @param signal aborts the download
   * @throws {AppError} with the error that the API responds with
   */
  download(path: string, signal?: AbortSignal): Promise<AsyncIterable<string>>
}

/** A request body that is sent unchanged, with its media type. */
export class Upload {
  readonly type: string
  readonly content: Buffer

  constructor(type: string, content: Buffer) {
    this.type = type
    this.content = content
  }
}

/** Serialises a request body. Undefined without a body. */
export function payloadOf(body: unknown): { type: string; payload: Buffer | string } | undefined {
  if (body instanceof Upload) return { type: body.type, payload: body.content }
  return body === undefined ? undefined : { type: 'application/json', payload: JSON.stringify(body) }
}

/** Parses an error response; undefined when it does not have the shape of an API error. */
export function errorIn(status: number, body: unknown, retryAfter?: number): AppError | undefined {
  if (!isObject(body)) return undefined
  const { detail, details, error } = body
  const messages = (isObject(detail) ? detail.error : undefined) ?? details ?? error
  if (typeof messages !== 'string' && !isFieldMessages(messages)) return undefined
  return new AppError(codeOf(status, error), messages, retryAfter === undefined ? {} : { retryAfter })
}

/** Checks every value, since error pages of proxies may have a similar shape. */
const isFieldMessages = (value: unknown): value is FieldMessages =>
  isObject(value) && Object.values(value).every((all) => Array.isArray(all) && all.every((each) => typeof each === 'string'))

/**
 * Parses `Retry-After` (RFC 9110, section 10.2.3), a number of seconds or a date, into seconds. Undefined if absent or invalid.
 *
 * A date is compared with the response's `Date` header if it has one, since the clocks of two machines differ.
 */
export function retryAfterIn(headers: Headers, clock: Clock = systemClock): number | undefined {
  const given = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(given)) return Number.isSafeInteger(Number(given)) ? Number(given) : undefined
  const sent = Date.parse(headers.get('date') ?? '')
  const seconds = Math.ceil((Date.parse(given) - (Number.isNaN(sent) ? clock() : sent)) / 1000)
  return seconds >= 0 ? seconds : undefined
}

/** The error code that has this status and message. */
function codeOf(status: number, message: unknown): ErrorCode {
  const found = Object.entries(ERRORS).find(([, entry]) => entry.status === status && entry.message === message)
  return (found?.[0] as ErrorCode | undefined) ?? 'TASK_FAILED'
}
