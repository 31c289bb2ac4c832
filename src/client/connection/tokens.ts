/** The tokens of a session, as they are stored. */
export interface Tokens {
  /** Sent with every request. */
  readonly access_token: string
  /** Valid for one renewal. A token of `admin token` comes without one. */
  readonly refresh_token?: string | undefined
  /** Identifies the session after a renewal: the access token that the session started with. */
  readonly session?: string | undefined
}

/** The identifier of the session that tokens belong to: unchanged by renewals, new with each login. */
export const sessionOf = ({ session, access_token }: Tokens): string => session ?? access_token

/**
 * The session that an access token names: the part of its id before the dot (`jti`, RFC 7519). For another token, the token itself,
 * which is the same session as no other.
 */
export function familyOf(accessToken: string): string {
  try {
    const payload = accessToken.split('.')[1] ?? ''
    const { jti } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { jti?: unknown }
    return /^([^.]+)\./.exec(String(jti))?.[1] ?? accessToken
  } catch {
    return accessToken
  }
}

/** Stores the tokens of a session, with all their members. */
export interface TokenStorage {
  /** Returns the stored tokens; undefined without a session. */
  get(): Tokens | undefined | Promise<Tokens | undefined>
  /** Stores tokens; `undefined` removes them. */
  set(tokens: Tokens | undefined): void | Promise<void>
  /**
   * Runs `work` under a lock that all users of the storage share. A storage shared by several pages or processes needs it: using a
   * refresh token twice ends its session.
   */
  exclusively?<T>(work: () => Promise<T>): Promise<T>
}

/** Creates a storage in memory: tokens are lost when the page or program ends. */
export function memoryStorage(tokens?: Tokens): TokenStorage {
  let stored = tokens
  return {
    get: () => stored,
    set: (next) => {
      stored = next
    },
  }
}

/** The part of the Web Storage API that is used. */
interface KeyValueStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The part of the Web Locks API that is used. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>
}

/**
 * Creates a storage in `localStorage`, which survives a reload and is shared by all tabs, or in `sessionStorage`.
 *
 * Tabs renew tokens one at a time by the Web Locks API, which current browsers provide on HTTPS and localhost. Without it, tabs may
 * renew at the same time, which ends the session.
 *
 * @param key the name of the storage entry and of the lock
 * @param locks replaces `navigator.locks`
 */
export function webStorage(
  storage: KeyValueStorage,
  key = 'admin-folder',
  locks: Locks | undefined = browserLocks(),
): TokenStorage {
  return {
    get: () => readTokens(storage.getItem(key)),
    set: (tokens) => (tokens === undefined ? storage.removeItem(key) : storage.setItem(key, JSON.stringify(tokens))),
    exclusively: (work) => (locks === undefined ? work() : locks.request(key, work)),
  }
}

const browserLocks = (): Locks | undefined => (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks

/** Parses stored tokens; undefined for anything else, since other scripts may write to the same storage. */
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
