import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../src/util/json.ts'
import { isEmpty, readRecord } from '../../src/validate/record.ts'
import { BLOG, modelOf, registryOf } from '../model/models.ts'

const post = registryOf(...BLOG).expect('post')
const NOTHING = {
  title: null,
  body: null,
  status: 'draft',
  rating: null,
  views: 0,
  featured: false,
  day: null,
  hour: null,
  published_at: null,
  languages: [],
  meta: null,
  secret: null,
  author_id: null,
  tags: [],
}
const SOUND = { ...NOTHING, title: 'Hello', author_id: 1 }

interface Row {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
  readonly existing?: JsonObject
  /** Values that differ from `SOUND`, or from `existing`. */
  readonly values?: JsonObject
  readonly messages?: Readonly<Record<string, readonly string[]>>
}

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const { name, data, existing, values = {}, messages = {} } of rows) {
      test(name, () => {
        const reading = readRecord(post, data, existing)
        assert.deepEqual(reading.issues.toMessages(), messages)
        assert.deepStrictEqual(reading.values, { ...(existing ?? SOUND), ...values })
      })
    }
  })
}

const given = { title: 'Hello', author_id: 1 }

table('on creation', [
  { name: 'an omitted field gets its default, null, or an empty list', data: given },
  {
    name: 'a value takes precedence over a default',
    data: { ...given, status: 'published', views: 3, featured: true },
    values: { status: 'published', views: 3, featured: true },
  },
  {
    name: 'null takes precedence over a default',
    data: { ...given, status: null, views: null },
    values: { status: null, views: null },
  },
  { name: 'null for a list is an empty list', data: { ...given, tags: null, languages: null } },
  {
    name: 'values are converted to stored form',
    data: { ...given, published_at: '2024-05-01T10:30:00+02:00', hour: '18:30', tags: [{ id: 2 }, 2, 1], views: -0 },
    values: { published_at: '2024-05-01T08:30:00.000Z', hour: '18:30:00', tags: [2, 1], views: 0 },
  },
  {
    name: 'a missing required field',
    data: {},
    values: { title: null, author_id: null },
    messages: { title: ['title is mandatory'], author_id: ['author_id is mandatory'] },
  },
  {
    name: 'a required field that is null',
    data: { title: null, author_id: null },
    values: { title: null, author_id: null },
    messages: { title: ['title is mandatory'], author_id: ['author_id is mandatory'] },
  },
  {
    name: 'wrong types, all together',
    data: {
      title: 5,
      body: [],
      rating: 'high',
      views: 1.5,
      featured: 'yes',
      tags: 'a',
      languages: {},
      author_id: '1',
      day: 'today',
      hour: 7,
      published_at: 'now',
    },
    values: { ...NOTHING, status: 'draft', views: null, featured: null, tags: null, languages: null },
    messages: {
      title: ['title must be a string'],
      body: ['body must be a string'],
      rating: ['rating must be a number'],
      views: ['views must be an integer'],
      featured: ['featured must be a boolean'],
      day: ['day must be a valid date'],
      hour: ['hour must be a valid time'],
      published_at: ['published_at must be a valid datetime'],
      languages: ['languages must be an array'],
      author_id: ['author_id must be an integer'],
      tags: ['tags must be an array'],
    },
  },
  {
    name: 'bounds',
    data: { title: 'Hi', author_id: 1, rating: 5.1, status: 'lost', languages: ['en', 'xx'] },
    values: { title: 'Hi', rating: 5.1, status: 'lost', languages: ['en', 'xx'] },
    messages: {
      title: ['title must be at least 3 characters long'],
      status: ['status must be one of: draft, published'],
      rating: ['rating must be less than or equal to 5'],
      languages: ['languages must be one of: en, de, fr'],
    },
  },
  {
    name: 'one field, several messages',
    data: { ...given, secret: 'short' },
    values: { secret: 'short' },
    messages: { secret: ['secret must be at least 8 characters long', 'secret format is invalid'] },
  },
  { name: 'system fields and unknown fields are not read', data: { ...given, id: 7, created_at: 'x', nope: 1, author: {} } },
])

const stored: JsonObject = {
  ...SOUND,
  title: 'Stored',
  rating: 4,
  secret: '$argon2id$nodigits',
  tags: [1],
  published_at: '2024-05-01T08:30:00.000Z',
}

table('on update', [
  { name: 'without values nothing changes', data: {}, existing: stored },
  {
    name: 'given values take precedence',
    data: { title: 'New', tags: [2, 3] },
    existing: stored,
    values: { title: 'New', tags: [2, 3] },
  },
  { name: 'null clears', data: { rating: null, tags: null }, existing: stored, values: { rating: null, tags: [] } },
  {
    name: 'null does not clear a required field',
    data: { title: null },
    existing: stored,
    values: { title: null },
    messages: { title: ['title is mandatory'] },
  },
  { name: 'a default is not applied again', data: {}, existing: { ...stored, status: null, views: null } },
  {
    name: 'a stored value that no longer fits does not prevent other changes',
    data: { body: 'x' },
    existing: { ...stored, rating: 9, title: null, status: 'lost', views: 'many', day: 'never', languages: ['xx'] },
    values: { body: 'x' },
  },
  {
    name: 'it is validated when it is sent again',
    data: { rating: 9 },
    existing: { ...stored, rating: 9 },
    messages: { rating: ['rating must be less than or equal to 5'] },
  },
  {
    name: 'only given values are validated',
    data: { rating: 9 },
    existing: { ...stored, title: 'x' },
    values: { rating: 9 },
    messages: { rating: ['rating must be less than or equal to 5'] },
  },
  {
    name: 'a stored password is not checked against its limits',
    data: { title: 'New' },
    existing: { ...stored, secret: 'hash' },
    values: { title: 'New' },
  },
  {
    name: 'a new password is',
    data: { secret: 'short' },
    existing: stored,
    values: { secret: 'short' },
    messages: { secret: ['secret must be at least 8 characters long', 'secret format is invalid'] },
  },
  { name: 'a new password that fits', data: { secret: 'longer than 8' }, existing: stored, values: { secret: 'longer than 8' } },
  {
    name: 'a password may be cleared where it is not required',
    data: { secret: null },
    existing: stored,
    values: { secret: null },
  },
])

describe('a required password', () => {
  const model = modelOf({ name: 'secret', type: 'password', required: true, pattern: '^[a-z]+$' })
  const rows: readonly { data: object; existing?: JsonObject; messages: object }[] = [
    { data: {}, messages: { secret: ['secret is mandatory'] } },
    { data: {}, existing: { secret: '$HASH$' }, messages: {} },
    { data: {}, existing: { secret: null }, messages: {} },
    { data: { secret: null }, existing: { secret: null }, messages: { secret: ['secret is mandatory'] } },
    { data: { secret: null }, existing: { secret: '$HASH$' }, messages: { secret: ['secret is mandatory'] } },
  ]
  for (const { data, existing, messages } of rows) {
    test(`${JSON.stringify(data)} over ${JSON.stringify(existing)}`, () =>
      assert.deepEqual(readRecord(model, { ...data }, existing).issues.toMessages(), messages))
  }
})

describe('required means not empty', () => {
  const model = modelOf(
    { name: 'text', type: 'string', required: true },
    { name: 'long', type: 'string', required: true, min_length: 2 },
    { name: 'links', type: 'many_to_many', model: 'user', required: true },
    { name: 'flag', type: 'boolean', required: true },
    { name: 'count', type: 'integer', required: true },
  )
  test('an empty text and an empty list are missing; false and 0 are there', () => {
    const { issues } = readRecord(model, { text: '', long: '', links: [], flag: false, count: 0 })
    assert.deepEqual(issues.toMessages(), {
      text: ['text is mandatory'],
      long: ['long must be at least 2 characters long'],
      links: ['links is mandatory'],
    })
  })

  for (const value of [null, '', []]) test(`${JSON.stringify(value)} is empty`, () => assert.equal(isEmpty(value), true))
  for (const value of [0, false, ' ', [null], {}])
    test(`${JSON.stringify(value)} is not`, () => assert.equal(isEmpty(value), false))
})

test('a field added later is null, or an empty list, and gets no default', () => {
  const { values, issues } = readRecord(post, { title: 'New' }, { title: 'Old', author_id: 1 })
  assert.deepEqual(issues.toMessages(), {})
  assert.deepStrictEqual(values, { ...SOUND, title: 'New', status: null, views: null, featured: null })
})

test('a field of the prototype is not a value', () => {
  const model = modelOf({ name: 'toJSON', type: 'string' })
  const data = Object.create({ toJSON: 'inherited' }) as Record<string, unknown>
  assert.deepEqual(readRecord(model, data).values, { toJSON: null })
})
