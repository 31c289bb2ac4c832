import { isoTime } from '../util/clock.ts'
import type { KeyedRandom } from './keyed-random.ts'
import { REFERENCE_TIME } from './load-faker.ts'
import { snake } from './texts.ts'

const DAY_SECONDS = 86_400

/** Usual distance from the reference date in days, by field name; the first match counts. */
const USUAL_RANGES: readonly (readonly [RegExp, from: number, to: number])[] = [
  [/birth|(^|_)dob$/, -80 * 365, -18 * 365],
  [/expire|expiry|due|deadline|valid_(until|to)|event|scheduled|next|end(s|_|$)|until|arrival|delivery/, 1, 365],
]
const PAST_RANGE = [/^/, -730, -1] as const
/** At most a hundred times the usual distance. */
const MAX_WIDENING = 2

/**
 * A datetime by field name, in stored form with whole seconds.
 *
 * @param attempt each attempt widens the range tenfold
 */
export function datetimeFor(field: string, random: KeyedRandom, attempt: number): string {
  const [, from, to] = USUAL_RANGES.find(([pattern]) => pattern.test(snake(field))) ?? PAST_RANGE
  const reach = 10 ** Math.min(attempt, MAX_WIDENING)
  return isoTime(REFERENCE_TIME + random.integer(from * DAY_SECONDS * reach, to * DAY_SECONDS * reach) * 1000)
}

/** Timestamps of creation and last change. */
export function timestampsFor(random: KeyedRandom): { created_at: string; updated_at: string } {
  const created = random.integer(PAST_RANGE[1] * DAY_SECONDS, PAST_RANGE[2] * DAY_SECONDS)
  const updated = random.chance(0.5) ? created : random.integer(created, 0)
  return { created_at: isoTime(REFERENCE_TIME + created * 1000), updated_at: isoTime(REFERENCE_TIME + updated * 1000) }
}

/** A time of day: on the quarter of an hour first, then on the second. */
export function timeOfDay(random: KeyedRandom, attempt: number): string {
  const seconds = attempt === 0 ? random.integer(0, 95) * 900 : random.integer(0, DAY_SECONDS - 1)
  return isoTime(seconds * 1000).slice(11, 19)
}
