import { isObject } from '../../util/json.ts'
import { didYouMean } from '../../util/suggest.ts'
import { FieldIssues, MAX_NAMED } from '../../validate/issues.ts'

/** Options of `readTexts`. */
export interface ReadTextsOptions {
  /** Rejects other members. */
  readonly strict?: boolean
}

/**
 * Reads mandatory strings from a request body.
 *
 * @throws {AppError} VALIDATION_FAILED for a member that is missing or not a string
 */
export function readTexts<const N extends readonly string[]>(
  body: unknown,
  names: N,
  { strict = false }: ReadTextsOptions = {},
): { [K in keyof N]: string } {
  const members = isObject(body) ? body : {}
  const issues = new FieldIssues()
  for (const name of names) {
    const value = members[name]
    if (value === undefined || value === null || value === '') issues.add(name, `${name} is mandatory`)
    else if (typeof value !== 'string') issues.add(name, `${name} must be a string`)
  }
  const others = strict ? Object.keys(members).filter((name) => !names.includes(name)) : []
  for (const name of others.slice(0, MAX_NAMED)) issues.add(name, `Field '${name}' does not exist${didYouMean(name, names)}`)
  issues.throwIfAny()
  return names.map((name) => members[name]) as { [K in keyof N]: string }
}
