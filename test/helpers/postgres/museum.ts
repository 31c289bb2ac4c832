import { flatSource } from '../../../src/config/source.ts'
import { buildRegistry } from '../../../src/model/build.ts'
import type { ModelDefinition } from '../../../src/model/definition.ts'
import type { Registry } from '../../../src/model/registry.ts'
import type { JsonObject } from '../../../src/util/json.ts'
import type { Random } from './random.ts'

/** Models with a field of every type: exhibits of rooms, lent by people, with tags. */
const MODELS: readonly ModelDefinition[] = [
  { name: 'Wing', fields: [{ name: 'name', type: 'string', required: true }] },
  {
    name: 'Room',
    fields: [
      { name: 'name', type: 'string', max_length: 100 },
      { name: 'area', type: 'decimal' },
      { name: 'open', type: 'boolean' },
      { name: 'wing_id', type: 'foreignkey', model: 'wing', on_delete: 'restrict' },
    ],
  },
  {
    name: 'Tag',
    fields: [
      { name: 'name', type: 'string', unique: true },
      { name: 'weight', type: 'integer' },
    ],
  },
  {
    name: 'Exhibit',
    fields: [
      { name: 'title', type: 'string', max_length: 200 },
      { name: 'note', type: 'string' },
      { name: 'story', type: 'text' },
      { name: 'code', type: 'slug', unique: true },
      { name: 'contact', type: 'email' },
      { name: 'link', type: 'url' },
      { name: 'state', type: 'choice', choices: ['new', 'shown', 'Lent', 'é'] },
      { name: 'kinds', type: 'multichoice', choices: ['oil', 'wood', 'Ton', 'é'] },
      { name: 'key', type: 'uuid' },
      { name: 'visits', type: 'integer' },
      { name: 'weight', type: 'number' },
      { name: 'price', type: 'decimal' },
      { name: 'insured', type: 'boolean' },
      { name: 'made', type: 'date' },
      { name: 'opens', type: 'time' },
      { name: 'seen', type: 'datetime' },
      { name: 'extra', type: 'json' },
      { name: 'room_id', type: 'foreignkey', model: 'room', on_delete: 'restrict' },
      { name: 'spare_id', type: 'foreignkey', model: 'room', on_delete: 'set_null' },
      { name: 'tags', type: 'many_to_many', model: 'tag' },
    ],
  },
]

export function museumRegistry(): Registry {
  const define = (value: ModelDefinition) => ({ value, source: flatSource(`model ${value.name}`) })
  const { registry, faults } = buildRegistry(MODELS.map(define), { public: [], internal: [] })
  faults.throwIfAny()
  return registry
}

export const WINGS = 4
export const ROOMS = 40
export const TAGS = 12

/** Words in which case, accents and the order by code points matter. */
export const WORDS = [
  ...[
    'Red',
    'red',
    'RED',
    'Émile',
    'émile',
    'E\u0301mile',
    'straße',
    'STRASSE',
    'ẞ',
    'ΟΔΟΣ',
    'οδος',
    'Σ',
    'ΣΑΣ',
    "Σ'",
    'İzmir',
    'izmir',
  ],
  ...[
    'ISTANBUL',
    'ısı',
    'Kelvin',
    '\u212Aelvin',
    'Ångström',
    '\u212Bngstro',
    '10',
    '9',
    '100%',
    'a_b',
    'back\\slash',
    '😀',
    '😀😀',
    '～wide',
  ],
  ...['\uFFFD', '\u{10FFFF}', 'ﬁ', '𐐀𐐨', "o'clock", '"quoted"', '{a,b}', 'NULL', 'null', '', ' ', 'a\nb', 'Ж', 'ж', '書'],
]

export const words = (random: Random, most: number): string =>
  Array.from({ length: 1 + random.below(most) }, () => random.pick(WORDS)).join(' ')

export const DECIMALS = ['0', '-0.5', '12.5', '100', '-99.999', '1234567890123456789.12', '0.001', '99.9', '7']

const digits = (number: number): string => String(number).padStart(2, '0')
export const day = (random: Random): string =>
  `20${digits(random.below(30))}-${digits(1 + random.below(12))}-${digits(1 + random.below(28))}`
export const timeOfDay = (random: Random): string =>
  `${digits(random.below(24))}:${digits(random.below(60))}:${digits(random.below(3))}${random.pick(['', '', '.250', '.007', '.500'])}`
export const moment = (random: Random): string =>
  `${day(random)}T${digits(random.below(24))}:${digits(random.below(60))}:00.${random.pick(['000', '120', '001'])}Z`
export const decimal = (random: Random): string =>
  random.once(2) ? random.pick(DECIMALS) : `${random.below(300)}.${1 + random.below(9)}`

export const room = (random: Random): JsonObject => ({
  name: random.once(6) ? null : words(random, 2),
  area: random.once(5) ? null : decimal(random),
  open: random.pick([true, false, null]),
  wing_id: random.once(5) ? null : 1 + random.below(WINGS),
})

export const tag = (random: Random, number: number): JsonObject => ({
  name: `${random.pick(WORDS)} ${number}`,
  weight: random.pick([null, 1, 2, 3]),
})

/** An exhibit, without the fields that are empty. */
export function exhibit(random: Random, number: number): JsonObject {
  const tags = random.pick([undefined, [], [1], [2, 1], [1, 2, 3, 4], [1 + random.below(TAGS)]])
  const all: JsonObject = {
    title: words(random, 3),
    note: random.once(40) ? `${'long '.repeat(70)}${random.pick(WORDS)}` : random.pick(WORDS),
    story: `${words(random, 4)} ${random.below(1000)}`,
    code: `code-${number}`,
    contact: `${random.pick(['ann', 'Bob', 'cid'])}.${random.below(50)}@example.org`,
    link: `https://example.org/${random.pick(['a', 'B', 'é', '～', '😀'])}/${random.below(40)}`,
    state: random.pick(['new', 'shown', 'Lent', 'é']),
    kinds: random.pick([[], ['oil'], ['wood', 'oil'], ['Ton', 'é', 'oil']]),
    key: `0000000${random.below(9)}-0000-4000-8000-00000000000${random.below(9)}`,
    visits: random.pick([0, -5, random.below(3000), 1000 + random.below(20), 9007199254740991, -9007199254740991]),
    weight: random.pick([0, 0.1, 0.2, 0.3, 1e21, 1e-7, -2.5, 5e-324, random.below(1000) / 7]),
    price: decimal(random),
    insured: random.once(2),
    made: day(random),
    opens: timeOfDay(random),
    seen: moment(random),
    extra: random.pick([{}, [], [1], { b: 1, a: [null] }, 'text', 7, false, [null]]),
    room_id: 1 + random.below(ROOMS),
    spare_id: 1 + random.below(5),
  }
  const kept = Object.entries(all).filter(([name]) => name === 'code' || !random.once(6))
  return { ...Object.fromEntries(kept), ...(tags === undefined ? {} : { tags }) }
}
