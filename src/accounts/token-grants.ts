import type { TokenIssuer, TokenType } from '../auth/token.ts'
import { type Random, uniqueId } from '../util/ids.ts'
import type { LoginClient, NextToken } from './sessions.ts'

/** Response of a login (RFC 6749, section 5.1); `expires_in` in seconds. */
export interface TokenGrant {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'bearer'
  readonly expires_in: number
}

/** Issues the tokens of sessions. */
export class TokenGrants {
  readonly #tokens: TokenIssuer
  readonly #random: Random

  constructor({ tokens, random }: { tokens: TokenIssuer; random: Random }) {
    this.#tokens = tokens
    this.#random = random
  }

  /**
   * @param family the id of the session
   * @param refreshId the `jti` of the refresh token; a new one by default
   */
  issue(userId: number, family: string, client: LoginClient, refreshId?: string): { grant: TokenGrant; next: NextToken } {
    const newId = () => `${family}.${uniqueId(this.#random)}`
    const issue = (type: TokenType, tokenId: string) => this.#tokens.issue(type, userId, tokenId)
    const [access, refresh] = [issue('access', newId()), issue('refresh', refreshId ?? newId())]
    const grant: TokenGrant = {
      access_token: access.token,
      refresh_token: refresh.token,
      token_type: 'bearer',
      expires_in: this.#tokens.lifetimeSeconds('access'),
    }
    const expiresAt = Math.max(access.claims.exp, refresh.claims.exp)
    return { grant, next: { tokenId: refresh.claims.jti, expiresAt, client } }
  }
}
