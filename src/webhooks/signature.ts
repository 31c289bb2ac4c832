import { createHmac } from 'node:crypto'
import type { Random } from '../util/ids.ts'
import { bodyOf, hexDigest, type Message } from './message.ts'

/** A secret that begins so is Base64 behind it (Standard Webhooks, "Signature scheme"). */
const PREFIX = 'whsec_'
const MADE_BYTES = 32
/** What Standard Webhooks asks of a key. */
const KEY_BYTES = { min: 24, max: 64 } as const
const MIN_LENGTH = 16
const MAX_LENGTH = 200

/** A new secret, `whsec_…`. */
export const makeSecret = (random: Random): string => PREFIX + random(MADE_BYTES).toString('base64')

/** What is wrong with a secret that somebody chose, to be put behind its name; undefined when it will do. */
export function secretProblem(secret: string): string | undefined {
  if (secret.startsWith(PREFIX)) {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    const isBase64 = key.toString('base64') === secret.slice(PREFIX.length)
    if (isBase64 && key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max) return undefined
    return `must have ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes in Base64 behind ${PREFIX}`
  }
  if (!/^[\x20-\x7e]*$/.test(secret)) return 'must be printable ASCII'
  if (secret.length < MIN_LENGTH) return `must be at least ${MIN_LENGTH} characters long`
  return secret.length > MAX_LENGTH ? `must be at most ${MAX_LENGTH} characters long` : undefined
}

/** A request as it is sent: its headers and its body. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Signs a message in three ways: in its body, for the raw body as GitHub does (`X-Hub-Signature-256`), and for id, time and body by
 * Standard Webhooks (https://www.standardwebhooks.com), which alone has room for two secrets.
 *
 * @param secrets the present one, and behind it one that is still good after a rotation
 * @param seconds when this attempt is made, since the Unix epoch
 */
export function signedRequest(message: Message, secrets: readonly [string, ...string[]], seconds: number): SignedRequest {
  const [present] = secrets
  const body = bodyOf(message, present)
  const signed = `${message.id}.${seconds}.${body}`
  const headers = {
    'content-type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets
      .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`)
      .join(' '),
    'x-hub-signature-256': hexDigest(body, present),
  }
  return { headers, body }
}

/** Standard Webhooks' key of a secret: what is in Base64 behind the prefix; of any other secret its bytes. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)
