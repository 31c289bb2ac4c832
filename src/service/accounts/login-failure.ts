import type { StoredRecord } from '../../store/store.ts'

/** Why somebody was not let in. Never told to the client: it is the private cause of an error, for the log. */
export type LoginFailureReason =
  | 'unknown_user'
  | 'wrong_password'
  | 'user_inactive'
  | 'account_locked'
  | 'token_invalid'
  | 'token_reused'
  | 'session_over'

/** What the log may say of a login or a refresh that was refused. */
export class LoginFailure {
  readonly reason: LoginFailureReason
  readonly userId: number | undefined
  /** Of a user that exists: what somebody typed in the place of a name may be a password. */
  readonly username: string | undefined

  constructor(reason: LoginFailureReason, user?: StoredRecord) {
    this.reason = reason
    this.userId = user?.id
    this.username = user === undefined ? undefined : String(user.username)
  }
}
