/** What went wrong, as far as a caller would act differently. `network`: there was no answer, or it broke off. */
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

/** Messages by field; by `<index>.<field>` in bulk operations, by `<row>.<field>` in imports, by query parameter otherwise. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>

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
  readonly fieldErrors?: FieldErrors | undefined
  readonly retryAfter?: number | undefined
  readonly requestId?: string | undefined
  readonly cause?: unknown
}

/** Whatever a call to the API fails with, save for being aborted, which throws what its signal was aborted with. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  readonly type: AdminErrorType
  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined
  /** Empty unless something is wrong with fields or parameters. */
  readonly fieldErrors: FieldErrors
  /** After how many seconds the same may be tried again, where the server says. */
  readonly retryAfter: number | undefined
  /** By which the server's log speaks of the request. */
  readonly requestId: string | undefined

  constructor(message: string, { type, status, fieldErrors, retryAfter, requestId, cause }: AdminErrorParts) {
    super(message, { cause })
    this.type = type
    this.status = status
    this.fieldErrors = fieldErrors ?? {}
    this.retryAfter = retryAfter
    this.requestId = requestId
  }

  /** Of a bulk operation or an import, the messages of one item: by field, or under '' what is wrong with it as a whole. */
  errorsOf(index: number): FieldErrors {
    const own = Object.entries(this.fieldErrors).flatMap(([name, messages]): [string, readonly string[]][] => {
      if (name === String(index)) return [['', messages]]
      return name.startsWith(`${index}.`) ? [[name.slice(`${index}.`.length), messages]] : []
    })
    return Object.fromEntries(own)
  }
}

/**
 * What a refusal says of itself, in either of its two shapes.
 *
 * @throws what the signal is aborted with while the refusal is read
 */
export async function errorOf(response: Response, signal?: AbortSignal): Promise<AdminError> {
  const text = await response.text().catch(() => {
    signal?.throwIfAborted()
    return ''
  })
  const { message, fieldErrors, isValidation } = said(parsed(text))
  const status = response.status
  const plainType = status >= 500 ? 'server' : 'request'
  return new AdminError(message ?? `The server answered ${status} ${response.statusText}`.trimEnd(), {
    type: TYPES[status] ?? (isValidation ? 'validation' : plainType),
    status,
    fieldErrors,
    retryAfter: retryAfterOf(response),
    requestId: response.headers.get('x-request-id') ?? undefined,
  })
}

/** Whole seconds; a date, which the server never sends, counts as nothing. */
export function retryAfterOf(response: Response): number | undefined {
  const text = response.headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** @param cause why there is no answer */
export const networkError = (message: string, cause: unknown): AdminError =>
  new AdminError(`${message}: ${reasonOf(cause)}`, { type: 'network', cause })

/** `fetch` of node says no more than 'fetch failed', and why in the cause. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error && cause.cause.message !== '' ? cause.cause.message : cause.message
}

interface Said {
  readonly message?: string | undefined
  readonly fieldErrors?: FieldErrors | undefined
  readonly isValidation?: boolean
}

function said(body: unknown): Said {
  const detail = member(member(body, 'detail'), 'error')
  if (detail !== undefined) {
    const { message, fieldErrors } = told(detail)
    return { message, fieldErrors, isValidation: fieldErrors !== undefined }
  }
  const { message = textsIn(member(body, 'error'))[0], fieldErrors } = told(member(body, 'details'))
  return { message, fieldErrors }
}

/** Somebody between here and the server may answer in shapes of their own: of those, the texts are taken. */
function told(details: unknown): Said {
  const texts = textsIn(details)
  if (texts.length > 0) return { message: texts.join('; ') }
  if (typeof details !== 'object' || details === null) return {}
  const fields = Object.entries(details).map(([name, said]): [string, readonly string[]] => [name, textsIn(said)])
  const fieldErrors = Object.fromEntries(fields.filter(([, messages]) => messages.length > 0))
  const message = Object.values(fieldErrors).flat().join('; ')
  return message === '' ? {} : { message, fieldErrors }
}

/** A text, or those of a list. */
const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each: unknown) => typeof each === 'string' && each !== '')

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** What is not JSON comes from somebody between here and the server, and says nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
