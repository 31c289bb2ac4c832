import { AppError, type FieldMessages } from '../errors.ts'

/** Of a request with thousands of wrong names, this many are told; it is refused for them whatever the others are. */
export const MAX_NAMED = 1000

/** Not to be changed. */
const NO_MESSAGES = new Map<string, string[]>()

/** Gathers messages by field. Field names may be anything, `__proto__` too. */
export class FieldIssues {
  /** Made for the first message: most requests get none. */
  #messages: Map<string, string[]> = NO_MESSAGES

  add(field: string, ...messages: readonly string[]): void {
    if (messages.length === 0) return
    if (this.#messages === NO_MESSAGES) this.#messages = new Map()
    this.#messages.set(field, [...new Set([...(this.#messages.get(field) ?? []), ...messages])])
  }

  /** Takes over another's messages, each field's name put behind `prefix`. */
  addAll(issues: FieldIssues, prefix = ''): void {
    for (const [field, messages] of issues.#messages) this.add(prefix + field, ...messages)
  }

  /** Takes over another's messages for fields that have none yet. */
  addMissing(issues: FieldIssues): void {
    for (const [field, messages] of issues.#messages) if (!this.has(field)) this.add(field, ...messages)
  }

  /** Puts one message in the place of all that a field has. */
  replace(field: string, message: string): void {
    if (this.#messages.has(field)) this.#messages.set(field, [message])
  }

  has(field: string): boolean {
    return this.#messages.has(field)
  }

  /** How many fields have messages. */
  get size(): number {
    return this.#messages.size
  }

  get any(): boolean {
    return this.size > 0
  }

  toMessages(): FieldMessages {
    return Object.fromEntries(this.#messages)
  }

  /** @throws {AppError} VALIDATION_FAILED with all messages, when there are any */
  throwIfAny(): void {
    if (this.any) throw new AppError('VALIDATION_FAILED', this.toMessages())
  }
}
