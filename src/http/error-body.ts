import { RECENT_SECONDS } from '../accounts/recent-login.ts'
import { type AppError, ERRORS, type ErrorCode, type FieldMessages } from '../errors.ts'

/** An error response. */
export interface ErrorReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** A body of shape B: `{error, status_code, details}`. */
export function shapeB(
  code: ErrorCode,
  details: string | FieldMessages,
): { error: string; status_code: number; details: string | FieldMessages } {
  const { message, status } = ERRORS[code]
  return { error: message, status_code: status, details }
}

/** What a request lacks (RFC 6750, RFC 9470). */
const CHALLENGES: ReadonlyMap<ErrorCode, string> = new Map([
  ['UNAUTHENTICATED', 'Bearer'],
  ['INSUFFICIENT_USER_AUTHENTICATION', `Bearer error="insufficient_user_authentication", max_age=${RECENT_SECONDS}`],
])

/**
 * Formats an error as the specification of the API requires: in shape A, `{detail: {error}}`, or in shape B. The table `ERRORS` names the
 * shape of each error.
 *
 * @param validationStatus with 400, failed validation is sent in shape A; with 422, in shape B with a timestamp
 * @param now ISO 8601, for bodies that carry a timestamp
 */
export function errorReply(error: AppError, validationStatus: 400 | 422, now: string): ErrorReply {
  const { code, details, retryAfter, members } = error
  if (code === 'VALIDATION_FAILED' && validationStatus === 422) {
    return { status: 422, headers: {}, body: { ...shapeB(code, details), status_code: 422, timestamp: now } }
  }
  const { status, body: shape } = ERRORS[code]
  const challenge = CHALLENGES.get(code)
  const headers = {
    ...(challenge === undefined ? {} : { 'WWW-Authenticate': challenge }),
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
  }
  return { status, headers, body: shape === 'A' ? { detail: { error: details } } : { ...shapeB(code, details), ...members } }
}
