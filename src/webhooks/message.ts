import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** What can happen to a record. A test is sent when somebody asks for it, and tells of none. */
export type EventName = 'create' | 'update' | 'delete' | 'test'

/** The events that a subscription may name. */
export const RECORD_EVENTS = ['create', 'update', 'delete'] as const satisfies readonly EventName[]
export type RecordEvent = (typeof RECORD_EVENTS)[number]

/** An event as it is told to receivers: the same in every attempt. */
export interface Message {
  /** The same over all attempts, and no other message's. */
  readonly id: string
  readonly event: EventName
  /** The model's key. */
  readonly model: string
  /** The record, as JSON. */
  readonly data: string
  /** When it happened, ISO 8601 in UTC. */
  readonly timestamp: string
}

/**
 * The body of a delivery: compact JSON that ends in its `signature`, which is over the same text without that member. So a
 * receiver can cut the text and need not make JSON anew, which every language does in its own way.
 *
 * @param secret whose UTF-8 bytes are the key
 */
export function bodyOf({ event, model, data, timestamp }: Message, secret: string): string {
  const signed = `{"event":"${event}","model":"${model}","data":${data},"timestamp":"${timestamp}"`
  return `${signed},"signature":"${hexDigest(`${signed}}`, secret)}"}`
}

/** `sha256=` and the HMAC of a text in hexadecimal digits. */
export const hexDigest = (text: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`

/** True when a body carries the signature that this secret makes. */
export function isSigned(body: string, secret: string): boolean {
  const end = body.lastIndexOf(',"signature":')
  const expected = `,"signature":"${hexDigest(`${body.slice(0, end)}}`, secret)}"}`
  return end !== -1 && timingSafeEqual(digest(body.slice(end)), digest(expected))
}

/** Of the same length whatever it is of, so that comparing takes the same time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
