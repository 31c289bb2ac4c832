import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { DEFAULT_LOCALE, loadFaker } from '../../src/mock/random.ts'
import { Series } from '../../src/mock/series.ts'
import type { FieldDefinition } from '../../src/model/definition.ts'
import type { Model } from '../../src/model/model.ts'
import type { Registry } from '../../src/model/registry.ts'
import { isObject, type Json } from '../../src/util/json.ts'
import { readRecord } from '../../src/validate/record.ts'
import { registryOf } from '../model/models.ts'
import { fixture } from '../openapi/documents.ts'

const ids = Array.from({ length: 10_000 }, (_, index) => index + 1)
const source = await loadFaker()

type Values = Readonly<Record<string, Json>>

function make(model: Model, count: number, seed = 1, targets: readonly number[] = ids): Values[] {
  const series = new Series({ model, source, seed, secret: 'a secret' })
  return Array.from({ length: count }, (_, index) => ({
    ...series.values(index),
    ...series.relations(index, () => targets),
    ...series.timestamps(index),
  }))
}

const modelOf = (...fields: readonly FieldDefinition[]): Model =>
  registryOf({ name: 'Thing', timestamps: true, fields: [...fields] }).expect('thing')

const column = (records: readonly Values[], name: string): Json[] => records.map((record) => record[name] ?? null)

/** Validation errors of records, including repeated unique values. */
function faultsOf(model: Model, records: readonly Values[]): string[] {
  const faults = new Set<string>()
  for (const { created_at, updated_at, ...record } of records) {
    const { issues } = readRecord(model, record)
    for (const messages of Object.values(issues.toMessages())) for (const message of messages) faults.add(message)
  }
  for (const { name } of [...model.fields.values()].filter(({ unique, system }) => unique && !system)) {
    const values = column(records, name).filter((value) => value !== null)
    if (new Set(values).size < values.length) faults.add(`${name} must be unique`)
  }
  return [...faults]
}

/** Of files without their bytes, which depend on the version of zlib. */
const digest = (records: readonly Values[]): string =>
  createHash('sha256').update(JSON.stringify(records, withoutBytes)).digest('hex')

const withoutBytes = (_: string, value: unknown): unknown =>
  isObject(value) && 'sha256' in value ? { ...value, id: '', sha256: '', size: 0 } : value

describe('mock records', () => {
  let blog: Registry
  test('10,000 of every model of the blog pass validation', async () => {
    blog = (await fixture('blog')).registry
    for (const model of blog.public) assert.deepEqual(faultsOf(model, make(model, 10_000)), [], model.key)
  })

  test('are the same bytes on any machine and any day', () => {
    const all = blog.public.map((model) => [model.key, digest(make(model, 100)).slice(0, 16)])
    // Another version of Faker may generate other values; then these change, and the changelog says so.
    assert.deepEqual(Object.fromEntries(all), {
      user: 'dc39c9465392b2de',
      group: '1f700bcd10a70e71',
      permission: '3171da981f298839',
      savedview: '198c2f0fb40f08e9',
      comment: 'acaf377c6458e45d',
      fee: 'cedb3cc6e5e1ee00',
      post: '62806c8dbc238ee5',
      category: '53b1067855704123',
      tag: '951f15d773d4e503',
    })
  })

  test('differ under another seed', () => {
    const post = blog.expect('post')
    assert.notEqual(digest(make(post, 10, 1)), digest(make(post, 10, 2)))
  })

  test('start with the same records for any count', () => {
    for (const model of blog.public) assert.deepEqual(make(model, 100).slice(0, 20), make(model, 20), model.key)
  })

  test('keep all other columns when a field is added at any position', () => {
    const fields: readonly FieldDefinition[] = [
      { name: 'email', type: 'email', required: true, unique: true },
      { name: 'price', type: 'number', gte: 0 },
      { name: 'kind', type: 'choice', choices: ['a', 'b', 'c'] },
      { name: 'owner_id', type: 'foreignkey', model: 'user' },
    ]
    const before = make(modelOf(...fields), 200)
    const added: FieldDefinition = { name: 'city', type: 'string', required: true }
    for (const place of [0, 2, 4]) {
      const after = make(modelOf(...fields.slice(0, place), added, ...fields.slice(place)), 200)
      for (const name of ['email', 'price', 'kind', 'owner_id', 'created_at', 'updated_at'])
        assert.deepEqual(column(after, name), column(before, name), name)
      assert.equal(new Set(column(after, 'city')).size > 50, true)
    }
  })

  test('are in another language on request', async () => {
    const model = modelOf({ name: 'country', type: 'string', required: true })
    const german = new Series({ model, source: await loadFaker('de'), seed: 1, secret: '' })
    const countries = Array.from({ length: 100 }, (_, index) => String(german.values(index).country))
    assert.ok(
      countries.some((country) => /[äöüß]/.test(country)),
      countries.join(),
    )
  })

  test('are refused in an unknown language', async () => {
    await assert.rejects(loadFaker('dd'), { code: 'USAGE', details: /^There is no locale 'dd'; did you mean '..'\?$/ })
    for (const locale of ['base', '../../x', '']) await assert.rejects(loadFaker(locale), { code: 'USAGE' })
    assert.equal(DEFAULT_LOCALE, 'en')
  })
})

const required = { name: 'x', required: true } as const

/** A field, and a test of its values. */
const FITTING: readonly (readonly [string, FieldDefinition, (value: string) => boolean])[] = [
  ['a colour in hex', { ...required, type: 'string', pattern: '^#[0-9a-f]{6}$' }, (value) => /^#[0-9a-f]{6}$/.test(value)],
  ['a choice', { ...required, type: 'choice', choices: ['a', 'b'] }, (value) => ['a', 'b'].includes(value)],
  ['a short text', { ...required, type: 'text', max_length: 3 }, (value) => value.length <= 3],
  ['a long text', { ...required, type: 'string', min_length: 5_000, max_length: 5_010 }, (value) => value.length >= 5_000],
  ['an open interval', { ...required, type: 'number', gt: 0, lt: 0.001 }, (value) => Number(value) > 0 && Number(value) < 0.001],
  ['one integer', { ...required, type: 'integer', gt: 6, lt: 8 }, (value) => value === '7'],
  ['an integer far out', { ...required, type: 'integer', gte: 1_000_000 }, (value) => Number(value) >= 1_000_000],
  ['a negative number', { ...required, type: 'number', lt: -5 }, (value) => Number(value) < -5],
  ['a city', { ...required, name: 'city', type: 'string' }, (value) => /^\p{Lu}/u.test(value)],
  ['a price', { ...required, name: 'price', type: 'number' }, (value) => /^\d{1,4}(\.\d\d?)?$/.test(value)],
  ['an e-mail address at a reserved domain', { ...required, type: 'email' }, (value) => /@example\.(com|net|org)$/.test(value)],
  [
    'a URL at a reserved domain',
    { ...required, name: 'website', type: 'url' },
    (value) => value.startsWith('https://www.example.com/'),
  ],
  ['a day of birth', { ...required, name: 'birth_date', type: 'date' }, (value) => value > '1945-01-01' && value < '2008-01-01'],
  ['a day to come', { ...required, name: 'due_date', type: 'date' }, (value) => value > '2025-05-31' && value < '2026-06-03'],
  ['a time past', { ...required, name: 'publishedAt', type: 'datetime' }, (value) => value < '2025-06-01'],
  [
    'the value of a hint',
    { ...required, type: 'string', mock: { faker: 'vehicle.vin' } },
    (value) => /^[A-Z0-9]{17}$/.test(value),
  ],
  [
    'a number from a hint',
    { ...required, type: 'number', mock: { faker: 'location.latitude' } },
    (value) => Math.abs(Number(value)) <= 90,
  ],
  ['a day from a hint', { ...required, type: 'date', mock: { faker: 'date.future' } }, (value) => value >= '2025-06-01'],
  [
    'a password with a digit of at least twelve characters',
    { ...required, type: 'password', pattern: '[0-9]', min_length: 12 },
    (value) => /[0-9]/.test(value) && value.length >= 12,
  ],
  ['a URL by its beginning', { ...required, type: 'url', pattern: '^https://' }, (value) => /^https:\/\/\w/.test(value)],
  ['a URL of a host', { ...required, type: 'url', pattern: 'shop\\.example' }, (value) => value.includes('shop.example')],
  [
    'an e-mail address of a domain',
    { ...required, type: 'email', pattern: '@example\\.org$' },
    (value) => /^[^@]+@example\.org$/.test(value),
  ],
  ['an e-mail address by its beginning', { ...required, type: 'email', pattern: '^info' }, (value) => /^info.*@/.test(value)],
  ['a slug with a word in it', { ...required, type: 'slug', pattern: 'eel', min_length: 8 }, (value) => /eel/.test(value)],
  ['a name of an adjective and a noun', { ...required, name: 'name', type: 'string' }, (value) => !/ly\b.*ly$/.test(value)],
  [
    'a hint cut to its bounds',
    { ...required, type: 'slug', max_length: 9, mock: { faker: 'book.title' } },
    (value) => value.length <= 9,
  ],
]

describe('a value', () => {
  for (const [what, field, fits] of FITTING) {
    test(`may be ${what}`, () => {
      const model = modelOf(field)
      const records = make(model, 300)
      assert.deepEqual(faultsOf(model, records), [])
      const strays = column(records, field.name).filter((value) => !fits(String(value)))
      assert.deepEqual(strays.slice(0, 5), [])
    })
  }

  for (const field of [
    { ...required, type: 'string', pattern: '^[A-Z][0-9]$' },
    { ...required, type: 'integer', gte: 1, lte: 260 },
    { ...required, type: 'time' },
    { ...required, type: 'date' },
    { ...required, name: 'tag', type: 'slug', max_length: 6 },
    { ...required, name: 'title', type: 'string', max_length: 12, mock: { faker: 'animal.type' } },
    { ...required, name: 'x_id', type: 'one_to_one', model: 'user' },
  ] as const satisfies readonly FieldDefinition[]) {
    test(`of a unique ${field.type} is different 260 times`, () => {
      const model = modelOf(field.type === 'one_to_one' ? field : { ...field, unique: true })
      const records = make(model, 260, 1, ids.slice(0, 260))
      assert.deepEqual(faultsOf(model, records), [])
      assert.equal(new Set(column(records, field.name)).size, 260)
    })
  }

  for (const [what, field, count, message] of [
    [
      'a pattern that its bounds exclude',
      { ...required, type: 'string', pattern: '^a{9}$', max_length: 5 },
      1,
      /^No value was found for 'x' of Thing in 10000 tries; say what/,
    ],
    [
      'more choices than there are',
      { ...required, type: 'choice', choices: ['a', 'b'], unique: true },
      3,
      /it is unique, so ask for fewer records/,
    ],
    ['a hint that never fits', { ...required, type: 'integer', mock: { faker: 'person.bio' } }, 1, /^No value was found for 'x'/],
    [
      'a relation without targets',
      { ...required, name: 'x_id', type: 'foreignkey', model: 'user' },
      1,
      /there is no user to refer to; mock user as well/,
    ],
    ['more owners than there are', { ...required, name: 'x_id', type: 'one_to_one', model: 'user' }, 3, /every user is taken/],
  ] as const satisfies readonly (readonly [string, FieldDefinition, number, RegExp])[]) {
    test(`that is ${what} is an error that names the field`, () => {
      const targets = what === 'a relation without targets' ? [] : [1, 2]
      assert.throws(
        () => make(modelOf(field), count, 1, targets),
        (error: { details?: Record<string, string[]> }) => {
          assert.match(error.details?.[field.name]?.[0] ?? '', message)
          return true
        },
      )
    })
  }

  for (const [begin, end, type] of [
    ['begins', 'ends', 'time'],
    ['starts_at', 'ends_at', 'datetime'],
    ['startDate', 'endDate', 'date'],
    ['valid_from', 'valid_until', 'date'],
    ['check_in', 'check_out', 'datetime'],
    ['min_age', 'max_age', 'integer'],
    ['price_from', 'price_to', 'decimal'],
  ] as const) {
    test(`of ${end} is not before ${begin}`, () => {
      // The end comes first in the model.
      const records = make(modelOf({ name: end, type }, { name: begin, type, required: true }), 1_000)
      const order = (value: Json | undefined) => (type === 'decimal' ? Number(value) : (value ?? ''))
      const both = records.filter((record) => record[end] !== null)
      assert.ok(both.length > 500)
      assert.deepEqual(both.filter((record) => order(record[end]) < order(record[begin])).slice(0, 3), [])
      assert.ok(new Set(column(both, end)).size > 20)
    })
  }

  test('of an end that its limits put before the beginning is there all the same', () => {
    const model = modelOf(
      { name: 'min_age', type: 'integer', required: true, gte: 80 },
      { name: 'max_age', type: 'integer', required: true, lte: 50 },
    )
    assert.deepEqual(faultsOf(model, make(model, 50)), [])
  })

  test('of a unique field is also found where the pattern alone has fewer', () => {
    const model = modelOf({ ...required, type: 'string', pattern: '[0-9]', unique: true })
    assert.deepEqual(faultsOf(model, make(model, 50)), [])
  })

  test('of a secret field does not depend on the seed, and is the same for all records', () => {
    const model = modelOf({ name: 'password', type: 'password', required: true, min_length: 8, pattern: '^[A-Z].*[0-9]$' })
    const passwords = (secret: string, seed: number) => {
      const series = new Series({ model, source, seed, secret })
      return [0, 1, 2].map((index) => series.values(index).password)
    }
    const [one, other, third] = [passwords('a', 1), passwords('a', 2), passwords('b', 1)]
    assert.equal(new Set([...one, ...other]).size, 1)
    assert.notEqual(one[0], third[0])
  })

  test('of an optional field is sometimes empty', () => {
    const values = column(make(modelOf({ name: 'note', type: 'text' }), 1_000), 'note')
    const empty = values.filter((value) => value === null).length
    assert.ok(empty > 100 && empty < 200, `${empty} of 1000 are empty`)
  })
})
