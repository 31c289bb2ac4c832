import Jwt from '@hapi/jwt'
import type { TokenCodecFactory } from '../auth/token.ts'

/** Signs and verifies tokens with @hapi/jwt: one algorithm, one key. Claims are checked by `auth/token.ts`. */
export const jwtCodec: TokenCodecFactory = (algorithm, secret) => ({
  sign: (claims) => Jwt.token.generate({ ...claims }, { key: secret, algorithm }),
  open(token) {
    try {
      const artifacts = Jwt.token.decode(token)
      Jwt.token.verifySignature(artifacts, { key: secret, algorithm })
      // Tokens with critical extensions are rejected, since none is supported (RFC 7515, section 4.1.11).
      return 'crit' in artifacts.decoded.header ? undefined : artifacts.decoded.payload
    } catch {
      return undefined
    }
  },
})
