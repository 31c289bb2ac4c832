import { AppError } from '../errors.ts'
import type { StoredRecord } from '../store/store.ts'

/** Why a login, refresh or token was rejected. For the log only; clients never receive it. */
export type LoginFailureReason =
  | 'unknown_user'
  | 'wrong_password'
  | 'user_inactive'
  | 'account_locked'
  | 'token_invalid'
  | 'token_reused'
  | 'session_over'
  | 'second_factor_missing'
  | 'second_factor_wrong'

/** The logged details of a rejected login, refresh or token. */
export class LoginFailure {
  readonly reason: LoginFailureReason
  readonly userId: number | undefined
  /** Set for existing users only: an unknown name may be a mistyped password. */
  readonly username: string | undefined

  constructor(reason: LoginFailureReason, user?: StoredRecord) {
    this.reason = reason
    this.userId = user?.id
    this.username = user === undefined ? undefined : String(user.username)
  }
}

/**
 * The error of every rejected authentication.
 *
 * @param refusal the reason, for the log
 */
export const unauthenticated = (refusal?: LoginFailure): AppError =>
  new AppError('UNAUTHENTICATED', 'Valid token required', { cause: refusal })
