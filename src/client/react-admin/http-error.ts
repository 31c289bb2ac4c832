import { AdminError } from '../admin-error.ts'

/**
 * An error as react-admin looks at it: `status` decides on logouts, `body.errors` are put at the inputs of a form, and under `root` is
 * what is shown of them beside it, since not every field has an input.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly body: { readonly errors?: Readonly<Record<string, string | { readonly serverError: string }>> }

  constructor(error: AdminError) {
    super(error.message, { cause: error })
    this.status = error.status ?? 0
    const messages = Object.entries(error.fieldErrors).map(([field, texts]) => [field, texts.join('; ')])
    const isOfForm = error.type === 'validation' && messages.length > 0
    this.body = isOfForm ? { errors: { ...Object.fromEntries(messages), root: { serverError: error.message } } } : {}
  }
}

/** Runs something whose failures react-admin is to understand. Whatever else goes wrong, being aborted too, it gets as it is. */
export async function forReactAdmin<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AdminError ? new HttpError(error) : error
  }
}
