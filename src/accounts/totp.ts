import type { Sealer } from '../auth/sealing.ts'
import type { Log } from '../log/log.ts'
import type { StoredRecord } from '../store/store.ts'
import type { Clock } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'

/** As long as the output of HMAC-SHA-1, as RFC 4226 recommends. */
const SECRET_BYTES = 20
/** What authenticator apps take for granted. */
const FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** Steps by which clock and typing may be late or early. */
const WINDOW = 1

interface TotpParts {
  readonly sealer: Sealer
  /** Name of the site, which authenticators show. */
  readonly issuer?: string | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The sealed secrets of authenticators, and the codes that are made of them. */
export class TotpSecrets {
  readonly #parts: TotpParts

  constructor(parts: TotpParts) {
    this.#parts = parts
  }

  /** A new secret for a user: in base 32, as the address that authenticators read from a QR code, and sealed. */
  async make(user: StoredRecord): Promise<{ secret: string; uri: string; sealed: string }> {
    const { Secret, TOTP } = await import('otpauth')
    const { random, sealer, issuer = 'Admin' } = this.#parts
    const secret = new Secret({ buffer: Uint8Array.from(random(SECRET_BYTES)).buffer })
    const uri = new TOTP({ ...FORM, secret, issuer, label: String(user.username) }).toString()
    return { secret: secret.base32, uri, sealed: sealer.seal(secret.base32, contextOf(user.id)) }
  }

  /** The time step of a code; undefined for a wrong one, and if the secret cannot be opened. */
  async stepIn(factor: StoredRecord, otp: string): Promise<number | undefined> {
    const token = otp.replace(/\s/g, '')
    if (!/^\d{6}$/.test(token)) return undefined
    const opened = this.#open(factor)
    if (opened === undefined) return undefined
    const { Secret, TOTP } = await import('otpauth')
    const timestamp = this.#parts.clock()
    const delta = TOTP.validate({ ...FORM, secret: Secret.fromBase32(opened.text), token, timestamp, window: WINDOW })
    return delta === null ? undefined : Math.floor(timestamp / 1000 / FORM.period) + delta
  }

  /** The secret sealed with the present key, if a former one has sealed it. */
  resealed(factor: StoredRecord): string | undefined {
    const opened = this.#open(factor)
    return opened?.isOutdated === true ? this.#parts.sealer.seal(opened.text, contextOf(factor.user_id)) : undefined
  }

  #open({ id, user_id, secret }: StoredRecord): ReturnType<Sealer['open']> {
    const opened = this.#parts.sealer.open(String(secret), contextOf(user_id))
    if (opened === undefined) {
      const remedy = 'add the former secret_key to secret_keys_previous, or reset the factor with `admin users reset-2fa`'
      this.#parts.log.warn(`The secret of a second factor cannot be opened; ${remedy}`, {
        event: 'factor_unreadable',
        factor: id,
        user_id,
      })
    }
    return opened
  }
}

/** The time step of the last code that was used. */
export const stepOf = ({ last_step: step }: StoredRecord): number => (typeof step === 'number' ? step : -1)

/** A sealed secret opens for its user only. */
const contextOf = (userId: unknown): string => `user ${String(userId)}`
