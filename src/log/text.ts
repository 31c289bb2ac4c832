import { stripVTControlCharacters } from 'node:util'
import type { ErrorDescription } from './redact.ts'

const PREFIXES: Readonly<Record<string, string>> = { warn: 'Warning: ', error: 'Error: ' }

/** Fields that the text format presents differently or omits. */
const OMITTED: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'event', 'error'])

/** Formats a JSON log line for people: the message, its fields, and the stack of an error below it. */
export function asText(line: string): string {
  const entry = JSON.parse(line) as Readonly<Record<string, unknown>>
  const fields = Object.entries(entry).filter(([name]) => !OMITTED.has(name))
  const head = [`${PREFIXES[String(entry.level)] ?? ''}${withoutControlCharacters(String(entry.msg))}`, ...fields.map(pair)].join(
    ' ',
  )
  const error = entry.error as ErrorDescription | undefined
  return `${head}\n${error === undefined ? '' : `${errorText(error)}\n`}`
}

const pair = ([name, value]: [string, unknown]): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `${name}=${/^[^\s"=\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text)}`
}

function errorText({ type, message, stack, cause }: ErrorDescription): string {
  const own = withoutControlCharacters(stack ?? `${type}: ${message}`)
  return cause === undefined ? own : `${own}\ncaused by ${errorText(cause)}`
}

/** Removes control characters that a terminal would interpret. */
const withoutControlCharacters = (text: string): string => stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '')
