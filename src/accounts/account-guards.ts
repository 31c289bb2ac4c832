import type { AccessRules } from '../access/access-rules.ts'
import { grantsOf } from '../access/present-rights.ts'
import { type Actor, forbidden, refuseCredentials } from '../auth/permissions.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { OpenTransaction, WriteHooks, WriteTarget } from '../records/hooks.ts'
import type { Operation, ProtectedRecords, Store, StoredRecord } from '../store/store.ts'
import type { JsonObject } from '../util/json.ts'

/** What a guard reads. */
interface GuardContext {
  readonly store: Store
  readonly access: AccessRules
  /** With resets by mail, the address gives access to the account. With mail, the own address is changed by a link. */
  readonly settings: Pick<Settings, 'accounts' | 'mail'>
  /** Refuses an actor whose login was too long ago. */
  readonly requireRecent: (actor: Actor) => Promise<void>
}

/**
 * The hooks that guard accounts. They prevent privilege escalation, and ensure that an active superuser is left, so that the accounts of a
 * project can always be managed through the API.
 *
 * Only superusers change or delete a superuser's account. The password of a user with other permissions is changed by superusers only. Users
 * change their own password where the present one is asked for, so that a stolen token does not suffice. Where models have `access`, membership
 * of a group may give access as permissions do. Then a password is also guarded by the user's groups, and only superusers rename or delete a group.
 *
 * Where passwords are reset by mail, the address of a user is guarded like the password. The own address needs a recent login; where mail is set
 * up, it is changed by a link only, by superusers, too.
 */
export function accountGuards(context: GuardContext): WriteHooks {
  const superusers = new LastSuperuser(context.access.registry, context.store)
  return {
    beforeWrite({ actor, model, options }, { existing, data }) {
      if (data !== undefined) refuseCredentials(actor, model, existing, data)
      if (existing === undefined) return
      const guard = actor.isSuperuser ? undefined : GUARDS.get(model.key)
      // A token of a link shows that the user receives mails at the address.
      const isOwnAddress = model.key === 'user' && existing.id === actor.userId && options?.spentToken === undefined
      if (!isOwnAddress || !setsAddress(existing, data)) return guard?.(context, actor, existing, data)
      return guardOwnAddress(context, actor).then(() => guard?.(context, actor, existing, data))
    },
    inTransaction: (transaction) => (transaction.operations.some(mayTakeAccount) ? superusers.keep(transaction) : undefined),
  }
}

/** Judges a write of a stored record by an actor that is no superuser. `data` is undefined for a deletion. @throws {AppError} FORBIDDEN */
type Guard = (context: GuardContext, actor: Actor, record: StoredRecord, data: WriteTarget['data']) => void | Promise<void>

const guardGroup: Guard = ({ access }, actor, record, data) => {
  if (!access.isEmpty && isRenaming(record, data)) throw forbidden(actor)
}

const guardUser: Guard = async ({ store, access, settings }, actor, record, data) => {
  if (record.is_superuser === true) throw forbidden(actor)
  if (data === undefined) return
  const setsPassword = Object.hasOwn(data, 'password')
  const isOwn = record.id === actor.userId
  if (setsPassword && isOwn) throw new AppError('FORBIDDEN', OWN_PASSWORD)
  if (isOwn || !(setsPassword || (settings.accounts.password_reset && setsAddress(record, data)))) return
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

const OWN_PASSWORD = 'Change your own password with POST /auth/password, which asks for the present one'

const OWN_ADDRESS = 'Change your own address with POST /auth/email, which verifies the new one'

const setsAddress = ({ email }: StoredRecord, data: WriteTarget['data']): boolean =>
  data !== undefined && Object.hasOwn(data, 'email') && data.email !== email

/** @throws {AppError} FORBIDDEN, INSUFFICIENT_USER_AUTHENTICATION */
async function guardOwnAddress({ settings, requireRecent }: GuardContext, actor: Actor): Promise<void> {
  if (settings.mail !== undefined) throw new AppError('FORBIDDEN', OWN_ADDRESS)
  await requireRecent(actor)
}

const isRenaming = ({ name }: StoredRecord, data: WriteTarget['data']): boolean =>
  data === undefined || (Object.hasOwn(data, 'name') && data.name !== name)

/**
 * The accounts that deletions by other users must not remove by a cascade. The store checks it in the transaction of the deletion, so that an
 * account that becomes a superuser's meanwhile is protected, too.
 */
const SUPERUSERS: ProtectedRecords = { table: 'user', filter: { field: 'is_superuser', operator: 'eq', value: true } }

const protectingSuperusers = (operation: Operation): Operation =>
  operation.kind === 'remove' ? { ...operation, protectedRecords: SUPERUSERS } : operation

/** A removal may reach accounts by a cascade. */
const mayTakeAccount = ({ kind, table }: Operation): boolean => kind === 'remove' || (kind === 'update' && table === 'user')

/** The users who may do everything and can log in. */
export const ACTIVE_SUPERUSERS: readonly FieldFilter[] = [
  { field: 'is_superuser', operator: 'eq', value: true },
  { field: 'is_active', operator: 'eq', value: true },
]

const isActiveSuperuser = ({ is_superuser, is_active }: JsonObject): boolean => is_superuser === true && is_active === true

class LastSuperuser {
  readonly #registry: Registry
  readonly #store: Pick<Store, 'find'>
  /** Tables whose removals may remove users by a cascade. */
  #cascading: ReadonlySet<string> | undefined

  constructor(registry: Registry, store: Pick<Store, 'find'>) {
    this.#registry = registry
    this.#store = store
  }

  /**
   * Lets a transaction that demotes, disables or deletes active superusers expect that another one stays as it is. Of two concurrent
   * transactions that leave each other's superuser, the second is then made again, and refused.
   *
   * @throws {AppError} LAST_SUPERUSER if none would be left
   */
  async keep(transaction: OpenTransaction): Promise<void> {
    if (!transaction.write.actor.isSuperuser) transaction.operations = transaction.operations.map(protectingSuperusers)
    const { operations } = transaction
    const lost = await this.#lost(transaction)
    if (lost.size === 0 || operations.some(leavesOne)) return
    const { records } = await this.#store.find('user', { filters: ACTIVE_SUPERUSERS, sort: [], offset: 0, limit: lost.size + 1 })
    const other = records.find(({ id }) => !lost.has(id))
    if (other !== undefined) {
      transaction.operations = [...operations, { kind: 'update', table: 'user', id: other.id, values: {}, expect: other }]
      return
    }
    const [name, ...more] = [...lost.values()].map(({ username }) => `'${String(username)}'`)
    const last =
      more.length === 0
        ? `${name} is the last active superuser`
        : `${[name, ...more.slice(0, 9)].join(', ')} are the last active superusers`
    throw new AppError('LAST_SUPERUSER', `${last}; make another user a superuser first`)
  }

  /** The active superusers that a transaction demotes, disables or deletes, by id. */
  async #lost({ operations, rehearse }: OpenTransaction): Promise<ReadonlyMap<number, StoredRecord>> {
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
    const outcome = await rehearse()
    for (const { table, before, after } of outcome.ok ? outcome.changes : []) if (table === 'user') note(before, after)
    return lost
  }

  #mayRemoveUsers(table: string): boolean {
    this.#cascading ??= cascadingTo('user', this.#registry)
    return this.#cascading.has(table)
  }
}

/** The tables whose removals remove records of another table by cascades. */
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
  if (operation.table !== 'user' || operation.kind === 'remove' || operation.kind === 'assert') return false
  const before = operation.kind === 'update' ? operation.expect : undefined
  return isActiveSuperuser({ ...before, ...operation.values })
}
