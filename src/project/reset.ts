import { ACCOUNT_TABLES } from '../auth/account-models.ts'
import type { SeedFile } from '../config/project-files.ts'
import { AppError } from '../errors.ts'
import { FILE_TABLE } from '../model/files.ts'
import type { Registry } from '../model/registry.ts'
import type { Records } from '../records/records.ts'
import { HISTORY_TABLE, type Operation, type Store, type StoredRecord } from '../store/store.ts'
import { SUBSCRIPTIONS } from '../webhooks/models.ts'

/** A request to remove every record. Accounts are users, groups and permissions. */
export interface ResetRequest {
  /** Creates the seed records afterwards. */
  readonly seeds: boolean
  /** Removes accounts, too. */
  readonly accounts: boolean
}

/** The scope of a reset. */
export interface ResetPlan {
  /** The tables that stay. */
  readonly keep: ReadonlySet<string>
  /** Number of records to remove, by model; without models that have none. */
  readonly removed: Readonly<Record<string, number>>
  /** Number of webhook subscriptions to remove, with their secrets, events and deliveries. */
  readonly webhooks: number
  /** Number of history entries to remove. */
  readonly history: number
}

/** Accounts with what belongs to them, such as sessions. */
const KEPT_TABLES: ReadonlySet<string> = new Set(ACCOUNT_TABLES)

const NOTHING: ReadonlySet<string> = new Set()

/** Plans a reset. Without users and groups, a reset with seeds creates the accounts of the seed files, as the first start does. */
export async function planReset(store: Store, registry: Registry, { accounts, seeds }: ResetRequest): Promise<ResetPlan> {
  const { records } = await store.status()
  const count = (table: string) => records.get(table) ?? 0
  const keepsAccounts = !accounts && !(seeds && count('user') + count('group') === 0)
  // The files of accounts, such as pictures of users.
  const files = registry.withFiles.some(({ key }) => KEPT_TABLES.has(key)) ? [FILE_TABLE] : []
  const keep = keepsAccounts ? new Set([...KEPT_TABLES, ...files]) : NOTHING
  const models = registry.public.map(({ key }) => key).filter((key) => !keep.has(key) && count(key) > 0)
  const removed = Object.fromEntries(models.map((key) => [key, count(key)]))
  return { keep, removed, webhooks: count(SUBSCRIPTIONS), history: count(HISTORY_TABLE) }
}

/** Forgets the files of records that a reset has removed. @param keep the tables that have stayed */
export async function forgetRemovedFiles(store: Store, records: Records, keep: ReadonlySet<string>): Promise<void> {
  if (!keep.has(FILE_TABLE)) return
  for await (const rows of store.stream(FILE_TABLE, { filters: [], sort: [] })) {
    const removed = rows.filter(({ model }) => !keep.has(String(model)))
    if (removed.length > 0)
      await records.commitInternal(removed.map(({ id }): Operation => ({ kind: 'remove', table: FILE_TABLE, id })))
  }
}

/** The seed files to create records from after a reset. Accounts that stay are not created again. */
export const seedsAfter = (seeds: readonly SeedFile[], request: ResetRequest, { keep }: ResetPlan): readonly SeedFile[] =>
  request.seeds ? seeds.filter(({ model }) => !keep.has(model)) : []

/**
 * Checks that accounts refer to no removed record, which is possible if the project extends their models.
 *
 * @param store the state after the reset
 * @throws {AppError} INVALID_REQUEST naming the first such account
 */
export async function checkAccountReferences(store: Store, registry: Registry): Promise<void> {
  for (const key of ['user', 'group', 'permission']) {
    const fields = [...registry.expect(key).relations.values()].filter(({ relation }) => !KEPT_TABLES.has(relation.target))
    if (fields.length === 0) continue
    for await (const batch of store.stream(key, { filters: [], sort: [] })) {
      for (const account of batch) {
        for (const { name, relation } of fields) await checkReference(store, key, account, name, relation.target)
      }
    }
  }
}

async function checkReference(store: Store, key: string, account: StoredRecord, field: string, target: string): Promise<void> {
  const ids = [account[field] ?? []].flat().map(Number)
  const found = await store.get(target, ids)
  const lost = ids.find((_, index) => found[index] === undefined)
  if (lost === undefined) return
  const what = `'${field}' of ${key} ${account.id} refers to ${target} ${lost}, which the reset removes`
  throw new AppError('INVALID_REQUEST', `${what}; change the ${key} first, or remove the accounts, too (--accounts)`)
}
