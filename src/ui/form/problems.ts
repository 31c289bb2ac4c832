import { AdminError, type FieldErrors } from '../../client/client.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import type { Values } from './values.ts'

/** What kept a form from being saved. */
export interface Problems {
  readonly error: unknown
  /** Messages by field; empty if the fault is not that of a field. */
  readonly fields: FieldErrors
}

/** The problems that a failed request names. */
export const problemsOf = (error: unknown): Problems => ({ error, fields: error instanceof AdminError ? error.fieldErrors : {} })

/** The problems of typed texts that are not values, whose messages the inputs show; undefined if there are none. */
export function unparsedIn(values: Values): Problems | undefined {
  const names = Object.keys(values).filter((name) => values[name] instanceof Unparsed)
  if (names.length === 0) return undefined
  return { error: undefined, fields: Object.fromEntries(names.map((name) => [name, []])) }
}
