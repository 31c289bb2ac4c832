import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import type { Io } from '../terminal/io.ts'

/** A rate limit counts a minute. */
const LONGEST_WAIT_SECONDS = 60
const MAX_WAITS = 10

/** How somebody waits. */
interface RetryLimit {
  /** Waits no longer when it is aborted. */
  readonly stopped?: AbortSignal
  readonly wait?: (milliseconds: number, value: undefined, options: { signal?: AbortSignal }) => Promise<unknown>
}

/**
 * Asks for something, and again whenever the API says that it has to wait: for commands that ask often.
 *
 * @throws {AppError} what the last answer says is wrong, or the reason of `stopped`
 */
export async function withRetries<T>(io: Io, ask: () => Promise<T>, { stopped, wait = delay }: RetryLimit = {}): Promise<T> {
  for (let waits = 0; ; waits++) {
    try {
      return await ask()
    } catch (error) {
      const seconds = error instanceof AppError ? error.retryAfter : undefined
      if (seconds === undefined || seconds > LONGEST_WAIT_SECONDS || waits === MAX_WAITS) throw error
      io.stderr.write(`The server wants to be asked again in ${seconds} s; waiting\n`)
      await wait(1000 * seconds, undefined, stopped === undefined ? {} : { signal: stopped }).catch((error: unknown) => {
        throw stopped?.aborted === true ? stopped.reason : error
      })
    }
  }
}
