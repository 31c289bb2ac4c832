import { createHash } from 'node:crypto'
import type { Claims } from '../../auth/token.ts'
import type { StoredRecord } from '../../store/store.ts'
import { type Random, uniqueId } from '../../util/ids.ts'

/** Length of the account mark in a `jti`: 128 bits in base64url. */
const MARK_CHARACTERS = 22

/** True if the session belongs to this user and the present password. */
export const isOf = (session: StoredRecord, user: StoredRecord): boolean =>
  session.user_id === user.id && session.credential === credentialOf(user)

/** Identifies a password without revealing its stored hash. */
export const credentialOf = (user: StoredRecord): string => createHash('sha256').update(String(user.password)).digest('base64url')

/**
 * The `jti` of a token issued without a login. Ids restart when data is replaced, so an id alone could name another account.
 * The token is valid for this account while its password does not change.
 */
export const tokenIdFor = (user: StoredRecord, random: Random): string => `${uniqueId(random)}:${accountMark(user)}`

/** True if a token without a session was issued to this account with its present password. */
export const isIssuedTo = ({ jti }: Claims, user: StoredRecord): boolean => jti.slice(jti.indexOf(':') + 1) === accountMark(user)

/** Identifies an account and its password without revealing the stored hash. */
function accountMark(user: StoredRecord): string {
  const account = JSON.stringify([user.id, user.created_at, credentialOf(user)])
  return createHash('sha256').update(account).digest('base64url').slice(0, MARK_CHARACTERS)
}

/** The family that a `jti` names; undefined for a token without a session. */
export function familyOf(jti: string): string | undefined {
  const end = jti.indexOf('.')
  return end === -1 ? undefined : jti.slice(0, end)
}
