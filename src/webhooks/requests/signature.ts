import { createHmac } from 'node:crypto'
import { SECRET_PREFIX } from '../../config/webhook-settings.ts'
import type { Random } from '../../util/ids.ts'
import { hexSignature, type Message, signedBody } from './message.ts'

const SECRET_BYTES = 32

/** Generates a secret, `whsec_…`. */
export const generateSecret = (random: Random): string => SECRET_PREFIX + random(SECRET_BYTES).toString('base64')

/** The headers and body of a signed request. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Signs a message in three ways: a signature in the body, an HMAC of the raw body as GitHub sends it (`X-Hub-Signature-256`),
 * and Standard Webhooks over id, time and body (https://www.standardwebhooks.com), the only one with room for two secrets.
 *
 * @param secrets the present secret, followed by the previous one while it is valid
 * @param seconds time of this attempt, since the Unix epoch
 */
export function signedRequest(message: Message, secrets: readonly [string, ...string[]], seconds: number): SignedRequest {
  const [present] = secrets
  const body = signedBody(message, present)
  const signed = `${message.id}.${seconds}.${body}`
  const headers = {
    'content-type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets
      .map((secret) => `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`)
      .join(' '),
    'x-hub-signature-256': hexSignature(body, present),
  }
  return { headers, body }
}

/** The Standard Webhooks key of a secret: the Base64 content after the prefix; for other secrets their bytes. */
const standardKey = (secret: string): Buffer =>
  secret.startsWith(SECRET_PREFIX) ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64') : Buffer.from(secret)
