import { AppError, ERRORS, type ErrorCode, type FieldMessages } from '../../errors.ts'
import { type Clock, systemClock } from '../../util/clock.ts'
import { isObject } from '../../util/json.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What can be asked of the API of a project. */
export interface ApiRequests {
  /**
   * @param path below the root of the API: `/webhooks/3`
   * @param body sent as JSON, unless it is an `Upload`
   * @returns the body
   * @throws {AppError} with what the API says is wrong
   */
  // biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each command knows what it asked for
  request(method: Method, path: string, body?: unknown): Promise<any>
  /**
   * @param signal gives up
   * @returns the text of a file, as it is made; fails when it cannot be made whole
   * @throws {AppError} with what the API says is wrong
   */
  download(path: string, signal?: AbortSignal): Promise<AsyncIterable<string>>
}

/** A file to be sent as it is. */
export class Upload {
  readonly type: string
  readonly content: Buffer

  constructor(type: string, content: Buffer) {
    this.type = type
    this.content = content
  }
}

/** A body and its type, as they are sent. */
export function payloadOf(body: unknown): { type: string; payload: Buffer | string } | undefined {
  if (body instanceof Upload) return { type: body.type, payload: body.content }
  return body === undefined ? undefined : { type: 'application/json', payload: JSON.stringify(body) }
}

/** What an answer says is wrong; undefined when it is not in the words of the API. */
export function failureIn(status: number, body: unknown, retryAfter?: number): AppError | undefined {
  if (!isObject(body)) return undefined
  const { detail, details, error } = body
  const said = (isObject(detail) ? detail.error : undefined) ?? details ?? error
  if (typeof said !== 'string' && !isByField(said)) return undefined
  return new AppError(codeOf(status, error), said, retryAfter === undefined ? {} : { retryAfter })
}

/** A proxy's words may look like ours at first. */
const isByField = (said: unknown): said is FieldMessages =>
  isObject(said) && Object.values(said).every((all) => Array.isArray(all) && all.every((each) => typeof each === 'string'))

/**
 * In how many seconds to ask again, as RFC 9110 writes it: a number of them, or a date.
 *
 * A date is held against the one that the answer bears, where it bears one, since clocks differ.
 */
export function retryAfterIn(headers: Headers, clock: Clock = systemClock): number | undefined {
  const given = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(given)) return Number.isSafeInteger(Number(given)) ? Number(given) : undefined
  const sent = Date.parse(headers.get('date') ?? '')
  const seconds = Math.ceil((Date.parse(given) - (Number.isNaN(sent) ? clock() : sent)) / 1000)
  return seconds >= 0 ? seconds : undefined
}

/** The error that an answer tells of. */
function codeOf(status: number, message: unknown): ErrorCode {
  const found = Object.entries(ERRORS).find(([, entry]) => entry.status === status && entry.message === message)
  return (found?.[0] as ErrorCode | undefined) ?? 'TASK_FAILED'
}
