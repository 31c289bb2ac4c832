import type { Actor } from '../auth/permissions.ts'
import { AdminError } from '../client/admin-error.ts'
import { AppError, ERRORS, type ErrorCode } from '../errors.ts'
import type { Field } from '../model/field.ts'
import { type DraftParts, draftNew } from '../records/drafts.ts'
import type { RecordData } from '../records/write-requests.ts'
import type { Timer } from '../util/clock.ts'
import { isObject, type Json, type JsonObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import { MAX_NAMED } from '../validate/issues.ts'
import { contextOf, type ServiceParts } from './context.ts'
import type { EndpointCall } from './define-endpoint.ts'
import { type Endpoint, takesQuery } from './parse-endpoints.ts'
import { codeName, failureOf, LONG_MS, TimeLimit } from './running.ts'

/** A request to an endpoint. */
export interface EndpointRequest {
  readonly actor: Actor
  readonly requestId: string
  readonly params: EndpointCall<never>['params']
  /** The values of a query parameter. */
  readonly query: (name: string) => readonly string[]
  /** The JSON of the body, or its bytes. */
  readonly body: unknown
  readonly headers: EndpointCall<never>['headers']
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal
}

interface EndpointParts extends ServiceParts {
  readonly timer: Timer
  /** How values are read. */
  readonly drafts: DraftParts
}

const NO_BYTES = Buffer.alloc(0)

/** Runs the endpoints of a project. */
export class Endpoints {
  readonly #parts: EndpointParts

  constructor(parts: EndpointParts) {
    this.#parts = parts
  }

  /**
   * Runs an endpoint.
   *
   * @returns the JSON text of what it returns; undefined if it returns nothing
   * @throws {AppError} VALIDATION_FAILED for an input that does not fit, CODE_TIMEOUT, a refusal of the code, the error of a write that it makes
   */
  async run(endpoint: Endpoint, request: EndpointRequest): Promise<string | Response | undefined> {
    const { code, isRaw } = endpoint
    const { actor, requestId, params, body, headers, gone } = request
    const input = readInput(endpoint, request, this.#parts.drafts)
    const raw = isRaw && Buffer.isBuffer(body) ? body : NO_BYTES
    const limit = new TimeLimit(LONG_MS, this.#parts.timer)
    const ctx = contextOf(
      this.#parts,
      { actor, via: 'endpoint', requestId, chain: [] },
      { name: `${code.file} ${code.name}`, via: 'endpoint' },
      AbortSignal.any([limit.signal, gone]),
      limit.signal,
    )
    const call = async () => code.call({ params, input: input as never, raw, headers }, ctx)
    try {
      return answerOf(await limit.wait(call(), () => codeName(code)))
    } catch (error) {
      if (!limit.signal.aborted) throw failureOf(passedOn(error) ?? error, code)
      throw new AppError('CODE_TIMEOUT', `${codeName(code)} took more than ${LONG_MS / 1000} s`)
    }
  }
}

function answerOf(value: unknown): string | Response | undefined {
  if (value === undefined || value instanceof Response) return value
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new Error(`A ${typeof value} was returned, which JSON does not have`)
  return text
}

/** @throws {AppError} VALIDATION_FAILED */
function readInput(endpoint: Endpoint, request: EndpointRequest, parts: DraftParts): JsonObject {
  const { input, params } = endpoint
  const { body, actor, query } = request
  const sent: Record<string, unknown> = {}
  if (!endpoint.isRaw && body !== null && body !== undefined) {
    if (!isObject(body)) throw new AppError('VALIDATION_FAILED', { body: ['The request body must be an object'] })
    Object.assign(sent, membersOf(endpoint, body))
  }
  for (const field of input.fields.values()) {
    const texts = params.includes(field.name) ? [request.params[field.name] ?? ''] : takesQuery(endpoint) ? query(field.name) : []
    if (texts.length > 0)
      sent[field.name] = field.type.list ? texts.map((text) => textValue(field, text)) : textValue(field, texts[0] ?? '')
  }
  const { values, issues } = draftNew(actor, input, undefined, sent, parts)
  issues.throwIfAny()
  return values
}

/** The members of a body. @throws {AppError} VALIDATION_FAILED for one that the body does not take */
function membersOf(endpoint: Endpoint, body: RecordData): RecordData {
  const names = takesQuery(endpoint) ? [] : [...endpoint.input.fields.keys()].filter((name) => !endpoint.params.includes(name))
  const unknown = Object.keys(body).filter((name) => !names.includes(name))
  if (unknown.length === 0) return body
  const messages = unknown.slice(0, MAX_NAMED).map((name) => [name, [`Field '${name}' does not exist${didYouMean(name, names)}`]])
  throw new AppError('VALIDATION_FAILED', Object.fromEntries(messages))
}

/** A text that is no value of the field stays as it is, and is refused as such. */
function textValue(field: Field, text: string): Json {
  const reading = field.type.parse(text)
  return reading.ok ? reading.value : text
}

/** Codes by the sentence that names them in the API. */
const CODES = new Map(Object.entries(ERRORS).map(([code, { message }]) => [message as string, code as ErrorCode]))

/** The error of a call of `ctx.model`, as the caller of the endpoint gets it; undefined for a failure of the server. */
function passedOn(error: unknown): AppError | undefined {
  if (!(error instanceof AdminError)) return undefined
  const { status = 500, summary, fieldErrors, message, retryAfter } = error
  if (status >= 500 && status !== 503) return undefined
  const hasFields = Object.keys(fieldErrors).length > 0
  const code = CODES.get(summary ?? '') ?? (hasFields ? 'VALIDATION_FAILED' : 'INVALID_REQUEST')
  return new AppError(code, hasFields ? fieldErrors : message, {
    cause: error,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  })
}
