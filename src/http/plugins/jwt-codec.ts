import Jwt from '@hapi/jwt'
import type { TokenCodecFactory } from '../../auth/token.ts'

/** Signs and opens tokens with @hapi/jwt: one algorithm, one key. Claims are judged elsewhere, after the signature. */
export const jwtCodec: TokenCodecFactory = (algorithm, secret) => ({
  sign: (claims) => Jwt.token.generate({ ...claims }, { key: secret, algorithm }),
  open(token) {
    try {
      const artifacts = Jwt.token.decode(token)
      Jwt.token.verifySignature(artifacts, { key: secret, algorithm })
      // What a token says must be understood is understood by nobody here (RFC 7515, section 4.1.11).
      return 'crit' in artifacts.decoded.header ? undefined : artifacts.decoded.payload
    } catch {
      return undefined
    }
  },
})
