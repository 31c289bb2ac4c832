import { type Actor, forbidden, noSuchRecord, superusersOnly } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Store, StoredRecord } from '../store/store.ts'
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
