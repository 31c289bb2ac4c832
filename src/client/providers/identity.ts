import type { Client, Me } from '../client.ts'
import type { AnyModel } from '../types/models.ts'

type User = AnyModel['record']

/** Caches the logged-in user: one request per login, and none without a token. */
export class Identity {
  readonly #client: Client
  #me: Promise<Me<User>> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Returns the logged-in user; undefined without a token. Concurrent callers share one request, which none of them can abort.
   *
   * @throws {AdminError}
   */
  async me(): Promise<Me<User> | undefined> {
    if (!(await this.#client.hasToken())) return undefined
    return this.#me ?? this.#request()
  }

  #request(): Promise<Me<User>> {
    const request = this.#client.me().catch((error: unknown) => {
      if (this.#me === request) this.forget()
      throw error
    })
    this.#me = request
    return request
  }

  /** Runs a login or logout. Clears the cache before and after, since a call of `me` meanwhile may return the former user. */
  async changing<T>(work: () => Promise<T>): Promise<T> {
    this.forget()
    try {
      return await work()
    } finally {
      this.forget()
    }
  }

  /** Clears the cache, for example after a 401. */
  forget(): void {
    this.#me = undefined
  }
}

/** The display name of a user: first and last name, or the username. */
export const nameOf = ({ first_name, last_name, username }: User): string =>
  [first_name, last_name].filter(Boolean).join(' ') || String(username)
