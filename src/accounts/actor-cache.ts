import { LRUCache } from 'lru-cache'
import { ACCOUNT_MODELS, API_KEYS, SESSIONS } from '../auth/account-models.ts'
import { FACTORS } from '../auth/factor-models.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Claims } from '../auth/token.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { Change, Store } from '../store/store.ts'

/** Age from which an actor is read again if other processes may change the accounts, in milliseconds. */
const MAX_AGE_MS = 500
/** Maximum number of actors. */
const CAPACITY = 10_000

/** The tables that actors are read from. */
const TABLES: ReadonlySet<string> = new Set([...ACCOUNT_MODELS, SESSIONS, FACTORS, API_KEYS])

/** An actor, and when the read of it began. */
interface KnownActor {
  readonly at: number
  readonly actor: Promise<Actor>
}

/**
 * The actors of verified tokens and API keys, so that not every request reads account, session or key, and permissions. A change of any of them in this process
 * removes all actors, also those that are being read. A change in another process is seen after 500 ms.
 */
export class ActorCache {
  /**
   * Removes the actors before the response to a write is sent. On PostgreSQL the listener of the store comes too late for that: it is told of
   * changes in the order of their transactions.
   */
  readonly hooks: WriteHooks = { afterCommit: (changes) => this.#note(changes) }
  readonly #maxAge: number
  readonly #now: () => number
  /** By the subject and the id of the token. */
  readonly #actors = new LRUCache<string, KnownActor>({ max: CAPACITY })

  /** @param now a time in milliseconds that never goes back */
  constructor(store: Store, now: () => number = () => performance.now()) {
    this.#maxAge = store.isShared ? MAX_AGE_MS : Number.POSITIVE_INFINITY
    this.#now = now
    store.onChange(
      (changes) => this.#note(changes),
      () => this.#actors.clear(),
    )
  }

  /** The actor of a token. A rejected read is not kept. */
  of({ sub, jti }: Pick<Claims, 'sub' | 'jti'>, read: () => Promise<Actor>): Promise<Actor> {
    const key = `${sub} ${jti}`
    const at = this.#now()
    const last = this.#actors.get(key)
    if (last !== undefined && at - last.at < this.#maxAge) return last.actor
    const known = { at, actor: read() }
    this.#actors.set(key, known)
    known.actor.catch(() => {
      if (this.#actors.get(key) === known) this.#actors.delete(key)
    })
    return known.actor
  }

  /** Removes all actors: what they are read from was changed in another way than by a write. */
  clear(): void {
    this.#actors.clear()
  }

  #note(changes: readonly Change[]): void {
    if (changes.some(changesActors)) this.#actors.clear()
  }
}

/** The use of a key changes no rights. */
export const changesActors = ({ table, before, after }: Change): boolean =>
  TABLES.has(table) && !(table === API_KEYS && before !== undefined && after !== undefined)
