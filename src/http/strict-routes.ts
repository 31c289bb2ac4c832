import type { Lifecycle, Request, ServerRoute } from '@hapi/hapi'
import { AppError } from '../errors.ts'
import { Parameters } from '../query/parameters.ts'
import { readBody } from './body.ts'
import { queryOf } from './request.ts'

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** The route takes query parameters and judges them itself. */
    readsQuery?: boolean
  }
}

const ENCODINGS: ReadonlySet<string> = new Set(['identity', 'gzip', 'deflate'])

type Guard = (method: Lifecycle.Method) => Lifecycle.Method

/**
 * Makes routes refuse what they would otherwise ignore: query parameters where they take none, encodings of a body that nobody
 * undoes; and what they would otherwise take for something else: bodies, see `readBody`. Done by the handler where that is early
 * enough: each extension point costs every request a few promises.
 *
 * @param guard what their handlers and extensions are put into
 */
export const strictRoutes = (
  routes: readonly ServerRoute[],
  maxBodyBytes: number,
  guard: Guard = (method) => method,
): ServerRoute[] => routes.map((route) => strictRoute(route, maxBodyBytes, guard))

function strictRoute(route: ServerRoute, maxBodyBytes: number, guard: Guard): ServerRoute {
  const { method, options = {} } = route
  if (typeof route.handler !== 'function' || typeof options === 'function') throw new Error('A route must be written as data')
  const handler = route.handler as Lifecycle.Method
  const readsQuery = options.plugins?.readsQuery === true
  const strictly: Lifecycle.Method = (request, h) => {
    if (method === 'GET') refuseEncoding(request)
    if (!readsQuery) refuseQuery(request)
    return handler.call(null, request, h)
  }
  if (method === 'GET') return { ...route, handler: guard(strictly) }
  const withBody: Lifecycle.Method = async (request, h) => {
    Object.assign(request, { payload: await readBody(request, maxBodyBytes) })
    return strictly.call(null, request, h)
  }
  // Where a body is read, its encoding must be known before.
  const early = { method: guard(beforeTheBody) }
  const onPreAuth = [...[options.ext?.onPreAuth ?? []].flat(), early]
  return { ...route, handler: guard(withBody), options: { ...options, ext: { ...options.ext, onPreAuth } } }
}

const beforeTheBody: Lifecycle.Method = (request, h) => {
  refuseEncoding(request)
  return h.continue
}

function refuseEncoding(request: Request): void {
  const sent = request.headers['content-encoding'] as string | undefined
  if (sent === undefined || ENCODINGS.has(sent.toLowerCase())) return
  const known = [...ENCODINGS].join(', ')
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', `A body cannot be encoded as '${sent.toLowerCase()}'; use ${known}`)
}

function refuseQuery(request: Request): void {
  const query = queryOf(request)
  if (query !== '') new Parameters(new URLSearchParams(query), []).throwIfFaulty()
}
