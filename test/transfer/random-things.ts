import { integer, mulberry32, pick, type Random } from '../bench/data/random.ts'
import { NASTY } from './everything.ts'

/** A record of the model `Thing` as a file of NDJSON has it. */
export type RandomThing = Readonly<Record<string, unknown>>

/** What texts are put together of. */
const PARTS: readonly string[] = [
  ...NASTY,
  ...'=+-@＝＋－＠\'";,\\\t\r\n{}[]:|<>&%0aÄß漢字\u200B\u00AD\u0085\u2028\uFEFF\u0001\u007F👍'.split(/(?:)/u),
]

const CHOICES = ['a', 'b;c', 'd\\e', ' f ', '=g', "h'"]

/** The year, month, day and so on of a moment, with two digits. */
const two = (number: number): string => String(number).padStart(2, '0')

/**
 * Records with values of every type, the same for the same seed. They refer to each other, earlier and later ones, and a quarter of the values
 * is null.
 *
 * @param ids of the records, in ascending order
 */
export function randomThings(seed: number, ids: readonly number[]): RandomThing[] {
  const random = mulberry32(seed)
  const twins = [...ids].sort(() => random() - 0.5)
  return ids.map((_, index) => {
    const value = <T>(make: () => T): T | null => (random() < 0.25 ? null : make())
    return {
      a_string: value(() => text(random)),
      a_text: value(() => text(random)),
      an_email: value(() =>
        pick(random, ['', 'ann@example.org', '+x@example.org', '-x@example.org', "'=x@example.org", '=1+1@example.org']),
      ),
      a_url: value(() => pick(random, ['', 'https://example.org/?a=1,2&b="', "https://example.org/';=+-@"])),
      a_slug: value(() => `${pick(random, ['', '-', '--', '_'])}${index}-`),
      an_integer: value(() => wholeNumber(random)),
      a_number: value(() => double(random)),
      a_decimal: value(() => decimal(random)),
      a_boolean: value(() => random() < 0.5),
      a_date: value(() => date(random)),
      a_time: value(() => time(random)),
      a_datetime: value(() => `${date(random)}T${time(random, 3)}Z`),
      a_choice: value(() => pick(random, ['one', '=two', 'th;ree'])),
      some_choices: CHOICES.filter(() => random() < 0.3).sort(() => random() - 0.5),
      a_json: value(() => json(random, 3)),
      a_uuid: value(() => [8, 4, 4, 4, 12].map((length) => digits(random, length, 16)).join('-')),
      parent_id: value(() => pick(random, ids)),
      others: [...new Set(Array.from({ length: integer(random, 0, 4) }, () => pick(random, ids)))],
      twin_id: value(() => twins[index]),
    }
  })
}

const text = (random: Random): string =>
  random() < 0.3 ? pick(random, NASTY) : Array.from({ length: integer(random, 0, 8) }, () => pick(random, PARTS)).join('')

const digits = (random: Random, length: number, base = 10): string =>
  Array.from({ length }, () => integer(random, 0, base - 1).toString(base)).join('')

const sign = (random: Random): string => (random() < 0.5 ? '-' : '')

const wholeNumber = (random: Random): number =>
  pick(random, [0, 7, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, Math.floor((random() - 0.5) * 2 ** 53)])

function double(random: Random): number {
  const size = Number(`${sign(random)}${digits(random, 1)}.${digits(random, 16)}e${integer(random, -323, 307)}`)
  return pick(random, [size, Math.round(size) || 0, 1e308, -1.7976931348623157e308, 5e-324, 1e21, 2 ** 60, -(2 ** 53), 0.1, -1.5])
}

/** A decimal in its stored form, of up to 100 digits. */
function decimal(random: Random): string {
  const whole = digits(random, integer(random, 1, 50)).replace(/^0+(?=.)/, '')
  const places = digits(random, integer(random, 0, 50)).replace(/0+$/, '')
  const size = places === '' ? whole : `${whole}.${places}`
  return size === '0' ? '0' : sign(random) + size
}

const date = (random: Random): string =>
  `${String(integer(random, 1, 9999)).padStart(4, '0')}-${two(integer(random, 1, 12))}-${two(integer(random, 1, 28))}`

function time(random: Random, places = pick(random, [0, 3])): string {
  const seconds = `${two(integer(random, 0, 23))}:${two(integer(random, 0, 59))}:${two(integer(random, 0, 59))}`
  return places === 0 ? seconds : `${seconds}.${integer(random, 1, 999).toString().padStart(3, '0')}`
}

function json(random: Random, depth: number): unknown {
  const items = () => Array.from({ length: integer(random, 0, 3) }, () => json(random, depth - 1))
  const plain = pick<() => unknown>(random, [() => text(random), () => double(random), () => random() < 0.5, () => null])
  if (depth === 0) return plain()
  return pick<() => unknown>(random, [
    plain,
    items,
    () => Object.fromEntries(items().map((item) => [`${text(random)}${digits(random, 2)}`, item])),
  ])()
}
