import { AppError, type FieldMessages } from '../errors.ts'
import { isObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'

/** Maximum number of reported names of a request. */
export const MAX_NAMED = 1000

/** Maximum number of messages of a name; a list may have a fault in each of its items. */
const MAX_MESSAGES = 100
const MORE = 'Further messages are not shown'

/** Read-only. */
const NO_MESSAGES = new Map<string, Set<string>>()

/** Collects messages by field. Field names are arbitrary, including `__proto__`. */
export class FieldIssues {
  /** Created with the first message, since most requests have none. */
  #messages: Map<string, Set<string>> = NO_MESSAGES

  add(field: string, ...messages: readonly string[]): void {
    if (messages.length === 0) return
    if (this.#messages === NO_MESSAGES) this.#messages = new Map()
    const all = this.#messages.get(field) ?? new Set()
    this.#messages.set(field, all)
    for (const message of messages) if (!all.has(message)) all.add(all.size < MAX_MESSAGES ? message : MORE)
  }

  /** Adds all messages of another collection, prefixing field names. */
  addAll(issues: FieldIssues, prefix = ''): void {
    for (const [field, messages] of issues.#messages) this.add(prefix + field, ...messages)
  }

  /** Adds another collection's messages for fields that have none yet. */
  addMissing(issues: FieldIssues): void {
    for (const [field, messages] of issues.#messages) if (!this.has(field)) this.add(field, ...messages)
  }

  /** Replaces the messages of a field. A field without messages stays without. */
  replace(field: string, ...messages: readonly string[]): void {
    if (this.#messages.has(field)) this.#messages.set(field, new Set(messages))
  }

  /** Removes the messages of a field. */
  delete(field: string): void {
    if (this.#messages.has(field)) this.#messages.delete(field)
  }

  has(field: string): boolean {
    return this.#messages.has(field)
  }

  /** Number of fields with messages. */
  get size(): number {
    return this.#messages.size
  }

  get any(): boolean {
    return this.size > 0
  }

  toMessages(): FieldMessages {
    return Object.fromEntries([...this.#messages].map(([field, messages]) => [field, [...messages]]))
  }

  /** @throws {AppError} VALIDATION_FAILED with all messages, if there are any */
  throwIfAny(): void {
    if (this.any) throw new AppError('VALIDATION_FAILED', this.toMessages())
  }
}

/** Options of `readTexts`. */
interface ReadTextsOptions {
  /** Rejects other members. */
  readonly strict?: boolean
}

/**
 * Reads mandatory strings from a request body.
 *
 * @throws {AppError} VALIDATION_FAILED for a member that is missing or not a string
 */
export function readTexts<const N extends readonly string[]>(
  body: unknown,
  names: N,
  { strict = false }: ReadTextsOptions = {},
): { [K in keyof N]: string } {
  const members = isObject(body) ? body : {}
  const issues = new FieldIssues()
  for (const name of names) {
    const value = members[name]
    if (value === undefined || value === null || value === '') issues.add(name, `${name} is mandatory`)
    else if (typeof value !== 'string') issues.add(name, `${name} must be a string`)
  }
  const others = strict ? Object.keys(members).filter((name) => !names.includes(name)) : []
  for (const name of others.slice(0, MAX_NAMED)) issues.add(name, `Field '${name}' does not exist${didYouMean(name, names)}`)
  issues.throwIfAny()
  return names.map((name) => members[name]) as { [K in keyof N]: string }
}
