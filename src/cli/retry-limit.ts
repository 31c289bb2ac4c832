import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import type { Io } from './io.ts'

/** Rate limits count per minute, so a longer wait has another cause, and the command fails at once. */
const LONGEST_WAIT_SECONDS = 60
const MAX_WAITS = 10

/** Options of `withRetries`. */
interface RetryOptions {
  /** Ends the wait when it is aborted. */
  readonly stopped?: AbortSignal
  /** Replaces the timer in tests. */
  readonly wait?: (milliseconds: number, value: undefined, options: { signal?: AbortSignal }) => Promise<unknown>
}

/**
 * Runs a request, and repeats it after the wait that the API requires (`Retry-After`): at most 10 times. A wait of more than 60 s fails
 * at once. For requests that change nothing, and for streams: a change is never repeated.
 *
 * @throws {AppError} the error of the last attempt, or the reason of `stopped`
 */
export async function withRetries<T>(
  io: Io,
  request: () => Promise<T>,
  { stopped, wait = delay }: RetryOptions = {},
): Promise<T> {
  for (let waits = 0; ; waits++) {
    try {
      return await request()
    } catch (error) {
      const seconds = error instanceof AppError ? error.retryAfter : undefined
      if (seconds === undefined || seconds > LONGEST_WAIT_SECONDS || waits === MAX_WAITS) throw error
      io.stderr.write(`The server asks to wait; trying again in ${seconds} s\n`)
      await wait(1000 * seconds, undefined, stopped === undefined ? {} : { signal: stopped }).catch((error: unknown) => {
        throw stopped?.aborted === true ? stopped.reason : error
      })
    }
  }
}
