import type { Field } from '../model/field.ts'
import { isoTime } from '../util/clock.ts'
import { type KeyedRandom, REFERENCE_TIME } from './random.ts'
import { snake } from './texts.ts'

/** Usual ranges by field name; the first match counts. */
const USUAL_RANGES: readonly (readonly [RegExp, low: number, high: number])[] = [
  [/price|cost|amount|total|balance|fee|revenue/, 1, 1_000],
  [/salary|income/, 20_000, 120_000],
  [/(^|_)lat(itude)?$/, -90, 90],
  [/(^|_)(lng|lon(gitude)?)$/, -180, 180],
  [/(^|_)age$/, 18, 90],
  [/year/, 1970, 2025],
  [/month/, 1, 12],
  [/(^|_)day$/, 1, 28],
  [/percent|discount|share|rate$/, 0, 100],
  [/rating|stars|score/, 0, 5],
  [/quantity|qty|stock/, 0, 200],
  [/position|order|rank|priority|level/, 0, 20],
]
const DEFAULT_RANGE = [/^/, 0, 1_000] as const
/** At most 10⁹ times the usual range. */
const MAX_WIDENING = 9

/**
 * A number within a field's bounds.
 *
 * @param attempt each attempt widens the usual range tenfold within the bounds; in small ranges attempts enumerate the values
 */
export function numberFor({ name, type, limits }: Field, random: KeyedRandom, attempt: number): number {
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity, choices } = limits
  const [low, high] = clipped(usualRange(name, attempt), Math.max(gt, gte), Math.min(lt, lte))
  if (choices !== undefined) {
    const start = random.integer(0, choices.length - 1)
    return Number(choices[(start + attempt) % choices.length])
  }
  if (type.name === 'integer') {
    const [first, last] = wholeRange(low, high, { isAbove: gt === low, isBelow: lt === high })
    return first + ((random.integer(0, last - first) + attempt) % (last - first + 1))
  }
  const exact = low + random.next() * (high - low)
  const rounded = Math.round(exact * 100) / 100
  const fits = rounded > gt && rounded >= gte && rounded < lt && rounded <= lte
  return fits && high - low > 0.1 ? rounded : exact
}

/** Digits behind the point, where a field does not limit them. */
const USUAL_PLACES = 2
/** Maximum number of generated digits behind the point. */
const MAX_PLACES = 9

/** Number of digits that generated decimals have behind the point. */
export const placesOf = ({ limits: { decimal_places: places = USUAL_PLACES } }: Field): number => Math.min(places, MAX_PLACES)

/** A decimal within a field's bounds, as text. Its range widens with the attempts, as for numbers. */
export function decimalFor(field: Field, random: KeyedRandom, attempt: number): string {
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity, decimal_places: limit = MAX_PLACES } = field.limits
  const [low, high] = clipped(usualRange(field.name, attempt), Math.max(gt, gte), Math.min(lt, lte))
  for (let places = placesOf(field); ; places++) {
    const [first, last] = wholeRange(low, high, { scale: 10 ** places, isAbove: gt === low, isBelow: lt === high })
    if (first <= last) return (random.integer(first, last) / 10 ** places).toFixed(places)
    if (places >= Math.min(limit, MAX_PLACES)) return String(low)
  }
}

/** The whole numbers that lie within a range whose bounds are multiplied by a scale. */
function wholeRange(
  low: number,
  high: number,
  { scale = 1, isAbove, isBelow }: { scale?: number; isAbove: boolean; isBelow: boolean },
): [first: number, last: number] {
  // Bounds such as 0.29 are not whole when multiplied by 100.
  const [from, to] = [low, high].map((bound) => Number((bound * scale).toPrecision(15))) as [number, number]
  return [isAbove ? Math.floor(from) + 1 : Math.ceil(from), isBelow ? Math.ceil(to) - 1 : Math.floor(to)]
}

function usualRange(name: string, attempt: number): readonly [number, number] {
  const [, low, high] = USUAL_RANGES.find(([pattern]) => pattern.test(snake(name))) ?? DEFAULT_RANGE
  return [low, low + (high - low) * 10 ** Math.min(attempt, MAX_WIDENING)]
}

/** The usual range clipped to the bounds; if nothing remains, a range of the same width at the bound. */
function clipped([low, high]: readonly [number, number], least: number, most: number): [number, number] {
  const span = high - low
  if (least >= high) return [least, Math.min(most, least + span)]
  if (most <= low) return [Math.max(least, most - span), most]
  return [Math.max(low, least), Math.min(high, most)]
}

const DAY_SECONDS = 86_400

/** Usual distance from the reference date in days, by field name; the first match counts. */
const USUAL_DATES: readonly (readonly [RegExp, from: number, to: number])[] = [
  [/birth|(^|_)dob$/, -80 * 365, -18 * 365],
  [/expire|expiry|due|deadline|valid_(until|to)|event|scheduled|next|end(s|_|$)|until|arrival|delivery/, 1, 365],
]
const PAST_RANGE = [/^/, -730, -1] as const
/** At most a hundred times the usual distance. */
const MAX_DATE_WIDENING = 2

/**
 * A datetime by field name, in stored form with whole seconds.
 *
 * @param attempt each attempt widens the range tenfold
 */
export function datetimeFor(field: string, random: KeyedRandom, attempt: number): string {
  const [, from, to] = USUAL_DATES.find(([pattern]) => pattern.test(snake(field))) ?? PAST_RANGE
  const reach = 10 ** Math.min(attempt, MAX_DATE_WIDENING)
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
