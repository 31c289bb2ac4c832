import { stripVTControlCharacters } from 'node:util'
import { printable, UNPRINTABLE } from '../util/text.ts'
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
  return `${name}=${printable(/^[^\s"=\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text))}`
}

function errorText({ type, message, stack, cause }: ErrorDescription): string {
  // An error may quote a request. Its further lines are indented, so that none of them looks like an entry.
  const own = withoutControlCharacters(stack ?? `${type}: ${message}`).replace(/\n(?=\S)/g, '\n    ')
  return cause === undefined ? own : `${own}\ncaused by ${errorText(cause)}`
}

/** Removes characters that a terminal would interpret. A message or a stack keeps its lines. */
const withoutControlCharacters = (text: string): string =>
  stripVTControlCharacters(text).replace(UNPRINTABLE, (character) => (character === '\n' || character === '\t' ? character : ''))
