import { createContext, use, useSyncExternalStore } from 'react'
import { AdminError, type Client } from '../../client/client.ts'
import { mayHaveSession } from '../page-settings.ts'
import type { PreferenceStore } from '../preferences.ts'
import { RequestWaits } from './request-waits.ts'

/**
 * What calls wait for: `expired` for a login, since the session has ended; `unconfirmed` for a proof that it is still the user;
 * `unprotected` for the second factor that the account must have.
 */
export type SessionNeed = 'expired' | 'unconfirmed' | 'unprotected'

/** The state of the login: `unknown` until the server was asked, or what the page waits for. */
type SessionState = 'unknown' | 'logged-out' | 'logged-in' | SessionNeed

/** What the user has to do before a refused call can be repeated; undefined if repeating does not help. */
function needOf({ type, summary, secondFactor }: AdminError): SessionNeed | undefined {
  if (summary === 'insufficient_user_authentication') return 'unconfirmed'
  if (secondFactor?.enrol === true) return 'unprotected'
  return type === 'authentication' ? 'expired' : undefined
}

/** Limits of the repetitions of a call that the server refuses for now. */
const MAX_REPETITIONS = 10
const MAX_SECONDS = 60

/** The login of the page. Calls that the server refuses until the user has done something wait for that and are then repeated. */
export class PageSession {
  readonly client: Client
  readonly waits: RequestWaits
  readonly #preferences: PreferenceStore
  #state: SessionState = 'unknown'
  readonly #listeners = new Set<() => void>()
  /** Resolves when the user has done what is needed; shared by all calls that wait for it. */
  #renewal: Promise<void> | undefined
  /** Ends the wait of these calls: with an error, or without one after a login. */
  #endRenewal: ((error?: AdminError) => void) | undefined
  /** Number of logins. A call that began before the last one may fail with the session that this login replaced. */
  #logins = 0
  #logout = new AbortController()
  #start: Promise<void> | undefined

  /** @param client a client that repeats nothing by itself */
  constructor(client: Client, preferences: PreferenceStore, waits = new RequestWaits()) {
    this.client = client
    this.waits = waits
    this.#preferences = preferences
  }

  readonly state = (): SessionState => this.#state

  /** Registers a listener for changes of the state; returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Continues the session of the cookie, if there is one. Repeated calls wait for the first one.
   *
   * @throws {AdminError} when the server cannot be reached
   */
  start(): Promise<void> {
    this.#start ??= this.#continue().finally(() => {
      this.#start = undefined
    })
    return this.#start
  }

  async #continue(): Promise<void> {
    if (this.#state !== 'unknown') return
    const hasToken = mayHaveSession(this.#preferences) && (await this.#patiently(() => this.client.hasToken()))
    this.#set(hasToken ? 'logged-in' : 'logged-out')
  }

  /** @throws {AdminError} for a wrong password, with `secondFactor` if a code is missing or wrong, or without a connection */
  login(username: string, password: string, otp?: string): Promise<void> {
    return this.enter((client) => client.login(username, password, otp))
  }

  /** Begins or confirms a session; calls that wait for that are repeated. @throws what the work throws */
  async enter<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const result = await work(this.client)
    this.#logins++
    if (this.#logout.signal.aborted) this.#logout = new AbortController()
    this.#set('logged-in')
    this.#settleRenewal()
    return result
  }

  /** Goes on without the confirmation: the calls that wait for it fail. @param message the message of their error */
  decline(message: string): void {
    this.#set('logged-in')
    this.#settleRenewal(new AdminError(message, { type: 'permission', status: 401 }))
  }

  /**
   * Aborted when a logout of the present session begins. Streams end then: the server closes those of an ended session, and they would ask it again
   * without a token.
   */
  get untilLogout(): AbortSignal {
    return this.#logout.signal
  }

  /** Ends the session. Calls that wait for the password fail with the error that they met. */
  async logout(): Promise<void> {
    this.#logout.abort()
    try {
      await this.client.logout()
    } finally {
      this.leave()
    }
  }

  /** Gives up an expired session: the page returns to the login. */
  leave(): void {
    this.#set('logged-out')
    this.#settleRenewal(new AdminError('Logged out', { type: 'authentication', status: 401 }))
  }

  /**
   * Runs calls of the API. When the session has ended, waits until the user has entered the password, and runs them again. The same for
   * other needs.
   *
   * @throws {AdminError}
   */
  async run<T>(work: (client: Client) => Promise<T>): Promise<T> {
    for (;;) {
      const logins = this.#logins
      try {
        return await work(this.client)
      } catch (error) {
        const need = error instanceof AdminError && this.#state !== 'logged-out' ? needOf(error) : undefined
        if (need === undefined) throw error
        if (logins === this.#logins) await this.#renewed(need)
      }
    }
  }

  /**
   * Runs calls that change nothing. When the server refuses them for now, by 429 or 503 with `Retry-After`, waits and runs them again: at
   * most 10 times, each after at most 60 seconds.
   *
   * @param signal ends the wait
   * @throws {AdminError}
   */
  read<T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
    return this.#patiently(() => this.run(work), signal)
  }

  async #patiently<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let repetition = 0; ; repetition++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof AdminError) || (error.type !== 'rate_limit' && error.type !== 'unavailable')) throw error
        const { type, retryAfter = Number.POSITIVE_INFINITY } = error
        if (repetition === MAX_REPETITIONS || retryAfter > MAX_SECONDS) throw error
        await this.waits.wait(retryAfter, type, signal)
      }
    }
  }

  #renewed(need: SessionNeed): Promise<void> {
    this.#renewal ??= new Promise((resolve, reject) => {
      this.#endRenewal = (error) => (error === undefined ? resolve() : reject(error))
    })
    // A login also confirms.
    if (this.#state !== 'expired') this.#set(need)
    return this.#renewal
  }

  #settleRenewal(error?: AdminError): void {
    this.#endRenewal?.(error)
    this.#renewal = undefined
    this.#endRenewal = undefined
  }

  #set(state: SessionState): void {
    if (state === this.#state) return
    this.#state = state
    if (state === 'logged-in') this.#preferences.set('hasSession', true)
    if (state === 'logged-out') this.#preferences.set('hasSession', undefined)
    for (const listener of this.#listeners) listener()
  }
}

/** Provides the session to the components of the page. */
export const SessionContext = createContext<PageSession | undefined>(undefined)

/** The session of the page. */
export function useSession(): PageSession {
  const session = use(SessionContext)
  if (session === undefined) throw new Error('SessionContext has no value')
  return session
}

/** The state of the session; the component renders again when it changes. */
export function useSessionState(): SessionState {
  const session = useSession()
  return useSyncExternalStore(session.subscribe, session.state)
}
