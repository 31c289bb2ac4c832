import type { Field } from '../model/field.ts'
import type { KeyedRandom } from './keyed-random.ts'
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
    const first = gt === low ? Math.floor(low) + 1 : Math.ceil(low)
    const last = lt === high ? Math.ceil(high) - 1 : Math.floor(high)
    return first + ((random.integer(0, last - first) + attempt) % (last - first + 1))
  }
  const exact = low + random.next() * (high - low)
  const rounded = Math.round(exact * 100) / 100
  const fits = rounded > gt && rounded >= gte && rounded < lt && rounded <= lte
  return fits && high - low > 0.1 ? rounded : exact
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
