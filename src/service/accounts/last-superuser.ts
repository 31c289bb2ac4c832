import { AppError } from '../../errors.ts'
import type { Registry } from '../../model/registry.ts'
import type { FieldFilter } from '../../query/plan.ts'
import type { Operation, Outcome, Store, StoredRecord } from '../../store/store.ts'
import type { JsonObject } from '../../util/json.ts'

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
