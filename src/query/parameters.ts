import { AppError } from '../errors.ts'
import { furtherMessages, MAX_DESCRIBED, meantOrKnown } from '../util/suggest.ts'
import { isPlainText } from '../util/text.ts'

/** Replacement character of percent-encoded bytes that are not UTF-8. */
const UNREADABLE = '\uFFFD'

/** Query parameters with their errors. All errors are reported together; no parameter is ignored, clamped or guessed. */
export class Parameters {
  readonly #sent: URLSearchParams
  readonly #faults = new Map<string, { readonly messages: string[]; further: number }>()

  /**
   * @param known the parameters that the operation has; any other is an error
   * @param remedy returns what to write instead of an unknown parameter
   */
  constructor(sent: URLSearchParams, known: readonly string[], remedy?: (name: string) => string | undefined) {
    this.#sent = sent
    const unknown = [...new Set(sent.keys())].filter((name) => !known.includes(name))
    for (const name of unknown.slice(0, MAX_DESCRIBED))
      this.fault(name, `Unknown query parameter '${name}'${remedy?.(name) ?? meantOrKnown(name, known)}`)
    const [next, ...others] = unknown.slice(MAX_DESCRIBED)
    if (next !== undefined) {
      this.fault(next, `Unknown query parameter '${next}'`)
      if (others.length > 0) this.fault(next, furtherMessages(others.length))
    }
    for (const [name, value] of sent) {
      if (!isPlainText(value) || value.includes(UNREADABLE)) {
        this.fault(name, `'${name}' holds a character that is no text; write UTF-8, percent-encoded, without NUL`)
      }
    }
  }

  /**
   * Reports an error of a parameter. After the first ten of a parameter, further ones are counted.
   *
   * @param message the message, or a function that makes it, if that takes time
   */
  fault(parameter: string, message: string | (() => string)): void {
    const known = this.#faults.get(parameter) ?? { messages: [], further: 0 }
    this.#faults.set(parameter, known)
    if (known.messages.length >= MAX_DESCRIBED) known.further++
    else known.messages.push(typeof message === 'string' ? message : message())
  }

  has(name: string): boolean {
    return this.#sent.has(name)
  }

  /** The value of a parameter that may be given once. */
  one(name: string): string | undefined {
    const values = this.#sent.getAll(name)
    if (values.length > 1) this.fault(name, `'${name}' is given ${values.length} times; give it once`)
    return values[0]
  }

  /** All values of a parameter that may be repeated. */
  all(name: string): string[] {
    return this.#sent.getAll(name)
  }

  /** The names of a parameter, separated by commas or given by repeating it; undefined if absent. */
  names(name: string): string[] | undefined {
    const texts = this.all(name)
    if (texts.length === 0) return undefined
    const names = texts.flatMap((text) => text.split(',')).map((each) => each.trim())
    if (names.includes('')) this.fault(name, `'${name}' holds an empty name; write names with commas between them`)
    return names.filter((each) => each !== '')
  }

  integer(name: string, { absent, min, max = Number.MAX_SAFE_INTEGER }: { absent: number; min: number; max?: number }): number {
    const text = this.one(name)
    if (text === undefined) return absent
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`
    this.fault(name, `'${name}' must be an integer ${range}, not '${text}'`)
    return absent
  }

  /** A boolean parameter; false if absent. */
  flag(name: string): boolean {
    const text = this.one(name)
    if (text !== undefined && text !== 'true' && text !== 'false')
      this.fault(name, `'${name}' must be true or false, not '${text}'`)
    return text === 'true'
  }

  /** A boolean parameter that is also true without a value: `?count`. */
  switch(name: string, absent: boolean): boolean {
    if (!this.has(name)) return absent
    return this.one(name) === '' || this.flag(name)
  }

  /** @throws {AppError} INVALID_REQUEST with the errors by parameter */
  throwIfFaulty(): void {
    if (this.#faults.size === 0) return
    const messages = Array.from(this.#faults, ([parameter, { messages, further }]) => {
      return [parameter, further === 0 ? messages : [...messages, furtherMessages(further)]] as const
    })
    throw new AppError('INVALID_REQUEST', Object.fromEntries(messages))
  }
}

/** @throws {AppError} INVALID_REQUEST if the path has no valid record id */
export function readRecordId(given: string | number): number {
  const id = /^\d{1,16}$/.test(String(given)) ? Number(given) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  const wanted = /^-?\d+$/.test(String(given)) ? `an integer from 0 to ${Number.MAX_SAFE_INTEGER}` : 'an integer'
  throw new AppError('INVALID_REQUEST', { record_id: [`record_id must be ${wanted}, not '${given}'`] })
}
