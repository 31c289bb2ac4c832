import { RECORD_EVENTS, type RecordEvent, scopeOf, secretProblem, urlProblem } from '../config/webhook-settings.ts'
import type { Registry } from '../model/registry.ts'
import type { StoredRecord } from '../store/store.ts'
import { isObject } from '../util/json.ts'
import { didYouMean, firstMessages } from '../util/suggest.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import type { UrlGuard } from './url-guard.ts'

/** Maximum number of subscriptions, in one request and in total. */
export const MAX_SUBSCRIPTIONS = 100

/** The values of a request; omitted ones are undefined. */
export interface SubscriptionInput {
  readonly url?: string
  readonly events?: readonly RecordEvent[]
  readonly models?: readonly string[]
  readonly secret?: string
  readonly active?: boolean
}

/** Rules that subscriptions are validated against. */
export interface SubscriptionRules {
  readonly registry: Registry
  readonly guard: UrlGuard
}

type Reader = (value: unknown, name: string, rules: SubscriptionRules) => string[]

const READERS: Readonly<Record<keyof SubscriptionInput, Reader>> = {
  url: urlProblems,
  events: (value, name) => {
    if (!isStringArray(value)) return [`${name} must be an array of strings`]
    if (value.length === 0) return [`${name} must name at least one event`]
    return value.every((each) => (RECORD_EVENTS as readonly string[]).includes(each))
      ? []
      : [`${name} must be one of: ${RECORD_EVENTS.join(', ')}`]
  },
  models: (value, name, { registry }) => {
    if (!isStringArray(value)) return [`${name} must be an array of strings`]
    const known = registry.public.map(({ key }) => key)
    const unknown = [...new Set(value)].filter((each) => !known.includes(each))
    return firstMessages(unknown, (each) => `Model '${each}' does not exist${didYouMean(each, known)}`)
  },
  secret: (value, name) => {
    if (typeof value !== 'string') return [`${name} must be a string`]
    const problem = secretProblem(value)
    return problem === undefined ? [] : [`${name} ${problem}`]
  },
  active: (value, name) => (typeof value === 'boolean' ? [] : [`${name} must be a boolean`]),
}

/**
 * Reads the body of a create: `{url, events?, models?, secret?, active?}`, or `{webhooks: [such…]}` for several.
 *
 * @throws {AppError} VALIDATION_FAILED; fields of several are named `<index>.<field>`
 */
export function readNewSubscriptions(
  body: unknown,
  rules: SubscriptionRules,
): { inputs: (SubscriptionInput & { readonly url: string })[]; isList: boolean } {
  const isList = isObject(body) && body.webhooks !== undefined
  const issues = new FieldIssues()
  const items = isList ? readList(body, issues) : [body]
  const inputs = items.map((item, index) => {
    const prefix = isList ? `${index}.` : ''
    if (!isObject(item)) {
      issues.add(isList ? String(index) : 'url', isList ? `webhooks[${index}] must be an object` : 'url is mandatory')
      return { url: '' }
    }
    if (item.url === undefined || item.url === null) issues.add(`${prefix}url`, 'url is mandatory')
    return readMembers(item, Object.keys(READERS), rules, issues, prefix) as SubscriptionInput & { readonly url: string }
  })
  issues.throwIfAny()
  return { inputs, isList }
}

/**
 * Reads the body of an update. The secret is changed by a rotation instead.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readSubscriptionChange(body: unknown, rules: SubscriptionRules): SubscriptionInput {
  return readObject(body, ['url', 'events', 'models', 'active'], rules)
}

/**
 * Reads the new secret of a rotation, if the body has one.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readRotation(body: unknown, rules: SubscriptionRules): string | undefined {
  return readObject(body ?? {}, ['secret'], rules).secret
}

function readObject(body: unknown, known: readonly string[], rules: SubscriptionRules): SubscriptionInput {
  const issues = new FieldIssues()
  const input = readMembers(isObject(body) ? body : {}, known, rules, issues, '')
  if (!isObject(body)) issues.add('body', 'The request body must be an object')
  issues.throwIfAny()
  return input
}

function readList(body: Record<string, unknown>, issues: FieldIssues): readonly unknown[] {
  for (const name of Object.keys(body).slice(0, MAX_NAMED))
    if (name !== 'webhooks') issues.add(name, `Field '${name}' does not exist`)
  const { webhooks } = body
  if (Array.isArray(webhooks) && webhooks.length > 0 && webhooks.length <= MAX_SUBSCRIPTIONS) return webhooks
  issues.add('webhooks', `webhooks must be an array of 1 to ${MAX_SUBSCRIPTIONS} items`)
  return []
}

function readMembers(
  members: Readonly<Record<string, unknown>>,
  known: readonly string[],
  rules: SubscriptionRules,
  issues: FieldIssues,
  prefix: string,
): SubscriptionInput {
  const input: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(members).slice(0, MAX_SUBSCRIPTIONS)) {
    if (!known.includes(name)) {
      const why =
        name === 'secret'
          ? "Field 'secret' is changed by rotating it"
          : `Field '${name}' does not exist${didYouMean(name, known)}`
      issues.add(prefix + name, why)
    } else if (value !== undefined && value !== null) {
      issues.add(prefix + name, ...READERS[name as keyof SubscriptionInput](value, name, rules))
      input[name] = Array.isArray(value) ? [...new Set(value)] : value
    }
  }
  return input
}

function urlProblems(value: unknown, name: string, { guard }: SubscriptionRules): string[] {
  if (typeof value !== 'string') return [`${name} must be a string`]
  const problem = urlProblem(value)
  if (problem !== undefined) return [`${name} ${problem}`]
  const blocked = guard.problemOf(new URL(value))
  return blocked === undefined ? [] : [`${name} leads to ${blocked}`]
}

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/**
 * Rejects subscriptions with the URL, events and models of another one: the receiver would get every message twice.
 *
 * @param isList names the fields `<index>.url`
 * @throws {AppError} VALIDATION_FAILED
 */
export function refuseDuplicates(
  inputs: readonly (SubscriptionInput | StoredRecord)[],
  present: readonly StoredRecord[],
  isList: boolean,
): void {
  const issues = new FieldIssues()
  const known = new Map(present.map((each) => [scopeOf(each), `webhook ${each.id}`]))
  for (const [index, input] of inputs.entries()) {
    const scope = scopeOf(input)
    const other = known.get(scope)
    if (other === undefined) known.set(scope, `webhooks[${index}]`)
    else
      issues.add(
        isList ? `${index}.url` : 'url',
        `url has the same events and models as ${other}; change that one, or remove it first`,
      )
  }
  issues.throwIfAny()
}
