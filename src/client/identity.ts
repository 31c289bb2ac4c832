import type { Client, Me } from './client.ts'
import type { AnyModel } from './types.ts'

/** Who is logged in, asked of the server once a login, since it is limited as logins are. */
export class Identity {
  readonly #client: Client
  #me: Promise<Me<AnyModel['record']>> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /** Shared by all who ask, so that none of them can abort it. @throws {AdminError} */
  me(): Promise<Me<AnyModel['record']>> {
    this.#me ??= this.#client.me().catch((error: unknown) => {
      this.forget()
      throw error
    })
    return this.#me
  }

  /** What people call them. */
  async name(): Promise<string> {
    const { first_name, last_name, username } = (await this.me()).data
    return [first_name, last_name].filter(Boolean).join(' ') || String(username)
  }

  /** Somebody else may be logged in by now. */
  forget(): void {
    this.#me = undefined
  }
}
