import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { type Random, uniqueId } from '../util/ids.ts'

const MIN_BYTES = 32

/** Generates a signing key for tokens. */
export const makeSecret = (random: Random): string => random(48).toString('base64url')

/**
 * Returns the signing key for projects that configure none: created once and stored in `<folder>/secret`, readable by its owner
 * only.
 *
 * @throws {AppError} CONFIG_INVALID when the file holds fewer than 32 bytes
 */
export async function loadOrCreateSecret(folder: string, random: Random): Promise<string> {
  const path = join(folder, 'secret')
  const stored = await readSecret(path)
  if (stored !== undefined) return stored
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const secret = makeSecret(random)
  try {
    await writeFile(path, `${secret}\n`, { mode: 0o600, flag: 'wx' })
    return secret
  } catch (error) {
    // Another process created the file first.
    const other = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await readSecret(path) : undefined
    if (other === undefined) throw error
    return other
  }
}

async function readSecret(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new AppError('TASK_FAILED', `The secret ${path} cannot be read: ${error.message}`, { cause: error })
  })
  if (text === undefined) return undefined
  const secret = text.trim()
  if (Buffer.byteLength(secret) < MIN_BYTES) {
    throw new AppError('CONFIG_INVALID', `${path} holds fewer than ${MIN_BYTES} bytes; delete it, and a new secret is generated`)
  }
  // A copied folder may have lost the file's mode. If the file belongs to another user, that user has to correct it.
  await chmod(path, 0o600).catch(() => {})
  return secret
}

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
