import type { AccessRules } from '../access/access-rules.ts'
import { type Actor, forbidden } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { Change, Operation, Outcome, ProtectedRecords, ReadAge, Store, StoredRecord } from '../store/store.ts'
import type { JsonObject } from '../util/json.ts'
import type { DraftedWrite } from './drafts.ts'
import type { RecordData } from './write-requests.ts'

/** A change of a user's password or active state. */
export interface AccessChange {
  /** The user after the change. */
  readonly user: StoredRecord
  /** Id of the session that goes on; undefined if all sessions of the user end. */
  readonly keptSession: number | undefined
}

/** Called when a user's password or active state changes. */
export interface AccessGuard {
  /** Operations to commit in the same transaction, so that no other session survives the change. */
  relatedOperations(changes: readonly AccessChange[]): Promise<readonly Operation[]>
  /**
   * Called after the commit.
   *
   * @param users the users after the change
   */
  changed(users: readonly StoredRecord[]): Promise<void>
}

/** The codenames that a user holds directly and through groups, and the names of the groups. Superusers need none. */
export async function grantsOf(store: Store, user: StoredRecord, age?: ReadAge): Promise<Pick<Actor, 'permissions' | 'groups'>> {
  const groups = await store.get('group', linksIn(user, 'groups'), age)
  const ids = new Set([user, ...groups].flatMap((holder) => (holder === undefined ? [] : linksIn(holder, 'permissions'))))
  const permissions = await store.get('permission', [...ids], age)
  return {
    permissions: new Set(permissions.map((permission) => String(permission?.codename))),
    groups: new Set(groups.map((group) => String(group?.name))),
  }
}

/** What a guard reads. */
interface GuardContext {
  readonly store: Store
  readonly access: AccessRules
}

/** Judges a write of a stored record by an actor that is no superuser. `data` is undefined for a deletion. */
type Guard = (context: GuardContext, actor: Actor, record: StoredRecord, data: RecordData | undefined) => Promise<void>

/** Only superusers rename or delete a group that may give access. */
const guardGroup: Guard = async ({ access }, actor, record, data) => {
  if (!access.isEmpty && isRenaming(record, data)) throw forbidden(actor)
}

const guardUser: Guard = async ({ store, access }, actor, record, data) => {
  if (record.is_superuser === true) throw forbidden(actor)
  if (data === undefined || !Object.hasOwn(data, 'password')) return
  if (record.id === actor.userId) throw new AppError('FORBIDDEN', OWN_PASSWORD)
  const { permissions, groups } = await grantsOf(store, record)
  for (const codename of permissions) if (!actor.permissions.has(codename)) throw forbidden(actor)
  if (access.isEmpty) return
  for (const group of groups) if (!actor.groups.has(group)) throw forbidden(actor)
}

/** The models whose records are guarded, by key. */
const GUARDS: ReadonlyMap<string, Guard> = new Map([
  ['user', guardUser],
  ['group', guardGroup],
])

/** True for the models whose records `guardAccount` judges; those of others pass. */
export const isGuarded = ({ key }: Model): boolean => GUARDS.has(key)

/**
 * Prevents privilege escalation: only superusers change or delete a superuser's account. The password of a user with other
 * permissions is changed by superusers only. Users change their own password where the present one is asked for, so that a stolen
 * token does not suffice. Where models have `access`, membership of a group may give access as permissions do, so that a password is
 * also guarded by the user's groups, and only superusers rename or delete a group.
 *
 * @param record as stored
 * @param data values to set; undefined for a deletion
 * @throws {AppError} FORBIDDEN
 */
export async function guardAccount(
  context: GuardContext,
  actor: Actor,
  { key }: Model,
  record: StoredRecord,
  data?: RecordData,
): Promise<void> {
  if (!actor.isSuperuser) await GUARDS.get(key)?.(context, actor, record, data)
}

const OWN_PASSWORD = 'Change your own password with POST /auth/password, which asks for the present one'

const isRenaming = ({ name }: StoredRecord, data: RecordData | undefined): boolean =>
  data === undefined || (Object.hasOwn(data, 'name') && data.name !== name)

/**
 * The accounts that deletions by other users must not remove by a cascade. The store checks it in the transaction of the deletion, so that an
 * account that becomes a superuser's meanwhile is spared too.
 */
export const SUPERUSERS: ProtectedRecords = { table: 'user', filter: { field: 'is_superuser', operator: 'eq', value: true } }

/** The changes of passwords and active states by the operations of writes. */
export const accessChanges = (writes: readonly DraftedWrite[], operations: readonly Operation[]): AccessChange[] =>
  writes.flatMap(({ model, existing, keptSession }, index) => {
    const operation = operations[index]
    if (model.key !== 'user' || existing === undefined || operation?.kind !== 'update') return []
    const user = { ...existing, ...operation.values }
    return changesAccess(existing, user) ? [{ user, keptSession }] : []
  })

/** The users whose password or active state has changed. */
export function usersAffected(changes: readonly Change[]): StoredRecord[] {
  return changes.flatMap(({ table, before, after }) => {
    if (table !== 'user' || before === undefined || after === undefined) return []
    return changesAccess(before, after) ? [after] : []
  })
}

/** True if the password or the active state differs. */
export const changesAccess = (before: StoredRecord, after: StoredRecord): boolean =>
  before.password !== after.password || before.is_active !== after.is_active

const linksIn = (record: StoredRecord, field: string): readonly number[] => {
  const ids = record[field]
  return Array.isArray(ids) ? (ids as readonly number[]) : []
}

/** The users who may do everything and can log in. */
export const ACTIVE_SUPERUSERS: readonly FieldFilter[] = [
  { field: 'is_superuser', operator: 'eq', value: true },
  { field: 'is_active', operator: 'eq', value: true },
]

const isActiveSuperuser = ({ is_superuser, is_active }: JsonObject): boolean => is_superuser === true && is_active === true

/** Finds out what a transaction would change. */
type Rehearse = (operations: readonly Operation[]) => Promise<Outcome>

/** Ensures that an active superuser is left, so that the accounts of a project can always be managed through the API. */
export class LastSuperuser {
  readonly #registry: Registry
  readonly #store: Pick<Store, 'find'>
  readonly #rehearse: Rehearse
  /** Tables whose removals may remove users by a cascade. */
  #cascading: ReadonlySet<string> | undefined

  constructor(registry: Registry, store: Pick<Store, 'find'>, rehearse: Rehearse) {
    this.#registry = registry
    this.#store = store
    this.#rehearse = rehearse
  }

  /**
   * The operations to add to a transaction that demotes, disables or deletes active superusers: they expect that another one stays as it
   * is. Of two concurrent transactions that leave each other's superuser, the second is then made again, and refused.
   *
   * @param operations with the records that updates and removals expect
   * @throws {AppError} LAST_SUPERUSER if none would be left
   */
  async kept(operations: readonly Operation[]): Promise<readonly Operation[]> {
    const lost = await this.#lost(operations)
    if (lost.size === 0 || operations.some(leavesOne)) return []
    const { records } = await this.#store.find('user', { filters: ACTIVE_SUPERUSERS, sort: [], offset: 0, limit: lost.size + 1 })
    const other = records.find(({ id }) => !lost.has(id))
    if (other !== undefined) return [{ kind: 'update', table: 'user', id: other.id, values: {}, expect: other }]
    const [name, ...more] = [...lost.values()].map(({ username }) => `'${String(username)}'`)
    const last =
      more.length === 0
        ? `${name} is the last active superuser`
        : `${[name, ...more.slice(0, 9)].join(', ')} are the last active superusers`
    throw new AppError('LAST_SUPERUSER', `${last}; make another user a superuser first`)
  }

  /** The active superusers that a transaction demotes, disables or deletes, by id. */
  async #lost(operations: readonly Operation[]): Promise<ReadonlyMap<number, StoredRecord>> {
    const lost = new Map<number, StoredRecord>()
    const note = (before: StoredRecord | undefined, after: JsonObject | undefined) => {
      if (before === undefined || !isActiveSuperuser(before)) return
      if (after === undefined || !isActiveSuperuser(after)) lost.set(before.id, before)
    }
    for (const operation of operations) {
      if (operation.table !== 'user' || operation.kind === 'insert') continue
      note(operation.expect, operation.kind === 'update' ? { ...operation.expect, ...operation.values } : undefined)
    }
    if (!operations.some(({ kind, table }) => kind === 'remove' && this.#mayRemoveUsers(table))) return lost
    const outcome = await this.#rehearse(operations)
    for (const { table, before, after } of outcome.ok ? outcome.changes : []) if (table === 'user') note(before, after)
    return lost
  }

  #mayRemoveUsers(table: string): boolean {
    this.#cascading ??= cascadingTo('user', this.#registry)
    return this.#cascading.has(table)
  }
}

/** The tables of which a removal removes records of another table by cascades. */
function cascadingTo(table: string, registry: Registry): ReadonlySet<string> {
  const found = new Set<string>()
  const pending = [table]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { relation } of registry.expect(next).relations.values()) {
      if (relation.kind !== 'one' || relation.onDelete !== 'cascade' || found.has(relation.target)) continue
      found.add(relation.target)
      pending.push(relation.target)
    }
  }
  return found
}

/** True for an operation after which its user is an active superuser. */
const leavesOne = (operation: Operation): boolean => {
  if (operation.table !== 'user' || operation.kind === 'remove') return false
  const before = operation.kind === 'update' ? operation.expect : undefined
  return isActiveSuperuser({ ...before, ...operation.values })
}
