import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { Random } from '../util/ids.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
/** As NIST SP 800-38D recommends. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Begins each sealed text, so that another form can be told from it. */
const VERSION = 'v1.'

/** The secrets of a server. */
export interface SealingSecrets {
  /** The present secret, which seals. */
  readonly secret: string
  /** Former secrets, which only open. */
  readonly previous?: readonly string[] | undefined
}

/** A text that was sealed. */
export interface OpenedText {
  readonly text: string
  /** True if a former secret has sealed it, so that it should be sealed again. */
  readonly isOutdated: boolean
}

/**
 * Seals texts, so that only servers with the secret read or make them: AES-256-GCM under a key that is derived from the secret for one use
 * (HKDF-SHA-256, RFC 5869).
 */
export class Sealer {
  /** The present key, then the former ones. */
  readonly #keys: readonly [Buffer, ...Buffer[]]
  readonly #random: Random

  /** @param use names what is sealed. What was sealed for another use cannot be opened. */
  constructor({ secret, previous = [] }: SealingSecrets, use: string, random: Random) {
    this.#keys = [keyOf(secret, use), ...previous.map((each) => keyOf(each, use))]
    this.#random = random
  }

  /** @param context what the text belongs to, such as the id of a user. It opens with the same context only. */
  seal(text: string, context: string): string {
    const nonce = this.#random(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#keys[0], nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(context))
    const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return VERSION + Buffer.concat(sealed).toString('base64url')
  }

  /** Undefined for a text that was changed, or sealed with another secret, for another use or in another context. */
  open(sealed: string, context: string): OpenedText | undefined {
    if (!sealed.startsWith(VERSION)) return undefined
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url')
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
    for (const [index, key] of this.#keys.entries()) {
      const text = opened(bytes, key, context)
      if (text !== undefined) return { text, isOutdated: index > 0 }
    }
    return undefined
  }
}

const keyOf = (secret: string, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `admin-folder ${use}`, KEY_BYTES))

function opened(bytes: Buffer, key: Buffer, context: string): string | undefined {
  const end = bytes.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(end))
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
