/** What a login is answered with, as far as it is kept. */
export interface Tokens {
  readonly access_token: string
  /** Good for one renewal. A token of `admin token` has none. */
  readonly refresh_token?: string | undefined
  /** Of tokens that were renewed, the access token that the session began with: by it one session is told from another. */
  readonly session?: string | undefined
}

/** Which session tokens are of: the same after each renewal, another after each login. */
export const sessionOf = ({ session, access_token }: Tokens): string => session ?? access_token

/** Where the tokens of a session are kept, with all their members. */
export interface TokenStorage {
  get(): Tokens | undefined | Promise<Tokens | undefined>
  /** @param tokens undefined forgets them */
  set(tokens: Tokens | undefined): void | Promise<void>
  /**
   * Runs `work` while nobody else who shares the storage does such a thing. A refresh token that is used twice ends its session,
   * so a storage that several pages or processes share needs this.
   */
  exclusively?<T>(work: () => Promise<T>): Promise<T>
}

/** Keeps tokens as long as the program runs, for nobody else. */
export function memoryStorage(tokens?: Tokens): TokenStorage {
  let kept = tokens
  return {
    get: () => kept,
    set: (next) => {
      kept = next
    },
  }
}

/** As much of the Web Storage API as is needed. */
interface KeyValueStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** As much of the Web Locks API as is needed. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>
}

/**
 * Keeps tokens in `localStorage`, so that a session outlasts a reload and is that of all tabs, or in `sessionStorage`. Tabs renew
 * them one at a time, by the Web Locks API, which every current browser has on pages of https and of localhost.
 *
 * @param key the name under which they are kept, of storage and lock
 */
export function webStorage(
  storage: KeyValueStorage,
  key = 'admin-backend',
  locks: Locks | undefined = browserLocks(),
): TokenStorage {
  return {
    get: () => readTokens(storage.getItem(key)),
    set: (tokens) => (tokens === undefined ? storage.removeItem(key) : storage.setItem(key, JSON.stringify(tokens))),
    exclusively: (work) => (locks === undefined ? work() : locks.request(key, work)),
  }
}

const browserLocks = (): Locks | undefined => (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks

/** What somebody else wrote there is no token. */
function readTokens(text: string | null): Tokens | undefined {
  try {
    const { access_token, refresh_token, session } = JSON.parse(text ?? '') as Partial<Record<keyof Tokens, unknown>>
    if (typeof access_token !== 'string') return undefined
    return {
      access_token,
      ...(typeof refresh_token === 'string' ? { refresh_token } : {}),
      ...(typeof session === 'string' ? { session } : {}),
    }
  } catch {
    return undefined
  }
}
