import { type Actor, forbidden, noSuchRecord, SYSTEM, superusersOnly } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Records, WriteOptions } from '../records/records.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import type { JsonObject } from '../util/json.ts'
import { enrolmentNeeded } from './second-factors.ts'

/** What the accounts of requests are read from. */
interface AccountSource {
  readonly store: Pick<Store, 'get'>
  /** The model of users, for messages. */
  readonly user: Model
}

/** The account that a request acts for. @throws {AppError} FORBIDDEN for an actor without an account */
export async function ownAccount({ store }: Pick<AccountSource, 'store'>, actor: Actor): Promise<StoredRecord> {
  const { userId } = actor
  const [user] = userId === undefined ? [] : await store.get('user', [userId])
  if (user === undefined) throw forbidden(actor)
  return user
}

/**
 * The account of another user, for superusers who have the second factor that the settings require.
 *
 * @throws {AppError} FORBIDDEN, RECORD_NOT_FOUND
 */
export async function otherAccount({ store, user: users }: AccountSource, actor: Actor, id: number): Promise<StoredRecord> {
  superusersOnly(actor)
  if (actor.mustEnrol === true) throw enrolmentNeeded()
  const [user] = await store.get('user', [id])
  if (user === undefined) throw new AppError('RECORD_NOT_FOUND', noSuchRecord(users, id))
  return user
}

/** Codes of the errors of a write whose record was changed or deleted meanwhile. */
const OVERTAKEN: ReadonlySet<string> = new Set(['PRECONDITION_FAILED', 'UPDATE_TARGET_MISSING'])

/** True if an update was refused because another write has changed or deleted its record since it was read. */
export const isOvertaken = (error: unknown): boolean => error instanceof AppError && OVERTAKEN.has(error.code)

/**
 * Changes the account of a user who has shown that it is the own one, by the present password or the token of a link.
 *
 * @param refused the error if the account was changed or deleted since that was checked
 */
export async function updateOwnAccount(
  records: Records,
  user: StoredRecord,
  data: JsonObject,
  options: WriteOptions,
  refused: () => AppError,
): Promise<StoredRecord> {
  const account: Actor = { ...SYSTEM, userId: user.id, user }
  try {
    return await records.update(account, 'user', user.id, { data }, options)
  } catch (error) {
    throw isOvertaken(error) ? refused() : error
  }
}
