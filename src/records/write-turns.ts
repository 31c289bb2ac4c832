import type { AccessRules } from '../access/access-rules.ts'
import { checkPresentRights } from '../access/present-rights.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Store } from '../store/store.ts'

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
