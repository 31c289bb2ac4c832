import { AdminError, type FieldErrors } from '../admin-error.ts'

/** An error as refine looks at it: `statusCode` decides on logouts, `errors` are put at the fields of a form. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly statusCode: number
  readonly errors?: { [field: string]: string[] }
  // What refine knows of an error is open to more.
  readonly [member: string]: unknown

  constructor(message: string, statusCode: number, fieldErrors: FieldErrors = {}, cause?: unknown) {
    super(message, { cause })
    this.statusCode = statusCode
    const messages = Object.entries(fieldErrors).map(([field, texts]): [string, string[]] => [field, [...texts]])
    if (messages.length > 0) this.errors = Object.fromEntries(messages)
  }
}

/** Runs something whose failures refine is to understand; what cannot be asked for counts as a bad request. */
export async function forRefine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TypeError) throw new HttpError(error.message, 400, {}, error)
    if (!(error instanceof AdminError)) throw error
    throw new HttpError(error.message, error.status ?? 0, error.type === 'validation' ? error.fieldErrors : {}, error)
  }
}
