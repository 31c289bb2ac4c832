import type { Actor } from '../auth/permissions.ts'
import type { Log } from '../log/log.ts'
import type { Change, Outcome, StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'

/** Fields that grant permissions. */
const RIGHTS = ['is_superuser', 'groups', 'permissions'] as const

/** Logs changes of accounts: creation, deletion, activation, passwords and permissions, with the actor. */
export class AccountLog {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** Logs the account changes of a transaction, including cascades. */
  log(actor: Actor, outcome: Outcome): void {
    if (!outcome.ok) return
    for (const change of outcome.changes) if (change.table === 'user') this.#tellOf(actor, change)
  }

  #tellOf(actor: Actor, { id, before, after }: Change): void {
    const username = String((after ?? before)?.username)
    const say = (event: string, message: string) =>
      this.#log.info(message, { event, user_id: id, username, by: actor.userId ?? 'system' })
    if (before === undefined) say('user_created', 'User created')
    else if (after === undefined) say('user_deleted', 'User deleted')
    else {
      if (before.is_active === true && after.is_active !== true) say('user_disabled', 'User disabled')
      if (before.is_active !== true && after.is_active === true) say('user_enabled', 'User enabled')
      if (before.password !== after.password) say('password_changed', 'Password changed')
      if (RIGHTS.some((field) => !isSame(before, after, field))) say('rights_changed', 'Rights changed')
    }
  }
}

const isSame = (before: StoredRecord, after: StoredRecord, field: string): boolean =>
  JSON.stringify(given(before[field])) === JSON.stringify(given(after[field]))

/** Unset and empty values grant nothing, so they count as equal. */
const given = (value: Json | undefined): Json => (value === undefined || value === false || isEmpty(value) ? null : value)

const isEmpty = (value: Json): boolean => Array.isArray(value) && value.length === 0
