/** A receiver that failed for so long is disabled. */
const MAX_FAILING_MS = 5 * 86_400_000

/** Since when a receiver fails, and when it did so last, in milliseconds since the Unix epoch; undefined for one that does not. */
export interface Health {
  readonly failingSince: number | undefined
  readonly lastFailure: number | undefined
}

export const SOUND: Health = { failingSince: undefined, lastFailure: undefined }

/**
 * How a receiver is after an attempt. Failing begins anew after a time in which nothing was tried: nobody knows whether a message would
 * have been taken meanwhile.
 *
 * @param quiet how long nothing must have been tried for that, in milliseconds
 */
export function healthAfter(
  before: Health,
  { at, isGood }: { readonly at: number; readonly isGood: boolean },
  quiet: number,
): Health {
  if (isGood) return SOUND
  const { failingSince = at, lastFailure } = before
  const isContinuous = lastFailure !== undefined && at - lastFailure <= quiet
  return { failingSince: isContinuous ? failingSince : at, lastFailure: Math.max(at, lastFailure ?? at) }
}

/** True when a receiver has failed for so long that it is told nothing any more. */
export const hasFailedForLong = ({ failingSince = Number.POSITIVE_INFINITY }: Health, now: number): boolean =>
  now - failingSince >= MAX_FAILING_MS
