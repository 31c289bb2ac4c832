import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { RecordEvent } from '../../config/webhook-settings.ts'

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
export function signedBody({ event, model, data, timestamp }: Message, secret: string): string {
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
