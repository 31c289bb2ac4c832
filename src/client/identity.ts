import type { Client, Me } from './client.ts'
import type { AnyModel } from './model-types.ts'

type User = AnyModel['record']

/** Who is logged in, asked of the server once a login, since it is limited as logins are. */
export class Identity {
  readonly #client: Client
  #me: Promise<Me<User>> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /** Shared by all who ask, so that none of them can abort it. @throws {AdminError} */
  me(): Promise<Me<User>> {
    if (this.#me !== undefined) return this.#me
    const asked = this.#client.me().catch((error: unknown) => {
      if (this.#me === asked) this.forget()
      throw error
    })
    this.#me = asked
    return asked
  }

  /** Runs a login or a logout. Whoever asks meanwhile may be told of the former user, which is no answer to who asks later. */
  async changing<T>(work: () => Promise<T>): Promise<T> {
    this.forget()
    try {
      return await work()
    } finally {
      this.forget()
    }
  }

  /** Somebody else may be logged in by now. */
  forget(): void {
    this.#me = undefined
  }
}

/** What people call them. */
export const nameOf = ({ first_name, last_name, username }: User): string =>
  [first_name, last_name].filter(Boolean).join(' ') || String(username)
