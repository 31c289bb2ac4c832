import { VERIFIED_ADDRESSES } from '../auth/token-models.ts'
import type { FieldFilter } from '../query/plan.ts'
import type { OpenTransaction, WriteHooks } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import type { Operation, Store, StoredRecord } from '../store/store.ts'
import { type Clock, isoTime } from '../util/clock.ts'
import type { JsonObject } from '../util/json.ts'

/** Which users have shown that they receive mails at their address. A change of the address by any other way ends that. */
export class VerifiedAddresses {
  readonly #store: Store
  readonly #records: Pick<Records, 'commitInternal'>
  readonly #clock: Clock
  /** Forget the address of a user whose address is changed, in the same transaction. */
  readonly hooks: WriteHooks = { inTransaction: (transaction) => this.#forgetChanged(transaction) }

  constructor({ store, records, clock }: { store: Store; records: Pick<Records, 'commitInternal'>; clock: Clock }) {
    this.#store = store
    this.#records = records
    this.#clock = clock
  }

  /** True if the present address of a user, exactly as it is stored, was verified. */
  async has({ id, email }: { readonly id: number; readonly email?: unknown }): Promise<boolean> {
    return (await this.#of([id])).some((record) => record.email === email)
  }

  /** Notes that the present address of a user is verified. */
  async add(user: StoredRecord): Promise<void> {
    const operations = await this.operationsFor(user)
    if (operations.length > 0) await this.#records.commitInternal(operations)
  }

  /** The operations that note it, for a transaction; none if it is noted already. */
  async operationsFor({ id, email }: StoredRecord): Promise<readonly Operation[]> {
    const known = await this.#of([id])
    if (known.some((record) => record.email === email)) return []
    const values = { user_id: id, email: String(email), at: isoTime(this.#clock()) }
    return [...known.map(removal), { kind: 'insert', table: VERIFIED_ADDRESSES, values }]
  }

  /**
   * Operations that are refused unless the present address of a user is still verified. Of several transactions with them at once, one succeeds.
   *
   * @returns undefined if it is not verified
   */
  async requiring(user: StoredRecord): Promise<readonly Operation[] | undefined> {
    const known = (await this.#of([user.id])).find(({ email }) => email === user.email)
    if (known === undefined) return undefined
    const { id, user_id, email, at } = known
    return [
      { kind: 'assert', table: 'user', id: user.id, expect: user },
      { kind: 'remove', table: VERIFIED_ADDRESSES, id, expect: known },
      { kind: 'insert', table: VERIFIED_ADDRESSES, values: { user_id, email, at } as JsonObject },
    ]
  }

  async #forgetChanged(transaction: OpenTransaction): Promise<void> {
    const ids = transaction.operations.flatMap((operation) => {
      if (operation.kind !== 'update' || operation.table !== 'user' || !Object.hasOwn(operation.values, 'email')) return []
      return operation.expect?.email === operation.values.email ? [] : [operation.id]
    })
    if (ids.length === 0 || transaction.write.options?.dryRun === true) return
    const forgotten = (await this.#of(ids)).map(removal)
    if (forgotten.length > 0) transaction.operations = [...transaction.operations, ...forgotten]
  }

  async #of(ids: readonly number[]): Promise<readonly StoredRecord[]> {
    const filters: FieldFilter[] = [{ field: 'user_id', operator: 'in', values: [...ids] }]
    const plan = { filters, sort: [], offset: 0, limit: Number.POSITIVE_INFINITY }
    return (await this.#store.find(VERIFIED_ADDRESSES, plan, { withoutTotal: true })).records
  }
}

const removal = ({ id }: StoredRecord): Operation => ({ kind: 'remove', table: VERIFIED_ADDRESSES, id })
