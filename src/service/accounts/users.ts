import { AppError } from '../../errors.ts'
import type { FieldFilter } from '../../query/plan.ts'
import type { Store, StoredRecord } from '../../store/store.ts'

/** The active superuser with the lowest id. */
export function firstSuperuser(store: Store): Promise<StoredRecord | undefined> {
  return firstUser(store, [
    { field: 'is_superuser', operator: 'eq', value: true },
    { field: 'is_active', operator: 'eq', value: true },
  ])
}

/** The user with this name, active or not. */
export function userNamed(store: Store, username: string): Promise<StoredRecord | undefined> {
  return firstUser(store, [{ field: 'username', operator: 'eq', value: username }])
}

/** @throws {AppError} TASK_FAILED if there is no such user */
export async function expectUser(store: Store, username: string): Promise<StoredRecord> {
  const user = await userNamed(store, username)
  if (user === undefined) throw new AppError('TASK_FAILED', `There is no user '${username}'; see \`admin users list\``)
  return user
}

/**
 * The account of a token that is issued without a login: the named one, or the first superuser.
 *
 * @throws {AppError} TASK_FAILED if there is none, or it is disabled
 */
export async function tokenHolder(store: Store, username: string | undefined): Promise<StoredRecord> {
  const user = username === undefined ? await firstSuperuser(store) : await expectUser(store, username)
  if (user === undefined) {
    throw new AppError('TASK_FAILED', 'There is no superuser yet; add one: admin users add NAME --email ADDRESS --superuser')
  }
  if (user.is_active === true) return user
  throw new AppError('TASK_FAILED', `User '${String(user.username)}' is disabled, so a server would reject the token`)
}

async function firstUser(store: Store, filters: readonly FieldFilter[]): Promise<StoredRecord | undefined> {
  const { records } = await store.find('user', { filters, sort: [], offset: 0, limit: 1 })
  return records[0]
}
