import { stripVTControlCharacters } from 'node:util'
import type { ErrorDescription } from './redact.ts'

const PREFIXES: Readonly<Record<string, string>> = { warn: 'Warning: ', error: 'Error: ' }

/** The members that a person is told otherwise, or not at all: a terminal shows what happens as it happens. */
const TOLD: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'event', 'error'])

/** Turns a line of JSON into one for people: the message, what goes with it, and below it the stack of an error. */
export function asText(line: string): string {
  const entry = JSON.parse(line) as Readonly<Record<string, unknown>>
  const fields = Object.entries(entry).filter(([name]) => !TOLD.has(name))
  const head = [`${PREFIXES[String(entry.level)] ?? ''}${harmless(String(entry.msg))}`, ...fields.map(pair)].join(' ')
  const error = entry.error as ErrorDescription | undefined
  return `${head}\n${error === undefined ? '' : `${errorText(error)}\n`}`
}

const pair = ([name, value]: [string, unknown]): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `${name}=${/^[^\s"=\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text)}`
}

function errorText({ type, message, stack, cause }: ErrorDescription): string {
  const own = harmless(stack ?? `${type}: ${message}`)
  return cause === undefined ? own : `${own}\ncaused by ${errorText(cause)}`
}

/** Without anything that a terminal would obey. */
const harmless = (text: string): string => stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '')
