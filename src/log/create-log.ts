import { pino } from 'pino'
import { type Clock, isoTime, systemClock } from '../util/clock.ts'
import { printable } from '../util/text.ts'
import type { Log, LogFields, LogLevel } from './log.ts'
import { describeError, REDACTED, redactText, SECRET_PATHS } from './redact.ts'
import { asText } from './text.ts'

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

const clean = (fields: LogFields): LogFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? redactText(value) : value]))
