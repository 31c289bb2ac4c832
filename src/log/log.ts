/** By descending severity; a log writes messages of its level and above. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Structured fields of a message. Names are those of the API: `user_id`, `request_id`; `error` is the thrown value. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * The log of the running program.
 *
 * - `error`, `warn`: internal failures; `error` is for those that a request was answered with.
 * - `info`: start and stop, logins, and changes of accounts.
 * - `debug`: every request, and the query plan of each list.
 */
export interface Log {
  /** False if the level excludes `debug`, so that callers need not build the message. */
  readonly debugs: boolean
  error(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
}

/** A log that discards everything. */
export const silentLog: Log = { debugs: false, error() {}, warn() {}, info() {}, debug() {} }
