import type { AccessRules } from '../access/access-rules.ts'
import { unauthenticated } from '../auth/login-failure.ts'
import type { Actor } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import { isSameValue, type Store, type StoredRecord } from '../store/store.ts'
import type { JsonObject } from '../util/json.ts'
import { grantsOf } from './account-guards.ts'

/** A write of more records than this takes several turns of the event loop, in which other requests are answered. */
export const LARGE = 100

/**
 * When writes run and commit beside others. A write of many records is drafted between other requests, so that a few steady small writes to
 * its records would make it begin again without end; once overtaken it runs alone.
 */
export class WriteTurns {
  readonly #store: Store
  readonly #access: AccessRules
  #turn: Promise<void> | undefined

  constructor(store: Store, access: AccessRules) {
    this.#store = store
    this.#access = access
  }

  /** Runs a write as soon as no other one runs alone. */
  async beside<T>(write: () => Promise<T>): Promise<T> {
    while (this.#turn !== undefined) await this.#turn
    return write()
  }

  /** Runs a write that the writes which begin later wait for. */
  async alone<T>(write: () => Promise<T>): Promise<T> {
    while (this.#turn !== undefined) await this.#turn
    let end = () => {}
    this.#turn = new Promise((resolve) => {
      end = resolve
    })
    try {
      return await write()
    } finally {
      this.#turn = undefined
      end()
    }
  }

  /**
   * Resolves when a write may commit: no other transaction runs, and the actor of a write that waited or is large still has its rights.
   *
   * @throws {AppError} UNAUTHENTICATED, WRITE_CONFLICT
   */
  async admitted(actor: Actor, size: number): Promise<void> {
    let wait = this.#store.running
    if (wait === undefined && size <= LARGE) return
    do {
      while (wait !== undefined) {
        await wait
        wait = this.#store.running
      }
      await checkPresentRights(this.#store, this.#access, actor)
      wait = this.#store.running
    } while (wait !== undefined)
  }
}

/** Fields of a user that the server sets, and that no right depends on. */
const INCIDENTAL: ReadonlySet<string> = new Set(['last_login', 'updated_at'])

/**
 * Checks that a user still has the rights of an actor. A request gets its actor when it begins; a write that waited for others is judged again
 * before its commit.
 *
 * @throws {AppError} UNAUTHENTICATED for an account that was disabled or deleted meanwhile, WRITE_CONFLICT for other rights
 */
async function checkPresentRights(store: Store, access: AccessRules, actor: Actor): Promise<void> {
  const { userId, user, isSuperuser } = actor
  // The server, the shell, and the server on behalf of a user keep their rights.
  if (userId === undefined || user === undefined || (isSuperuser && user.is_superuser !== true)) return
  const [present] = await store.get('user', [userId])
  if (present?.is_active !== true) throw unauthenticated()
  if ((present.is_superuser === true) !== isSuperuser) throw changed()
  if (isSuperuser) return
  // Conditions of `access:` may name any field of the user.
  if (!access.isEmpty && differs(present, user)) throw changed()
  const { permissions, groups } = await grantsOf(store, present)
  if (!isSameSet(permissions, actor.permissions) || !isSameSet(groups, actor.groups)) throw changed()
}

const changed = (): AppError =>
  new AppError('WRITE_CONFLICT', 'The permissions of the user have changed meanwhile; nothing was written. Repeat the request')

const differs = (present: StoredRecord, user: JsonObject): boolean =>
  present !== user &&
  Object.keys({ ...user, ...present }).some(
    (name) => !INCIDENTAL.has(name) && !isSameValue(present[name] ?? null, user[name] ?? null),
  )

const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((each) => other.has(each))
