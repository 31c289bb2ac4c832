import { AdminError } from './admin-error.ts'
import { sessionOf, type TokenStorage, type Tokens } from './tokens.ts'

/** Asks the server for something under `/auth/`, without a token. @throws {AdminError} */
export type AskAuth = (action: 'token' | 'refresh' | 'logout', body: object) => Promise<unknown>

/** The tokens of a user who is logged in, renewed when they have run out. */
export class Session {
  readonly #storage: TokenStorage
  readonly #ask: AskAuth
  /** What is being done with the tokens; the next thing waits for it. */
  #last: Promise<unknown> = Promise.resolve()
  /** The renewal under way, which whoever needs one of the same session shares. */
  #renewal: { readonly session: string; readonly tokens: Promise<Tokens | undefined> } | undefined

  constructor(storage: TokenStorage, ask: AskAuth) {
    this.#storage = storage
    this.#ask = ask
  }

  /** The tokens, good or not; undefined for nobody. */
  async tokens(): Promise<Tokens | undefined> {
    return this.#storage.get()
  }

  /** @throws {AdminError} */
  login(username: string, password: string): Promise<void> {
    return this.#exclusively(async () => {
      await this.#storage.set(tokensIn(await this.#ask('token', { username, password }).catch(explainLogin)))
    })
  }

  /**
   * Ends the session, here in any case.
   *
   * @throws {AdminError} when the server could not be told
   */
  logout(): Promise<void> {
    return this.#exclusively(async () => {
      const tokens = await this.#storage.get()
      await this.#storage.set(undefined)
      if (tokens?.refresh_token === undefined) return
      await this.#ask('logout', { refresh_token: tokens.refresh_token }).catch(unlessOver)
    })
  }

  /**
   * Other tokens of the same session in the place of those that were refused; undefined when there are none to be had, also when
   * somebody has logged in since, so that nothing is done in the name of another user. However many are refused at once, the refresh
   * token, which is good for one use, is used once.
   *
   * @throws {AdminError} when nobody knows: the server could not be asked, or would not answer
   */
  renew(refused: Tokens): Promise<Tokens | undefined> {
    const session = sessionOf(refused)
    if (this.#renewal?.session === session) return this.#renewal.tokens
    const renewal = {
      session,
      tokens: this.#exclusively(() => this.#renewed(refused)).finally(() => {
        if (this.#renewal === renewal) this.#renewal = undefined
      }),
    }
    this.#renewal = renewal
    return renewal.tokens
  }

  async #renewed(refused: Tokens): Promise<Tokens | undefined> {
    const tokens = await this.#storage.get()
    const session = sessionOf(refused)
    if (tokens === undefined || sessionOf(tokens) !== session) return undefined
    // Somebody was quicker: an earlier request, or another tab.
    if (tokens.access_token !== refused.access_token) return tokens
    if (tokens.refresh_token === undefined) return undefined
    const grant = await this.#ask('refresh', { refresh_token: tokens.refresh_token }).catch(unlessOver)
    const next = grant === undefined ? undefined : { ...tokensIn(grant), session }
    await this.#storage.set(next)
    return next
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = () => this.#storage.exclusively?.(work) ?? work()
    const done = this.#last.then(turn, turn)
    this.#last = done.catch(() => {})
    return done
  }
}

const tokensIn = (grant: unknown): Tokens => {
  const { access_token, refresh_token } = grant as Tokens
  return { access_token, refresh_token }
}

/** A session that is over needs no more ending or renewing. */
function unlessOver(error: unknown): undefined {
  if (error instanceof AdminError && error.type === 'authentication') return undefined
  throw error
}

/** The server says the same of every refusal; of a login people want to hear more. */
function explainLogin(error: unknown): never {
  if (!(error instanceof AdminError) || error.type !== 'authentication') throw error
  const { type, status, requestId } = error
  const message = 'The username or the password is wrong, or the account is disabled or locked'
  throw new AdminError(message, { type, status, requestId, cause: error })
}
