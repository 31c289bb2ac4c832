import type { Request } from '@hapi/hapi'
import { type Random, uniqueId } from '../../util/ids.ts'

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Connects the response with the log entries of the request. */
    requestId?: string
  }
}

/** Short, and safe in logs and headers. */
const HARMLESS = /^[A-Za-z0-9._-]{1,64}$/

/** The id that the client sent in `X-Request-Id`; unsafe ids are ignored. */
function sentId(request: Request): string | undefined {
  const sent = request.headers['x-request-id'] as string | undefined
  return sent !== undefined && HARMLESS.test(sent) ? sent : undefined
}

/** The id of a request: the client's, or one generated on first use. */
export function requestIdOf(request: Request, random: Random): string {
  request.app.requestId ??= sentId(request) ?? uniqueId(random)
  return request.app.requestId
}

/**
 * Sets `X-Request-Id` on the response if the client sent an id or an error was given one. Call it before the headers are sent;
 * it is set on the raw response, so that every response carries it.
 */
export function answerRequestId(request: Request): void {
  const id = request.app.requestId ?? sentId(request)
  if (id !== undefined) request.raw.res.setHeader('x-request-id', id)
}
