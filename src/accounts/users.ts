import { AppError } from '../errors.ts'
import { hasDefault, isNeeded, isSettable } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { JsonObject } from '../util/json.ts'
import { ACTIVE_SUPERUSERS } from './account-guards.ts'

/** The active superuser with the lowest id. */
export function firstSuperuser(store: Store): Promise<StoredRecord | undefined> {
  return firstUser(store, ACTIVE_SUPERUSERS)
}

/**
 * The user with this name, active or not. Keyboards and systems write letters with accents in different ways, so a name is also found in its
 * other canonical form (NFC, NFD); a user with the name as it is typed precedes.
 */
export async function userNamed(store: Store, username: string): Promise<StoredRecord | undefined> {
  const values = [...new Set([username, username.normalize('NFC'), username.normalize('NFD')])]
  if (values.length === 1) return firstUser(store, [{ field: 'username', operator: 'eq', value: username }])
  const filter: FieldFilter = { field: 'username', operator: 'in', values }
  const { records } = await store.find('user', { filters: [filter], sort: [], offset: 0, limit: values.length })
  return records.find((user) => user.username === username) ?? records[0]
}

/** The command that adds a superuser, with the fields that the project's user model needs beyond the built-in ones. */
export function superuserCommand(users: Model): string {
  const given = ['username', 'email', 'password']
  const needed = [...users.fields.values()].filter((field) => isNeeded(field) && isSettable(field) && !hasDefault(field))
  const further = needed.filter(({ name }) => !given.includes(name)).map(({ name }) => ` --set ${name}=…`)
  return `admin users add NAME --email ADDRESS --superuser${further.join('')}`
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
 * @param users the model of users
 * @throws {AppError} TASK_FAILED without such a user, or for a disabled one
 */
export async function tokenHolder(store: Store, users: Model, username: string | undefined): Promise<StoredRecord> {
  const user = username === undefined ? await firstSuperuser(store) : await expectUser(store, username)
  if (user === undefined) {
    throw new AppError('TASK_FAILED', `There is no superuser yet; add one: ${superuserCommand(users)}`)
  }
  if (user.is_active === true) return user
  throw new AppError('TASK_FAILED', `User '${String(user.username)}' is disabled, so a server would reject the token`)
}

async function firstUser(store: Store, filters: readonly FieldFilter[]): Promise<StoredRecord | undefined> {
  const { records } = await store.find('user', { filters, sort: [], offset: 0, limit: 1 })
  return records[0]
}

/** False for users who log in by a provider only, or by keys. */
export const hasPassword = ({ password }: JsonObject): boolean => typeof password === 'string' && password !== ''
