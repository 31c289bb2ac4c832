import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type Random, uniqueId } from '../util/ids.ts'

/** The header of a challenge, and that of the proof that answers it. */
export const CHALLENGE_HEADER = 'x-admin-challenge'
export const PROOF_HEADER = 'x-admin-proof'

/**
 * How a server shows a command on its machine that it serves the same project, before it is sent a token: both know the secret that
 * tokens are signed with, and neither tells it. A challenge is a nonce with an HMAC of its own, so that nobody else is given anything
 * that the secret made; the port is part of both, so that a server elsewhere cannot be made to answer for another.
 */
export class ServerProof {
  /** Not the secret itself: nothing that is made here is of any use where tokens are signed. */
  readonly #key: Buffer

  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('admin-backend server proof').digest()
  }

  /** A challenge for the server on a port. */
  challenge(port: number, random: Random): string {
    const nonce = uniqueId(random)
    return `${nonce}.${this.#digest('challenge', nonce, port)}`
  }

  /** What the server on a port answers to a challenge; undefined when it comes from somebody who does not know the secret. */
  answer(challenge: string, port: number): string | undefined {
    const [nonce = '', digest = ''] = challenge.split('.')
    return isSame(digest, this.#digest('challenge', nonce, port)) ? this.#digest('answer', nonce, port) : undefined
  }

  /** True when this is the answer to the challenge. */
  isAnswer(answer: string, challenge: string, port: number): boolean {
    return isSame(answer, this.#digest('answer', challenge.split('.')[0] ?? '', port))
  }

  #digest(role: 'challenge' | 'answer', nonce: string, port: number): string {
    return createHmac('sha256', this.#key).update(`${role} ${port} ${nonce}`).digest('base64url')
  }
}

/** Compares hashes, which are of one length, so that it takes the same time whatever is compared. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(hash(a), hash(b))

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
