import { AdminError, type FieldErrors } from '../connection/admin-error.ts'

/** An API error in the shape that refine expects. The original error is the `cause`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  /** The HTTP status, or 0 without a response; `authProvider` logs the user out on 401. */
  readonly statusCode: number
  /** Messages by field, which refine shows at the fields of a form. */
  readonly errors?: { [field: string]: string[] }
  // Refine's own type of errors has this index signature.
  readonly [member: string]: unknown

  constructor(message: string, statusCode: number, fieldErrors: FieldErrors = {}, cause?: unknown) {
    super(message, { cause })
    this.statusCode = statusCode
    const messages = Object.entries(fieldErrors).map(([field, texts]): [string, string[]] => [field, [...texts]])
    if (messages.length > 0) this.errors = Object.fromEntries(messages)
  }
}

/** Runs work and converts an `AdminError` to an `HttpError`. A `TypeError` for an unsupported request becomes a 400. */
export async function forRefine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TypeError) throw new HttpError(error.message, 400, {}, error)
    if (!(error instanceof AdminError)) throw error
    throw new HttpError(error.message, error.status ?? 0, error.type === 'validation' ? error.fieldErrors : {}, error)
  }
}
