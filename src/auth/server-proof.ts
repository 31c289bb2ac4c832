import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type Random, uniqueId } from '../util/ids.ts'

/** Request header of a challenge and response header of its proof. */
export const CHALLENGE_HEADER = 'x-admin-challenge'
export const PROOF_HEADER = 'x-admin-proof'

/**
 * Proves to a local command that a server serves the same project, before the command sends a token. Both know the signing
 * secret and neither reveals it. A challenge is a nonce with an HMAC, so that the server answers only commands that know the
 * secret. The port is part of both HMACs, so that a proof cannot be relayed from another server.
 */
export class ServerProof {
  /** Derived from the secret, so that nothing made here can be used to forge tokens. */
  readonly #key: Buffer

  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('admin-folder server proof').digest()
  }

  /** Makes a challenge for the server on a port. */
  challenge(port: number, random: Random): string {
    const nonce = uniqueId(random)
    return `${nonce}.${this.#digest('challenge', nonce, port)}`
  }

  /** The proof for a challenge; undefined if the challenge was made without the secret. */
  answer(challenge: string, port: number): string | undefined {
    const [nonce = '', digest = ''] = challenge.split('.')
    return isSame(digest, this.#digest('challenge', nonce, port)) ? this.#digest('answer', nonce, port) : undefined
  }

  /** True if the proof matches the challenge. */
  isAnswer(answer: string, challenge: string, port: number): boolean {
    return isSame(answer, this.#digest('answer', challenge.split('.')[0] ?? '', port))
  }

  #digest(role: 'challenge' | 'answer', nonce: string, port: number): string {
    return createHmac('sha256', this.#key).update(`${role} ${port} ${nonce}`).digest('base64url')
  }
}

/** Compares hashes of equal length in constant time. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(hash(a), hash(b))

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
