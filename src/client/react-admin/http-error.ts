import { AdminError } from '../connection/admin-error.ts'

/** An API error in the shape that react-admin expects. The original `AdminError` is the `cause`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  /** The HTTP status, or 0 without a response; `authProvider` logs the user out on 401. */
  readonly status: number
  /**
   * `errors` has the messages that react-admin shows at the inputs of a form. Its member `root` has all of them for the notification,
   * since not every field has an input.
   */
  readonly body: { readonly errors?: Readonly<Record<string, string | { readonly serverError: string }>> }

  constructor(error: AdminError) {
    super(error.message, { cause: error })
    this.status = error.status ?? 0
    const messages = Object.entries(error.fieldErrors).map(([field, texts]) => [field, texts.join('; ')])
    const isOfForm = error.type === 'validation' && messages.length > 0
    this.body = isOfForm ? { errors: { ...Object.fromEntries(messages), root: { serverError: error.message } } } : {}
  }
}

/** Runs work and converts an `AdminError` to an `HttpError`. Other errors, such as aborts, pass unchanged. */
export async function forReactAdmin<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AdminError ? new HttpError(error) : error
  }
}
