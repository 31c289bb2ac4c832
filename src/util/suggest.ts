import { closestMatch } from 'leven'

/** Longer names are not compared, since that would take long. */
const LONGEST_NAME = 64

/**
 * The known name closest to the given one, or undefined if none is close. Two edits in five letters are still close, since
 * swapped letters count as two.
 */
export function nearest(name: string, known: Iterable<string>, maxDistance = Math.round(name.length * 0.4)): string | undefined {
  if (name.length > LONGEST_NAME) return undefined
  const byLetters = new Map([...known].map((candidate) => [candidate.toLowerCase(), candidate]))
  const lower = name.toLowerCase()
  if (byLetters.has(lower)) return byLetters.get(lower)
  if (maxDistance === 0) return undefined
  return byLetters.get(closestMatch(lower, [...byLetters.keys()], { maxDistance }) ?? '')
}

/**
 * The known name that differs by one letter or only in spelling (`foreign_key`, `Text-Area`). For names from an open list,
 * where most unknown names are intended.
 */
export function slip(name: string, known: readonly string[]): string | undefined {
  const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const same = known.find((each) => bare(each) === bare(name))
  return same ?? (name.length > 4 ? nearest(name, known, 1) : undefined)
}

/** `; did you mean 'title'?` or an empty string, to append to a message about an unknown name. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const match = nearest(name, known)
  return match === undefined ? '' : `; did you mean '${match}'?`
}

/** Maximum number of unknown names that a message describes, since a request may have thousands. */
export const MAX_DESCRIBED = 10

/** The messages about the first ten of some names, and the number of the others. */
export function firstMessages<T>(names: readonly T[], messageOf: (name: T) => string): string[] {
  const left = names.length - MAX_DESCRIBED
  const messages = names.slice(0, MAX_DESCRIBED).map(messageOf)
  return left > 0 ? [...messages, furtherMessages(left)] : messages
}

/** The last of some messages, in place of further ones. */
export const furtherMessages = (count: number): string => `and ${count} more`

/** `; did you mean 'title'?` or, when no known name is near, ` (known: title, body)`. */
export function meantOrKnown(name: string, known: readonly string[]): string {
  return didYouMean(name, known) || ` (known: ${known.join(', ') || 'none'})`
}
