import { pino } from 'pino'
import { type Clock, isoTime, systemClock } from '../util/clock.ts'
import { printable } from '../util/text.ts'
import { describeError, REDACTED, redactText, SECRET_PATHS } from './redact.ts'
import { asText } from './text.ts'

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

export interface LogOptions {
  readonly level: LogLevel
  /** `json` writes one object a line; `text` is for people. */
  readonly format: 'json' | 'text'
  readonly clock?: Clock
}

/**
 * Creates a log on a stream. Each line is written in one synchronous call, so that none is lost at exit. Fields with names of
 * secrets are removed, errors are reduced to message, stack and causes, and texts that look like tokens or password hashes are
 * redacted.
 */
export function createLog(write: (line: string) => unknown, { level, format, clock = systemClock }: LogOptions): Log {
  // JSON escapes C0 only; the log may be read on a terminal.
  const stream = { write: (line: string) => write(format === 'json' ? `${printable(line.trimEnd())}\n` : asText(line)) }
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoTime(clock())}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError },
      redact: { paths: [...SECRET_PATHS], censor: REDACTED },
    },
    stream,
  )
  const sayer =
    (each: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      logger[each](clean(fields), redactText(message))
  return {
    debugs: level === 'debug',
    error: sayer('error'),
    warn: sayer('warn'),
    info: sayer('info'),
    debug: sayer('debug'),
  }
}

/** A log that discards everything. */
export const silentLog: Log = { debugs: false, error() {}, warn() {}, info() {}, debug() {} }

const clean = (fields: LogFields): LogFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? redactText(value) : value]))
