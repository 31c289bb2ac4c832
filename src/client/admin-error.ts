/**
 * The kind of an error: `network` means no response or a truncated one; `precondition` means that `if_match` did not match; the others
 * follow the HTTP status.
 */
export type AdminErrorType =
  | 'network'
  | 'validation'
  | 'request'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'precondition'
  | 'rate_limit'
  | 'unavailable'
  | 'server'

/**
 * Error messages by field name. In bulk operations the key is `<index>.<field>`, in imports `<row>.<field>`, and for an invalid query
 * the name of the parameter.
 */
export type FieldErrors = Readonly<Record<string, readonly string[]>>

/** What the server wants of a second factor: `methods` are those that it takes now; with `enrol`, one has to be set up first. */
export interface SecondFactorNeed {
  readonly methods?: readonly string[]
  readonly enrol?: boolean
}

const TYPES: Readonly<Record<number, AdminErrorType>> = {
  401: 'authentication',
  403: 'permission',
  404: 'not_found',
  409: 'conflict',
  412: 'precondition',
  422: 'validation',
  429: 'rate_limit',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

interface AdminErrorParts {
  readonly type: AdminErrorType
  readonly status?: number | undefined
  readonly summary?: string | undefined
  readonly fieldErrors?: FieldErrors | undefined
  readonly retryAfter?: number | undefined
  readonly requestId?: string | undefined
  readonly secondFactor?: SecondFactorNeed | undefined
  readonly cause?: unknown
}

/** The error of a failed API call. An aborted call throws the reason of its signal instead. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  /** The kind of error, to decide what to do. */
  readonly type: AdminErrorType
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined
  /** The short sentence by which the API names the error, such as `Record is referenced`; undefined for invalid records. */
  readonly summary: string | undefined
  /** Messages by field or query parameter; empty for other errors. */
  readonly fieldErrors: FieldErrors
  /** Seconds to wait before a retry, from the header `Retry-After`; undefined without it. */
  readonly retryAfter: number | undefined
  /** The id of the request in the server's log, from the header `X-Request-Id`. */
  readonly requestId: string | undefined
  /** What is missing of a second factor; undefined where that is not the reason. */
  readonly secondFactor: SecondFactorNeed | undefined

  constructor(message: string, parts: AdminErrorParts) {
    const { type, status, summary, fieldErrors, retryAfter, requestId, secondFactor, cause } = parts
    super(message, { cause })
    this.type = type
    this.status = status
    this.summary = summary
    this.fieldErrors = fieldErrors ?? {}
    this.retryAfter = retryAfter
    this.requestId = requestId
    this.secondFactor = secondFactor
  }

  /** Returns the messages of one item of a bulk operation or import, by field; messages about the whole item are under `''`. */
  errorsOf(index: number): FieldErrors {
    const own = Object.entries(this.fieldErrors).flatMap(([name, messages]): [string, readonly string[]][] => {
      if (name === String(index)) return [['', messages]]
      return name.startsWith(`${index}.`) ? [[name.slice(`${index}.`.length), messages]] : []
    })
    return Object.fromEntries(own)
  }

  /** Returns this error with messages that name fields by their titles. @param titleOf the title of a field, or its name */
  titled(titleOf: (name: string) => string): AdminError {
    const named = Object.entries(this.fieldErrors).map(([key, messages]) => {
      const name = key.replace(/^\d+\./, '')
      return [key, messages.map((each) => titled(each, name, titleOf))]
    })
    const fieldErrors: FieldErrors = Object.fromEntries(named)
    if (named.length === 0) return this
    return new AdminError(joined(fieldErrors), { ...this, fieldErrors, cause: this })
  }
}

const TOGETHER = ' must be unique together with '

/** A message of the API about a field, which names fields as the model does, with the titles that users see. */
function titled(message: string, name: string, titleOf: (name: string) => string): string {
  const quoted = `Field '${name}'`
  if (message.startsWith(quoted)) return `Field '${titleOf(name)}'${message.slice(quoted.length)}`
  if (!message.startsWith(`${name} `)) return message
  const rest = message.slice(name.length)
  if (!rest.startsWith(TOGETHER)) return titleOf(name) + rest
  return titleOf(name) + TOGETHER + rest.slice(TOGETHER.length).split(', ').map(titleOf).join(', ')
}

const joined = (errors: FieldErrors): string => Object.values(errors).flat().join('; ')

/**
 * Parses an error response, in either of the API's two shapes: `{detail: {error}}` or `{error, details}`.
 *
 * @throws the reason of the signal, if it is aborted while the body is read
 */
export async function errorOf(response: Response, signal?: AbortSignal): Promise<AdminError> {
  const text = await response.text().catch(() => {
    signal?.throwIfAborted()
    return ''
  })
  const body = parseJson(text)
  const { message, summary, fieldErrors, isValidation } = messagesIn(body)
  const status = response.status
  const plainType = status >= 500 ? 'server' : 'request'
  return new AdminError(message ?? `The server responded with ${status} ${response.statusText}`.trimEnd(), {
    type: TYPES[status] ?? (isValidation ? 'validation' : plainType),
    status,
    summary,
    fieldErrors,
    retryAfter: retryAfterOf(response),
    requestId: response.headers.get('x-request-id') ?? undefined,
    secondFactor: secondFactorIn(body),
  })
}

/**
 * Parses `Retry-After` (RFC 9110, section 10.2.3), a number of seconds or a date, into seconds. Undefined if absent or invalid.
 *
 * A date, which proxies send, is compared with the response's `Date` header if it has one, since the clocks of two machines differ.
 */
export function retryAfterOf({ headers }: Response, clock: () => number = Date.now): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return text.length < 10 ? Number(text) : undefined
  const sent = Date.parse(headers.get('date') ?? '')
  const seconds = Math.ceil((Date.parse(text) - (Number.isNaN(sent) ? clock() : sent)) / 1000)
  return seconds >= 0 ? seconds : undefined
}

/** Creates an error of type `network`. @param cause the error of `fetch` or of reading the body */
export const networkError = (message: string, cause: unknown): AdminError =>
  new AdminError(`${message}: ${reasonOf(cause)}`, { type: 'network', cause })

/** The message of an error. Node's `fetch` fails with 'fetch failed' and gives the reason in the cause. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error && cause.cause.message !== '' ? cause.cause.message : cause.message
}

interface ErrorMessages {
  readonly message?: string | undefined
  readonly summary?: string | undefined
  readonly fieldErrors?: FieldErrors | undefined
  readonly isValidation?: boolean
}

function messagesIn(body: unknown): ErrorMessages {
  const detail = member(member(body, 'detail'), 'error')
  if (detail !== undefined) {
    const { message, fieldErrors } = parseDetails(detail)
    return { message, fieldErrors, isValidation: fieldErrors !== undefined }
  }
  const [summary] = textsIn(member(body, 'error'))
  const { message = summary, fieldErrors } = parseDetails(member(body, 'details'))
  return { message, summary, fieldErrors }
}

/** Accepts any shape, since a proxy may respond instead of the server; only strings are used. */
function parseDetails(details: unknown): ErrorMessages {
  const texts = textsIn(details)
  if (texts.length > 0) return { message: texts.join('; ') }
  if (typeof details !== 'object' || details === null) return {}
  const fields = Object.entries(details).map(([name, value]): [string, readonly string[]] => [name, textsIn(value)])
  const fieldErrors = Object.fromEntries(fields.filter(([, messages]) => messages.length > 0))
  const message = joined(fieldErrors)
  return message === '' ? {} : { message, fieldErrors }
}

/** The non-empty strings in a value: itself, or the items of a list. */
const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each: unknown) => typeof each === 'string' && each !== '')

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

function secondFactorIn(body: unknown): SecondFactorNeed | undefined {
  const need = member(body, 'second_factor')
  return typeof need === 'object' && need !== null ? need : undefined
}

/** Parses JSON; undefined for other text, such as the error page of a proxy. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
