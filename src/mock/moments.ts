import { isoTime } from '../util/clock.ts'
import type { KeyedRandom } from './keyed-random.ts'
import { REFERENCE_TIME } from './load-faker.ts'
import { snake } from './texts.ts'

const DAY_SECONDS = 86_400

/** How many days from the reference day moments lie, by a field's name; the first that fits. */
const USUAL: readonly (readonly [RegExp, from: number, to: number])[] = [
  [/birth|(^|_)dob$/, -80 * 365, -18 * 365],
  [/expire|expiry|due|deadline|valid_(until|to)|event|scheduled|next|end(s|_|$)|until|arrival|delivery/, 1, 365],
]
const PAST = [/^/, -730, -1] as const
/** A hundred times as far: further is no date that anybody means. */
const MAX_WIDENING = 2

/**
 * A moment by a field's name, in the stored form of a datetime: in whole seconds.
 *
 * @param attempt reaches ten times as far each time
 */
export function momentFor(field: string, random: KeyedRandom, attempt: number): string {
  const [, from, to] = USUAL.find(([pattern]) => pattern.test(snake(field))) ?? PAST
  const reach = 10 ** Math.min(attempt, MAX_WIDENING)
  return isoTime(REFERENCE_TIME + random.integer(from * DAY_SECONDS * reach, to * DAY_SECONDS * reach) * 1000)
}

/** When a record was made and last changed. */
export function timestampsFor(random: KeyedRandom): { created_at: string; updated_at: string } {
  const created = random.integer(PAST[1] * DAY_SECONDS, PAST[2] * DAY_SECONDS)
  const updated = random.chance(0.5) ? created : random.integer(created, 0)
  return { created_at: isoTime(REFERENCE_TIME + created * 1000), updated_at: isoTime(REFERENCE_TIME + updated * 1000) }
}

/** A time of day: to the quarter of an hour first, then to the second. */
export function timeOfDay(random: KeyedRandom, attempt: number): string {
  const seconds = attempt === 0 ? random.integer(0, 95) * 900 : random.integer(0, DAY_SECONDS - 1)
  return isoTime(seconds * 1000).slice(11, 19)
}
