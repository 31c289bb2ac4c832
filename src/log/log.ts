import { pino } from 'pino'
import { type Clock, isoTime, systemClock } from '../util/clock.ts'
import { describeError, REDACTED, redactText, SECRET_PATHS } from './redact.ts'
import { asText } from './text.ts'

/** From the worst to the most talkative; a log says what is of its level or worse. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** What is said beside the message, by name. Names are those of the API: `user_id`, `request_id`; `error` is what was thrown. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Tells whoever runs the program what happens.
 *
 * - `error`, `warn`: failures of our own; `error` is for those that a request was answered with.
 * - `info`: start and stop, and what a security review asks for: logins, and changes of accounts.
 * - `debug`: every request, and how each list was found.
 */
export interface Log {
  /** False when `debug` says nothing, so that nobody has to make up what it would say. */
  readonly debugs: boolean
  error(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
}

export interface LogOptions {
  readonly level: LogLevel
  /** `json` is one object a line; `text` is for people. */
  readonly format: 'json' | 'text'
  readonly clock?: Clock
}

/**
 * A log on a stream. Each line is handed over whole and at once, so that none is lost at the end. Members with the names of
 * secrets are left out, of errors only what says what happened, and what looks like a token or a password hash is taken out of
 * every text.
 */
export function createLog(write: (line: string) => unknown, { level, format, clock = systemClock }: LogOptions): Log {
  const stream = { write: format === 'json' ? write : (line: string) => write(asText(line)) }
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

/** Says nothing. */
export const silentLog: Log = { debugs: false, error() {}, warn() {}, info() {}, debug() {} }

const clean = (fields: LogFields): LogFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? redactText(value) : value]))
