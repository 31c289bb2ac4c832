import type { Actor } from '../auth/permissions.ts'
import type { Log } from '../log/log.ts'
import type { WriteHooks } from '../records/hooks.ts'
import type { Change, StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'

/** Fields that grant permissions. */
const RIGHTS = ['is_superuser', 'groups', 'permissions'] as const

/** The hook that logs changes of accounts, by cascades too: creation, deletion, activation, passwords and permissions, with the actor. */
export const accountLog = (log: Log): WriteHooks => ({
  afterCommit(changes, { actor }) {
    for (const change of changes) if (change.table === 'user') logChange(log, actor, change)
  },
})

function logChange(log: Log, actor: Actor, { id, before, after }: Change): void {
  const username = String((after ?? before)?.username)
  const say = (event: string, message: string) =>
    log.info(message, { event, user_id: id, username, by: actor.userId ?? 'system' })
  if (before === undefined) say('user_created', 'User created')
  else if (after === undefined) say('user_deleted', 'User deleted')
  else {
    if (before.is_active === true && after.is_active !== true) say('user_disabled', 'User disabled')
    if (before.is_active !== true && after.is_active === true) say('user_enabled', 'User enabled')
    if (before.password !== after.password) say('password_changed', 'Password changed')
    if (RIGHTS.some((field) => !isSame(before, after, field))) say('rights_changed', 'Rights changed')
  }
}

const isSame = (before: StoredRecord, after: StoredRecord, field: string): boolean =>
  JSON.stringify(given(before[field])) === JSON.stringify(given(after[field]))

/** Unset and empty values grant nothing, so they count as equal. */
const given = (value: Json | undefined): Json => (value === undefined || value === false || isEmpty(value) ? null : value)

const isEmpty = (value: Json): boolean => Array.isArray(value) && value.length === 0
