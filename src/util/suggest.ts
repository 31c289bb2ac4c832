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
  return closestMatch(lower, candidates, { maxDistance: Math.max(1, Math.round(name.length * 0.4)) })
}

/** `; did you mean 'title'?`, or nothing: to be put behind a message about an unknown name. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const match = nearest(name, known)
  return match === undefined ? '' : `; did you mean '${match}'?`
}
