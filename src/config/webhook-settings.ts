import Joi from 'joi'
import { isObject } from '../util/json.ts'
import { parseUrl } from '../util/urls.ts'
import type { WebhookSettings } from './define.ts'
import type { Definition, Path } from './source.ts'

export type { WebhookSection, WebhookSettings } from './define.ts'

const MAX_RETRIES = 50
/** A week. */
const MAX_RETRY_SECONDS = 604_800
const MAX_URL = 2000

/** Secrets with this prefix are Base64 (Standard Webhooks, "Signature scheme"). */
export const SECRET_PREFIX = 'whsec_'
/** Key length that Standard Webhooks requires. */
const KEY_BYTES = { min: 24, max: 64 } as const
const SECRET_LENGTH = { min: 16, max: 200 } as const

/** Events of records that a subscription may name, and those that it has when it names none. */
export const RECORD_EVENTS = ['create', 'update', 'delete'] as const
export type RecordEvent = (typeof RECORD_EVENTS)[number]

/** URL, events and models as text; the order of events and models does not count. Two subscriptions with one scope send the same. */
export function scopeOf(subscription: Partial<WebhookSettings> | Readonly<Record<string, unknown>>): string {
  const { url, events, models } = subscription
  const sorted = (names: unknown) => [...new Set(names as readonly string[])].sort()
  return JSON.stringify([url, sorted(events ?? RECORD_EVENTS), sorted(models ?? [])])
}

/** The problem of a receiver's URL, as a message that follows its name; undefined if it is valid. */
export function urlProblem(address: string): string | undefined {
  if (address.length > MAX_URL) return `must be at most ${MAX_URL} characters long`
  const url = parseUrl(address)
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'must be an http or https address such as https://example.com/hooks'
  }
  const names = url.username !== '' || url.password !== ''
  return names ? 'must not contain a user name or password; receivers verify the signature instead' : undefined
}

/** The problem of a chosen secret, as a message that follows its name; undefined if it is valid. */
export function secretProblem(secret: string): string | undefined {
  if (secret.startsWith(SECRET_PREFIX)) {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    const isBase64 = key.toString('base64') === secret.slice(SECRET_PREFIX.length)
    if (isBase64 && key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max) return undefined
    return `must be ${SECRET_PREFIX} followed by ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes in Base64`
  }
  if (!/^[\x20-\x7e]*$/.test(secret)) return 'must be printable ASCII'
  if (secret.length < SECRET_LENGTH.min) return `must be at least ${SECRET_LENGTH.min} characters long`
  return secret.length > SECRET_LENGTH.max ? `must be at most ${SECRET_LENGTH.max} characters long` : undefined
}

/**
 * The schema of a string that `problemOf` checks.
 *
 * @param type Joi's name of the error
 * @param problemOf returns a message that follows the name of the setting; undefined for a valid string
 */
const checkedString = (type: string, problemOf: (text: string) => string | undefined): Joi.StringSchema =>
  Joi.string()
    .custom((text: string, helpers) => {
      const problem = problemOf(text)
      return problem === undefined ? text : helpers.error(type, { problem })
    })
    .messages({ [type]: '{{#label}} {{#problem}}' })

const subscription = Joi.object({
  url: checkedString('webhook.url', urlProblem).required(),
  events: Joi.array().items(Joi.valid(...RECORD_EVENTS)),
  models: Joi.array().items(Joi.string()),
  secret: checkedString('webhook.secret', secretProblem),
  active: Joi.boolean(),
})

const subscriptions = Joi.array()
  .items(subscription)
  .unique((a, b) => scopeOf(a) === scopeOf(b))
  .messages({ 'array.unique': '{{#label}} has the same URL, events and models as subscription {{#dupePos + 1}}; remove one' })

const section = Joi.object({
  allow_private: Joi.boolean(),
  retry_schedule: Joi.array().items(Joi.number().positive().max(MAX_RETRY_SECONDS)).max(MAX_RETRIES),
  subscriptions,
  keep: Joi.object({ deliveries: Joi.number().integer().min(0).max(1_000_000), days: Joi.number().positive().max(3650) }),
})

/** Schema of `webhooks`: a list of subscriptions, or a section. */
export const webhooksSchema = Joi.alternatives().conditional(Joi.array(), {
  // biome-ignore lint/suspicious/noThenProperty: the name is Joi's.
  then: subscriptions,
  otherwise: section,
})

/** The webhook subscriptions in the settings, in either notation. The shape may be wrong, which the settings schema reports. */
export function subscriptionsIn({ value }: Definition): { value: unknown; path: Path }[] {
  const webhooks = isObject(value) ? value.webhooks : undefined
  const list = isObject(webhooks) ? webhooks.subscriptions : webhooks
  const at = isObject(webhooks) ? ['webhooks', 'subscriptions'] : ['webhooks']
  return Array.isArray(list) ? list.map((each: unknown, index) => ({ value: each, path: [...at, index] })) : []
}
