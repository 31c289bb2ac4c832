import type { Lifecycle, Request, RouteOptions, ServerRoute } from '@hapi/hapi'
import { ANONYMOUS } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { Parameters } from '../query/parameters.ts'
import { readBody, readBytes } from './body.ts'
import { MULTIPART } from './multipart.ts'
import { mediaTypeOf, queryOf } from './request.ts'
import { isForm } from './upload-body.ts'

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** The route parses its query parameters itself. */
    readsQuery?: boolean
    /** Maximum body size in bytes, where it is less than that of all routes. */
    maxBodyBytes?: number
    /** The body is a file of one of these media types or of any, passed as bytes. */
    takesFile?: readonly string[]
    /** The handler reads the body itself, as a stream: whatever its media type, or forms only. */
    streamsBody?: boolean | 'forms'
    /** Checks, before a body is read, that the actor may make requests of this kind; throws the refusal. */
    admits?: (request: Request) => void
  }
}

const JSON_TYPE = 'application/json'
const BYTES = 'application/octet-stream'

/** Stands for every media type. */
export const ANY_TYPE = '*/*'

const ENCODINGS: ReadonlySet<string> = new Set(['identity', 'gzip', 'deflate'])
const NOT_ENCODED: ReadonlySet<string> = new Set(['identity'])

/** Maximum size of a JSON body without a token, in bytes: more than names, passwords and tokens need. */
const MAX_ANONYMOUS_BYTES = 65_536

type Guard = (method: Lifecycle.Method) => Lifecycle.Method

/**
 * Makes routes reject what hapi would ignore: query parameters on routes without any, and unsupported content encodings. Bodies
 * are read by `readBody`, once it is known that the actor may send one; those of GET are not read. Checks run in the handler where that is
 * early enough, since each extension point costs every request a few promises.
 *
 * @param maxBodyBytes maximum size of a body; without a token, at most 64 KiB are read unless the route takes a file
 * @param guard wraps handlers and extensions
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
  const { readsQuery, takesFile, streamsBody, admits, maxBodyBytes: ownMaxBytes = maxBodyBytes } = options.plugins ?? {}
  const strictly: Lifecycle.Method = (request, h) => {
    if (readsQuery !== true) refuseQuery(request)
    return handler.call(null, request, h)
  }
  const strict = (method: Lifecycle.Method): ServerRoute => ({
    ...route,
    handler: guard(method),
    options: {
      ...options,
      ...(takesFile === undefined ? {} : { payload: { ...options.payload, ...allowing(takesFile) } }),
      ...extensions(options, guard),
    },
  })
  if ([method].flat().every((each) => each === 'GET')) {
    return strict((request, h) => {
      refuseEncoding(request)
      admits?.(request)
      return strictly.call(null, request, h)
    })
  }
  if (streamsBody === true) {
    const streamed = strict((request, h) => {
      refuseEncoding(request, NOT_ENCODED)
      admits?.(request)
      return strictly.call(null, request, h)
    })
    return { ...streamed, options: { ...streamed.options, payload: allowing([ANY_TYPE]) } }
  }
  const takesForms = streamsBody === 'forms'
  const read = takesFile === undefined ? readBody : readBytes
  const maxBytes = Math.min(ownMaxBytes, maxBodyBytes)
  const maxAnonymousBytes = takesFile === undefined ? Math.min(MAX_ANONYMOUS_BYTES, maxBytes) : maxBytes
  const reading = strict(async (request, h) => {
    if (takesForms && isForm(request)) {
      refuseEncoding(request, NOT_ENCODED)
      admits?.(request)
      return await strictly.call(null, request, h)
    }
    refuseEncoding(request)
    admits?.(request)
    ;(request as { payload: unknown }).payload = await read(request, isAnonymous(request) ? maxAnonymousBytes : maxBytes)
    return await strictly.call(null, request, h)
  })
  return takesForms ? { ...reading, options: { ...reading.options, payload: { allow: [JSON_TYPE, MULTIPART] } } } : reading
}

/** With `override`, hapi takes every media type, also a malformed one. */
const allowing = (types: readonly string[]): RouteOptions['payload'] =>
  types.includes(ANY_TYPE) ? { allow: BYTES, override: BYTES } : { allow: [...types] }

/** The extensions of a route. hapi checks the content type of a file before the handler and would require JSON, so it is checked here. */
function extensions({ ext, plugins }: RouteOptions, guard: Guard): Pick<RouteOptions, 'ext'> {
  const { takesFile } = plugins ?? {}
  const byType: Lifecycle.Method = (request, h) => {
    refuseEncoding(request)
    refuseType(request, takesFile ?? [])
    return h.continue
  }
  const onPreAuth = [...[ext?.onPreAuth ?? []].flat(), ...(takesFile === undefined ? [] : [{ method: byType }])]
  // A list without methods would cost each request a promise.
  const used = Object.entries({ ...ext, onPreAuth }).flatMap(([point, extensions]) => {
    const guarded = [extensions ?? []].flat().map((each) => ({ ...each, method: guard(each.method) }))
    return guarded.length === 0 ? [] : [[point, guarded]]
  })
  return { ext: Object.fromEntries(used) }
}

/** True for requests without a token, on routes with authentication and on others. */
function isAnonymous({ auth }: Request): boolean {
  const actor = auth.credentials?.app?.actor
  return actor === undefined || actor === ANONYMOUS
}

function refuseType(request: Request, types: readonly string[]): void {
  if (types.includes(ANY_TYPE) || types.includes(mediaTypeOf(request.headers['content-type'] as string | undefined))) return
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', `The request body must be ${types.join(', ')}`)
}

function refuseEncoding(request: Request, encodings = ENCODINGS): void {
  const sent = request.headers['content-encoding'] as string | undefined
  if (sent === undefined || encodings.has(sent.toLowerCase())) return
  const known = [...encodings].join(', ')
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', `A body cannot be encoded as '${sent.toLowerCase()}'; use ${known}`)
}

function refuseQuery(request: Request): void {
  const query = queryOf(request)
  if (query !== '') new Parameters(new URLSearchParams(query), []).throwIfFaulty()
}
