import { closestMatch } from 'leven'

/** Nobody means a name longer than this; comparing one would take long. */
const LONGEST_NAME = 64

/**
 * The known name that was probably meant, or undefined when none is near.
 * Two edits in five letters count as a slip, since that is what swapped letters take.
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
 * The known name that this one is a slip of: one letter off, or another spelling (`foreign_key`, `Text-Area`). For names of an
 * open list, where most that are not known are meant.
 */
export function slip(name: string, known: readonly string[]): string | undefined {
  const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const same = known.find((each) => bare(each) === bare(name))
  return same ?? (name.length > 4 ? nearest(name, known, 1) : undefined)
}

/** `; did you mean 'title'?`, or nothing: to be put behind a message about an unknown name. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const match = nearest(name, known)
  return match === undefined ? '' : `; did you mean '${match}'?`
}

/** `; did you mean 'title'?` or, when no known name is near, ` (known: title, body)`. */
export function meantOrKnown(name: string, known: readonly string[]): string {
  return didYouMean(name, known) || ` (known: ${known.join(', ') || 'none'})`
}
