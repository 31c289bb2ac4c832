import { inspect } from 'node:util'
import { AdminError } from '../client/admin-error.ts'
import { framesOf } from '../config/call-site.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import type { Clock, Timer } from '../util/clock.ts'
import { isObject } from '../util/json.ts'
import { type Refusal, refusalOf } from './define.ts'
import type { CodeFunction } from './parse-hooks.ts'

/** Time for the hooks of a request, and of each 1,000 records of a larger one, in milliseconds. */
export const HOOKS_MS = 5_000

/** Time for `afterCommit`, and for what does not hold up a write of another client, in milliseconds. */
export const LONG_MS = 30_000

/** Number of times that writes may cause further writes. */
export const MAX_LEVELS = 5

/** The time that code has, in one wait or several. */
export class TimeLimit {
  readonly #ms: number
  readonly #timer: Timer
  readonly #clock: Clock | undefined
  readonly #outcome: string
  /** Milliseconds that all waits have together. */
  #left: number
  /** Made when code asks for its signal. */
  #abort: AbortController | undefined
  #error: AppError | undefined

  /**
   * @param ms time of one wait
   * @param outcome ends the message: what became of the work
   * @param several the number of waits whose time all of them have together, and the clock that measures it; each has its own when absent
   */
  constructor(ms: number, timer: Timer, outcome = '', several?: { readonly clock: Clock; readonly count: number }) {
    this.#ms = ms
    this.#timer = timer
    this.#outcome = outcome
    this.#clock = several?.clock
    this.#left = ms * (several?.count ?? 1)
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#error !== undefined) this.#abort.abort(this.#error)
    return this.#abort.signal
  }

  /**
   * Waits for code, as long as it has time. Code that does not return to the event loop cannot be ended.
   *
   * @param name of the code, for the message
   * @throws {AppError} CODE_TIMEOUT
   */
  async wait<T>(pending: Promise<T>, name: () => string): Promise<T> {
    let stop = () => {}
    const begun = this.#clock?.() ?? 0
    const over = new Promise<never>((_, reject) => {
      stop = this.#timer(Math.min(this.#ms, Math.max(0, this.#left)), () => {
        const error = new AppError('CODE_TIMEOUT', `${name()} took more than ${this.#ms / 1000} s${this.#outcome}`)
        this.#error = error
        this.#abort?.abort(error)
        reject(error)
      })
    })
    // What goes on after its time may fail later.
    pending.catch(() => {})
    try {
      return await Promise.race([pending, over])
    } finally {
      stop()
      this.#left -= (this.#clock?.() ?? 0) - begun
    }
  }
}

/** `hooks/order.ts:12 beforeCreate` */
export const codeName = ({ file, line, name }: CodeFunction<unknown>): string => `${file}:${line} ${name}`

const REFUSALS = {
  400: 'INVALID_REQUEST',
  403: 'FORBIDDEN',
  404: 'RECORD_NOT_FOUND',
  409: 'CODE_REFUSED',
} as const satisfies Readonly<Record<Refusal['status'], ErrorCode>>

/** The error of a refusal. @param about begins the sentence in a request for several records: `3: ` */
export const refusedError = ({ messages, status }: Refusal, about = ''): AppError =>
  typeof messages === 'string'
    ? new AppError(REFUSALS[status], about + messages)
    : new AppError('VALIDATION_FAILED', Object.fromEntries(messagesOf(messages)))

/**
 * Messages by field as lists.
 *
 * @throws {TypeError} for what code gives in place of messages
 */
export function messagesOf(messages: unknown): readonly (readonly [string, readonly string[]])[] {
  if (!isObject(messages)) throw new TypeError('Messages are an object of texts by field')
  return Object.entries(messages).flatMap(([field, texts]) => {
    const list: unknown[] = [texts ?? []].flat()
    if (!list.every((text) => typeof text === 'string'))
      throw new TypeError(`The message of '${field}' must be a text, or several`)
    return list.length === 0 ? [] : [[field, list] as const]
  })
}

/**
 * The error of a request whose code has failed: a refusal, an error of a write that the code has made, or an internal one, which names the code
 * in the log.
 */
export function failureOf(error: unknown, code: CodeFunction<unknown>): Error {
  const refusal = refusalOf(error)
  if (refusal !== undefined) return refusedError(refusal)
  if (error instanceof AppError) return error
  if (error instanceof AdminError && error.status === 403) return new AppError('FORBIDDEN', error.message, { cause: error })
  const text = error instanceof Error ? error.message : typeof error === 'string' ? error : inspect(error)
  const place = codeName({ ...code, line: lineOf(error, code) })
  return new Error(`${place}: ${text}`, error instanceof Error ? { cause: error } : {})
}

/** The text of a failure, with its messages by field. */
export const failureText = (failure: Error): string =>
  failure instanceof AppError && typeof failure.details !== 'string'
    ? `${failure.message}: ${JSON.stringify(failure.details)}`
    : failure.message

/** The line of the file in which an error was thrown. */
function lineOf(error: unknown, { file, line }: CodeFunction<unknown>): number {
  const frames = error instanceof Error ? framesOf(error.stack ?? '') : []
  return frames.find((frame) => frame.file.endsWith(`/${file}`))?.line ?? line
}

/** @param chain the causes, the first one first */
export const loop = (chain: readonly string[]): AppError =>
  new AppError('HOOK_LOOP', `Writes of code cause each other without end: ${chain.join(' → ')}`)
