import { AdminError, type FieldErrors } from '../../../client/client.ts'
import { Unparsed } from '../../widgets/unparsed.ts'
import { titled } from './titled.ts'
import type { Values } from './values.ts'

/** What kept a form from being saved. */
export interface Problems {
  readonly error: unknown
  /** Messages by field; empty if the fault is not that of a field. */
  readonly fields: FieldErrors
}

/** The problems that a failed request names. @param titleOf the title of a field in the form */
export function problemsOf(error: unknown, titleOf: (name: string) => string): Problems {
  const named = Object.entries(error instanceof AdminError ? error.fieldErrors : {})
  const fields = named.map(([name, messages]) => [name, messages.map((each) => titled(each, name, titleOf(name)))])
  return { error, fields: Object.fromEntries(fields) }
}

/** The problems of typed texts that are not values, whose messages the inputs show; undefined if there are none. */
export function unparsedIn(values: Values): Problems | undefined {
  const names = Object.keys(values).filter((name) => values[name] instanceof Unparsed)
  if (names.length === 0) return undefined
  return { error: undefined, fields: Object.fromEntries(names.map((name) => [name, []])) }
}
