import type { Lifecycle, Request, ResponseObject } from '@hapi/hapi'
import { AppError, type ErrorCode } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
import { errorReply, shapeB } from './error-body.ts'
import { answerRequestId, requestIdOf } from './request.ts'
import { routeNameOf } from './traffic.ts'

interface ErrorOptions {
  readonly validationStatus: 400 | 422
  readonly clock: Clock
  /** Generates ids that connect an error response with its log entry. */
  readonly random: Random
  /** Receives internal errors, with such an id. */
  readonly log: Log
}

type Toolkit = Parameters<Lifecycle.Method>[1]
type Failure = Error & { output?: { statusCode: number; payload?: { message: string } } }

/** Turns errors of handlers and of hapi itself into responses of the specification. */
export class ErrorResponses {
  readonly #options: ErrorOptions

  constructor(options: ErrorOptions) {
    this.#options = options
  }

  /** For `onPreResponse`, which costs every request a few promises, also successful ones. */
  readonly onPreResponse: Lifecycle.Method = (request, h) => {
    const { response } = request
    if ('isBoom' in response && response.isBoom) return replyToFramework(h, response, this.#options)
    answerRequestId(request)
    return h.continue
  }

  /** For `failAction`. */
  readonly failAction: Lifecycle.Method = (_, h, error = new Error('Something failed')) => this.reply(h, error)

  /** Responds with an error and skips the remaining steps. */
  reply(h: Toolkit, error: unknown): ResponseObject {
    return reply(h, error instanceof Error ? error : new Error(String(error)), this.#options).takeover()
  }

  /** Wraps a handler or extension so that it responds with its errors itself, without `onPreResponse`. */
  readonly guard =
    (method: Lifecycle.Method): Lifecycle.Method =>
    (request, h, error) => {
      const replied = (thrown: unknown) => this.reply(h, thrown)
      try {
        const answer = method.call(null, request, h, error)
        return answer instanceof Promise ? answer.catch(replied) : answer
      } catch (thrown) {
        return replied(thrown)
      }
    }
}

function reply(h: Toolkit, failure: Failure, options: ErrorOptions): ResponseObject {
  const error = failure instanceof AppError ? failure : fromFramework(failure)
  // A response with `Retry-After` is a temporary state rather than a failure.
  const isOurs = error === undefined || (error.status >= 500 && error.retryAfter === undefined)
  const response = isOurs ? ownFault(h, failure, error, options) : told(h, error, options)
  answerRequestId(h.request)
  return response
}

/** hapi answers a path with another method as an unknown path. */
function replyToFramework(h: Toolkit, failure: Failure, options: ErrorOptions): ResponseObject {
  const isFallback = h.request.route.settings.plugins?.isFallback === true
  const isUnknown = isFallback || (!(failure instanceof AppError) && failure.output?.statusCode === 404)
  const allowed = isUnknown ? allowedMethods(h.request) : undefined
  if (allowed === undefined) return reply(h, failure, options)
  const method = h.request.method.toUpperCase()
  const error = new AppError('METHOD_NOT_ALLOWED', `This path has no method ${method}; it has ${allowed}`)
  return reply(h, error, options).header('Allow', allowed)
}

function told(h: Toolkit, error: AppError, { validationStatus, clock }: ErrorOptions): ResponseObject {
  const { status, headers, body } = errorReply(error, validationStatus, isoTime(clock()))
  const response = h.response(body).code(status)
  for (const [name, value] of Object.entries(headers)) response.header(name, value)
  return response
}

/** Faults of project files and of snapshots are shown, since only superusers can cause these responses. */
const FAULTS_OF_FILES: ReadonlySet<ErrorCode> = new Set(['CONFIG_INVALID', 'DATA_CORRUPT'])

/** States of the installation: a warning names them with their remedy, and no place in the code. */
const STATES: ReadonlySet<ErrorCode> = new Set(['IMAGES_UNAVAILABLE', 'PROVIDER_UNAVAILABLE'])

/** The body reveals nothing internal; the log has the details under the same id. */
function ownFault(h: Toolkit, failure: Failure, error: AppError | undefined, { random, log }: ErrorOptions): ResponseObject {
  const requestId = requestIdOf(h.request, random)
  const fields = { request_id: requestId, ...routeNameOf(h.request.route) }
  if (error !== undefined && STATES.has(error.code)) log.warn(error.message, { ...fields, reason: reasonOf(error) })
  else log.error('Request failed', { ...fields, error: failure })
  const isTold = error !== undefined && (error.status > 500 || FAULTS_OF_FILES.has(error.code))
  const body = isTold
    ? shapeB(error.code, error.details)
    : shapeB('INTERNAL', `Request ${requestId} failed; the server's log says more`)
  const response = h.response({ ...body, request_id: requestId }).code(body.status_code)
  return error?.retryAfter === undefined ? response : response.header('Retry-After', String(error.retryAfter))
}

const reasonOf = ({ cause }: AppError): string | undefined => (cause instanceof Error ? cause.message : undefined)

const NOT_JSON = ['UNSUPPORTED_MEDIA_TYPE', 'The request body must be application/json'] as const

function badRequest(message: string): readonly [ErrorCode, string] {
  if (/content-type/i.test(message)) return NOT_JSON
  if (message.includes('JSON')) return ['MALFORMED_JSON', 'The request body is not valid JSON']
  return ['INVALID_REQUEST', 'The request could not be read']
}

function fromFramework({ output }: Failure): AppError | undefined {
  // Some errors only look like hapi's.
  if (output?.payload === undefined) return undefined
  const { statusCode, payload } = output
  const known: Readonly<Record<number, readonly [ErrorCode, string]>> = {
    400: badRequest(payload.message),
    401: ['UNAUTHENTICATED', 'Valid token required'],
    404: ['ROUTE_NOT_FOUND', 'There is nothing at this path'],
    408: ['INVALID_REQUEST', 'The request took too long to arrive'],
    413: ['PAYLOAD_TOO_LARGE', 'The request body is larger than the server takes'],
    415: NOT_JSON,
  }
  const found = known[statusCode]
  return found === undefined ? undefined : new AppError(...found)
}

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** The route answers paths that have no route of their own. */
    isFallback?: boolean
  }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** The methods that the path of a request has, as the value of `Allow` (RFC 9110, section 10.2.1); undefined for an unknown path. */
function allowedMethods({ server, path }: Request): string | undefined {
  const found = METHODS.flatMap((method) => {
    const route = server.match(method, path)
    return route === null || route.settings.plugins?.isFallback === true ? [] : [{ method, parameters: parametersIn(route.path) }]
  })
  if (found.length === 0) return undefined
  // `/models/post/search` matches `/models/{model}/{record_id}` too, but is no record.
  const fewest = Math.min(...found.map(({ parameters }) => parameters))
  return found
    .filter(({ parameters }) => parameters === fewest)
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    .join(', ')
}

/** Number of parameters in the path of a route. */
const parametersIn = (path: string): number => path.split('{').length - 1
