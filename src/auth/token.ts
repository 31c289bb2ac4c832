import type { JwtAlgorithm } from '../config/settings.ts'
import type { Clock } from '../util/clock.ts'
import { GenerationalCache } from '../util/generational-cache.ts'
import { type Random, uniqueId } from '../util/ids.ts'

/** An access token opens the API; a refresh token is only good for another pair. */
export type TokenType = 'access' | 'refresh'

/** What a token says (RFC 7519); times in seconds since the epoch. */
export interface Claims {
  readonly iss: string
  readonly aud: string
  /** The user's id, or `SHELL_SUBJECT`. */
  readonly sub: string
  readonly iat: number
  readonly exp: number
  readonly jti: string
  readonly type: TokenType
}

/** Signs and checks JSON Web Tokens; knows one algorithm and one key. */
export interface TokenCodec {
  sign(claims: Claims): string
  /** The payload of a token whose signature is good; undefined for anything else. Judges no claim. */
  open(token: string): unknown
}

/** Makes a codec for an algorithm and a secret. */
export type TokenCodecFactory = (algorithm: JwtAlgorithm, secret: string) => TokenCodec

/** Whose token it is that a command makes who can read the secret: it needs no user. No id looks like it. */
export const SHELL_SUBJECT = 'shell'

const ISSUER = 'admin-backend'
const MAX_SKEW_SECONDS = 30
/** How many characters of tokens are remembered: more than ten thousand tokens. */
const REMEMBERED_CHARACTERS = 4_000_000

/** How long tokens are good for, in minutes. */
export interface TokenLifetimes {
  readonly access_token_minutes: number
  readonly refresh_token_minutes: number
}

/** Issues tokens and judges those that come back. */
export class Tokens {
  readonly #codec: TokenCodec
  readonly #lifetimes: TokenLifetimes
  readonly #clock: Clock
  readonly #random: Random
  /** What the access tokens say whose signature was found good. Nothing else is taken from memory: times are judged anew. */
  readonly #opened = new GenerationalCache<string, Claims>(REMEMBERED_CHARACTERS, (token) => token.length)

  constructor(options: { codec: TokenCodec; lifetimes: TokenLifetimes; clock: Clock; random: Random }) {
    this.#codec = options.codec
    this.#lifetimes = options.lifetimes
    this.#clock = options.clock
    this.#random = options.random
  }

  issue(
    type: TokenType,
    subject: number | typeof SHELL_SUBJECT,
    tokenId: string = uniqueId(this.#random),
  ): { token: string; claims: Claims } {
    const iat = Math.floor(this.#clock() / 1000)
    const exp = iat + this.lifetimeSeconds(type)
    const claims: Claims = { iss: ISSUER, aud: ISSUER, sub: String(subject), iat, exp, jti: tokenId, type }
    return { token: this.#codec.sign(claims), claims }
  }

  /** The claims of a token that is good in every respect, or undefined. Why it is not good is nobody's business. */
  verify(token: string, type: TokenType): Claims | undefined {
    const claims = this.#opened.get(token) ?? this.#open(token)
    return claims?.type === type && this.#isCurrent(claims) ? claims : undefined
  }

  lifetimeSeconds(type: TokenType): number {
    const { access_token_minutes, refresh_token_minutes } = this.#lifetimes
    return Math.round(60 * (type === 'access' ? access_token_minutes : refresh_token_minutes))
  }

  #open(token: string): Claims | undefined {
    const claims = this.#codec.open(token)
    if (!isSound(claims)) return undefined
    // A refresh token is used once, and what is not good is nobody's to fill the memory with.
    if (claims.type === 'access' && this.#isCurrent(claims)) this.#opened.set(token, claims)
    return claims
  }

  #isCurrent({ iat, exp, type }: Claims): boolean {
    const now = this.#clock() / 1000
    const longest = this.lifetimeSeconds(type) + MAX_SKEW_SECONDS
    return iat <= now + MAX_SKEW_SECONDS && now < exp && exp - iat <= longest
  }
}

function isSound(claims: unknown): claims is Claims {
  if (typeof claims !== 'object' || claims === null) return false
  const { iss, aud, sub, iat, exp, jti, type } = claims as Record<string, unknown>
  return (
    iss === ISSUER &&
    aud === ISSUER &&
    typeof sub === 'string' &&
    (/^[1-9]\d{0,15}$/.test(sub) || (sub === SHELL_SUBJECT && type === 'access')) &&
    Number.isInteger(iat) &&
    Number.isInteger(exp) &&
    typeof jti === 'string' &&
    jti !== '' &&
    (type === 'access' || type === 'refresh')
  )
}
