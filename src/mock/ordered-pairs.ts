import type { Field } from '../model/field.ts'
import { isoTime } from '../util/clock.ts'
import type { Json } from '../util/json.ts'
import type { KeyedRandom } from './keyed-random.ts'
import { snake } from './texts.ts'

/** Words of a field's name for a beginning, with those for its end. */
const WORDS: readonly (readonly [begin: RegExp, ends: readonly string[]])[] = [
  [/(^|_)start(?=_|$)/, ['end', 'finish', 'stop']],
  [/(^|_)starts(?=_|$)/, ['ends', 'finishes']],
  [/(^|_)started(?=_|$)/, ['ended', 'finished', 'stopped']],
  [/(^|_)begin(?=_|$)/, ['end', 'finish']],
  [/(^|_)begins(?=_|$)/, ['ends', 'finishes']],
  [/(^|_)from(?=_|$)/, ['to', 'until', 'till']],
  [/(^|_)opens(?=_|$)/, ['closes']],
  [/(^|_)open(?=_|$)/, ['close']],
  [/(^|_)opened(?=_|$)/, ['closed']],
  [/(^|_)opening(?=_|$)/, ['closing']],
  [/(^|_)check_?in(?=_|$)/, ['check_out', 'checkout']],
  [/(^|_)min(?=_|$)/, ['max']],
  [/(^|_)minimum(?=_|$)/, ['maximum']],
]

/** Types whose values have an order. */
const ORDERED: ReadonlySet<Field['type']['name']> = new Set(['date', 'time', 'datetime', 'integer', 'number', 'decimal'])

/** The fields that begin what another field ends, by the name of that field: `starts_at` for `ends_at`. Both have the same type. */
export function beginnings(fields: readonly Field[]): ReadonlyMap<string, Field> {
  const byName = new Map(fields.map((field) => [snake(field.name), field]))
  const found = new Map<string, Field>()
  for (const [name, begin] of byName) {
    for (const [word, ends] of ORDERED.has(begin.type.name) ? WORDS : []) {
      if (!word.test(name)) continue
      for (const end of ends) {
        const other = byName.get(name.replace(word, `$1${end}`))
        if (other?.type === begin.type) found.set(other.name, begin)
      }
    }
  }
  return found
}

const DAY_MS = 86_400_000
const QUARTER_MS = 900_000
const LAST_QUARTER = '23:45:00'

/** A value for the end of what begins at a value: up to 14 days, 8 hours, or later on the day. Undefined for numbers. */
export function endAfter(begin: Json, { type }: Field, random: KeyedRandom): Json | undefined {
  if (typeof begin !== 'string') return undefined
  const moment = (text: string, plus: number) => isoTime(Date.parse(text) + plus)
  switch (type.name) {
    case 'date':
      return moment(`${begin}T00:00:00.000Z`, random.integer(0, 14) * DAY_MS).slice(0, 10)
    case 'datetime':
      return moment(begin, random.integer(1, 32) * QUARTER_MS)
    case 'time': {
      if (begin >= LAST_QUARTER) return '23:59:59'
      const left = (Date.parse(`1970-01-01T${LAST_QUARTER}Z`) - Date.parse(`1970-01-01T${begin}Z`)) / QUARTER_MS
      return moment(`1970-01-01T${begin}Z`, random.integer(1, Math.max(1, Math.floor(left))) * QUARTER_MS).slice(11, 19)
    }
    default:
      return undefined
  }
}

/** True if a value is not before, or less than, another of the same field type. */
export function isInOrder(begin: Json, end: Json, { type }: Field): boolean {
  if (type.name === 'decimal') return Number(end) >= Number(begin)
  return typeof begin === typeof end && begin !== null && end !== null && end >= begin
}
