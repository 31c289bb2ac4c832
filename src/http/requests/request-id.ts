import type { Request } from '@hapi/hapi'
import { type Random, uniqueId } from '../../util/ids.ts'

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** By which an answer and the log speak of the same request. */
    requestId?: string
  }
}

/** Short, and nothing that a log or a header could be broken with. */
const HARMLESS = /^[A-Za-z0-9._-]{1,64}$/

/** The id that a client gave its request by `X-Request-Id`; one that could do harm counts as none. */
function sentId(request: Request): string | undefined {
  const sent = request.headers['x-request-id'] as string | undefined
  return sent !== undefined && HARMLESS.test(sent) ? sent : undefined
}

/** A request's id: what the client calls it, or else one of ours, which is made when it is first asked for. */
export function requestIdOf(request: Request, random: Random): string {
  request.app.requestId ??= sentId(request) ?? uniqueId(random)
  return request.app.requestId
}

/**
 * Answers with the request's id where it has one: where the client sent it, and where a failure was given one. To be called
 * before anything is sent; the header stands on the raw response, so that whatever is answered carries it.
 */
export function answerRequestId(request: Request): void {
  const id = request.app.requestId ?? sentId(request)
  if (id !== undefined) request.raw.res.setHeader('x-request-id', id)
}
