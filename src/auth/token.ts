import { LRUCache } from 'lru-cache'
import type { JwtAlgorithm } from '../config/settings.ts'
import type { Clock } from '../util/clock.ts'
import { isRecordId, type Random, uniqueId } from '../util/ids.ts'

/**
 * An access token authenticates API requests; a refresh token can only be exchanged for a new pair. A token of the type `files` reads files, and
 * is accepted from its cookie only.
 */
export type TokenType = 'access' | 'refresh' | 'files'

/** Claims of a token (RFC 7519); times in seconds since the Unix epoch. */
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

/** Signs and verifies JSON Web Tokens with one algorithm and one key. */
export interface TokenCodec {
  sign(claims: Claims): string
  /** Returns the payload of a token with a valid signature, otherwise undefined. Claims are not checked. */
  open(token: string): unknown
}

/** Creates a codec for an algorithm and a secret. */
export type TokenCodecFactory = (algorithm: JwtAlgorithm, secret: string) => TokenCodec

/** Subject of tokens that the CLI issues to itself with the project's secret. It cannot be a user id. */
export const SHELL_SUBJECT = 'shell'

const ISSUER = 'admin-folder'
const MAX_SKEW_SECONDS = 30
/** Capacity of the cache of verified tokens, in characters: more than ten thousand tokens. */
const CACHE_CHARACTERS = 4_000_000

/** Lifetimes of tokens, in minutes. */
export interface TokenLifetimes {
  readonly access_token_minutes: number
  readonly refresh_token_minutes: number
}

/** Issues and verifies tokens. */
export class TokenIssuer {
  readonly #codec: TokenCodec
  readonly #lifetimes: TokenLifetimes
  readonly #clock: Clock
  readonly #random: Random
  /** Claims of tokens of many requests whose signature was verified. Times are checked for each request. */
  readonly #verified = new LRUCache<string, Claims>({
    maxSize: CACHE_CHARACTERS,
    sizeCalculation: (_, token) => token.length,
  })

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

  /** Returns the claims of a valid token, or undefined. The reason is not reported. */
  verify(token: string, type: TokenType): Claims | undefined {
    const claims = this.#verified.get(token) ?? this.#open(token)
    return claims?.type === type && this.#isCurrent(claims) ? claims : undefined
  }

  lifetimeSeconds(type: TokenType): number {
    const { access_token_minutes, refresh_token_minutes } = this.#lifetimes
    return Math.round(60 * (type === 'access' ? access_token_minutes : refresh_token_minutes))
  }

  #open(token: string): Claims | undefined {
    const claims = this.#codec.open(token)
    if (!hasValidClaims(claims)) return undefined
    // Refresh tokens are used once, and invalid tokens must not fill the cache.
    if (claims.type !== 'refresh' && this.#isCurrent(claims)) this.#verified.set(token, claims)
    return claims
  }

  #isCurrent({ iat, exp, type }: Claims): boolean {
    const now = this.#clock() / 1000
    const longest = this.lifetimeSeconds(type) + MAX_SKEW_SECONDS
    return iat <= now + MAX_SKEW_SECONDS && now < exp && exp - iat <= longest
  }
}

function hasValidClaims(claims: unknown): claims is Claims {
  if (typeof claims !== 'object' || claims === null) return false
  const { iss, aud, sub, iat, exp, jti, type } = claims as Record<string, unknown>
  return (
    iss === ISSUER &&
    aud === ISSUER &&
    typeof sub === 'string' &&
    (isRecordId(sub) || (sub === SHELL_SUBJECT && type === 'access')) &&
    Number.isInteger(iat) &&
    Number.isInteger(exp) &&
    typeof jti === 'string' &&
    jti !== '' &&
    (type === 'access' || type === 'refresh' || type === 'files')
  )
}
