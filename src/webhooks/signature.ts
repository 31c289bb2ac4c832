import { createHmac } from 'node:crypto'
import { SECRET_PREFIX } from '../config/webhook-settings.ts'
import type { Random } from '../util/ids.ts'
import { bodyOf, hexDigest, type Message } from './message.ts'

const MADE_BYTES = 32

/** A new secret, `whsec_…`. */
export const makeSecret = (random: Random): string => SECRET_PREFIX + random(MADE_BYTES).toString('base64')

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
  secret.startsWith(SECRET_PREFIX) ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64') : Buffer.from(secret)
