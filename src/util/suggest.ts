import { closestMatch } from 'leven'

/**
 * The known name that was probably meant, or undefined when none is near.
 * Two edits in five letters count as a slip, since that is what swapped letters take.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const lower = name.toLowerCase()
  const candidates = [...known]
  const sameLetters = candidates.find((candidate) => candidate.toLowerCase() === lower)
  if (sameLetters !== undefined) return sameLetters
  const maxDistance = Math.round(name.length * 0.4)
  return maxDistance === 0 ? undefined : closestMatch(lower, candidates, { maxDistance })
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
