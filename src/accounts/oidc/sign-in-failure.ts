/**
 * Why a sign-in by a provider failed, for the page, which explains it:
 *
 * - `cancelled`: the user or the provider said no
 * - `expired`: this browser has no such flow, or had it for too long
 * - `refused`: the answer of the provider is not valid
 * - `unavailable`: the provider cannot be reached, or is set up wrongly
 * - `taken`: the identity belongs to another account
 */
export type SignInFailureCode = 'cancelled' | 'expired' | 'refused' | 'unavailable' | 'taken'

/** A sign-in by a provider failed. The cause is for the log. */
export class SignInFailure extends Error {
  readonly code: SignInFailureCode

  constructor(code: SignInFailureCode, options?: { readonly cause?: unknown }) {
    super(`A sign-in failed: ${code}`, options)
    this.name = 'SignInFailure'
    this.code = code
  }
}
