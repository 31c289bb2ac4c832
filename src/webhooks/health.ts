/** A receiver that fails for this long is disabled. */
const MAX_FAILING_MS = 5 * 86_400_000

/**
 * Times of the first failure in a row and of the latest one, in milliseconds since the Unix epoch; undefined for a healthy
 * receiver.
 */
export interface ReceiverHealth {
  readonly failingSince: number | undefined
  readonly lastFailure: number | undefined
}

export const HEALTHY: ReceiverHealth = { failingSince: undefined, lastFailure: undefined }

/**
 * The health after an attempt. After a time without attempts a failure counts as the first, since a message might have
 * succeeded meanwhile.
 *
 * @param maxGap the minimum duration of such a time, in milliseconds
 */
export function healthAfter(
  before: ReceiverHealth,
  { at, succeeded }: { readonly at: number; readonly succeeded: boolean },
  maxGap: number,
): ReceiverHealth {
  if (succeeded) return HEALTHY
  const { failingSince = at, lastFailure } = before
  const isContinuous = lastFailure !== undefined && at - lastFailure <= maxGap
  return { failingSince: isContinuous ? failingSince : at, lastFailure: Math.max(at, lastFailure ?? at) }
}

/** True if the receiver has failed long enough to be disabled. */
export const hasFailedTooLong = ({ failingSince = Number.POSITIVE_INFINITY }: ReceiverHealth, now: number): boolean =>
  now - failingSince >= MAX_FAILING_MS
