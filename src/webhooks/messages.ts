import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type RecordEvent, SECRET_PREFIX } from '../config/webhook-settings.ts'
import type { Random } from '../util/ids.ts'

/** Kinds of event. A test is sent on request and concerns no record. */
export type EventName = RecordEvent | 'test'

/** The content of a message, equal in every attempt. */
export interface Message {
  /** Unique id, equal in every attempt. */
  readonly id: string
  readonly event: EventName
  /** Key of the model. */
  readonly model: string
  /** The record as JSON. */
  readonly data: string
  /** Time of the change, ISO 8601 in UTC. */
  readonly timestamp: string
}

/**
 * The request body: compact JSON ending in `signature`, an HMAC of the same text without that member. A receiver can verify it
 * by cutting the text, without serialising JSON again.
 *
 * @param secret its UTF-8 bytes are the key
 */
function signedBody({ event, model, data, timestamp }: Message, secret: string): string {
  const signed = `{"event":"${event}","model":"${model}","data":${data},"timestamp":"${timestamp}"`
  return `${signed},"signature":"${hexSignature(`${signed}}`, secret)}"}`
}

/** `sha256=` and the hexadecimal HMAC of a text. */
export const hexSignature = (text: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`

/** True if the body carries the signature for this secret. */
export function hasValidSignature(body: string, secret: string): boolean {
  const end = body.lastIndexOf(',"signature":')
  const expected = `,"signature":"${hexSignature(`${body.slice(0, end)}}`, secret)}"}`
  return end !== -1 && timingSafeEqual(digest(body.slice(end)), digest(expected))
}

/** Digests have equal length, as constant-time comparison requires. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

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
