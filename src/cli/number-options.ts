import { InvalidArgumentError } from 'commander'

/**
 * The parser of an option or argument that is a whole number.
 *
 * @param name the subject of the message
 * @returns a parser, which throws `InvalidArgumentError` for any other text
 */
export const wholeNumber =
  (name: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    const range = maximum === Number.MAX_SAFE_INTEGER ? `, ${minimum} or greater` : ` from ${minimum} to ${maximum}`
    throw new InvalidArgumentError(`${name} is a whole number${range}.`)
  }

/** Records that a command shows unless `--limit` is given. */
export const DEFAULT_LIMIT = 20

/** Maximum of `--limit`. */
export const MAX_LIMIT = 1000

/** Parses `--limit`. */
export const parseLimit = wholeNumber('The limit', 1, MAX_LIMIT)

/** Parses the id of a record. */
export const parseId = wholeNumber('An id', 1)
