import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_SEED, openTestApp } from '../../helpers/api/app.ts'
import { play, type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'

const HEADERS = { 'content-type': 'application/json' }
const MODEL = `name: Thing
fields:
  - { name: title, type: string }
  - { name: whole, type: integer }
  - { name: weight, type: number }
  - { name: amount, type: decimal }
  - { name: extra, type: json }
`
const THINGS = { files: { 'models/thing.yaml': MODEL, ...ADMIN_SEED, 'seed/thing.yaml': '- { title: one, weight: 1.5 }\n' } }

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

const create = (name: string, data: string, expected: Record<string, string[]> | 201): Scenario => ({
  name,
  request: 'POST /api/v1/models/thing',
  rawBody: `{"data":${data}}`,
  headers: HEADERS,
  ...(expected === 201 ? { status: 201 } : { status: 400, expect: { detail: { error: expected } } }),
})

const DEEP = 'must not be nested more than 32 levels deep'

describe('JSON nested 5,000 deep', () => {
  const bodies: readonly (readonly [string, Scenario['request'], string])[] = [
    ['in a json field', 'POST /api/v1/models/thing', `{"data":{"extra":${nested(5000)}}}`],
    ['in objects', 'POST /api/v1/models/thing', `{"data":{"extra":${objects(5000)}}}`],
    ['in a text field', 'PUT /api/v1/models/thing/1', `{"data":{"title":${nested(5000)}}}`],
    ['in a member that nobody knows', 'POST /api/v1/models/thing', `{"data":{},"nope":${nested(5000)}}`],
    ['as the body', 'POST /api/v1/models/thing', nested(5000)],
    ['and never closed', 'POST /api/v1/models/thing', '['.repeat(5000)],
    ['in bulk', 'POST /api/v1/models/thing/bulk', `{"records":[{"extra":${nested(5000)}}]}`],
    ['in a bulk delete', 'DELETE /api/v1/models/thing/bulk', `{"ids":${nested(5000)}}`],
    ['in a login', 'POST /api/v1/auth/token', `{"username":${nested(5000)}}`],
  ]
  for (const [name, request, rawBody] of bodies) {
    test(`${name} is a 400, and lists still work`, async () => {
      await using app = await openTestApp(THINGS)
      const reply = await play(app, { request, rawBody, headers: HEADERS, status: 400 })
      assert.ok(reply.text.includes(DEEP), reply.text)
      await play(app, { request: 'GET /api/v1/models/thing', status: 200, expectPart: { total: 1 } })
      assert.deepEqual(app.reported, [])
    })
  }
})

scenarios('JSON nested', THINGS, [
  create('32 deep is kept', `{"extra":${nested(32)}}`, 201),
  create('33 deep is not', `{"extra":${nested(33)}}`, { extra: [`extra ${DEEP}`] }),
  create('5,000 deep names its field', `{"extra":${nested(5000)}}`, { extra: [`extra ${DEEP}`] }),
  create('200,000 deep does too', `{"extra":${objects(200_000)}}`, { extra: [`extra ${DEEP}`] }),
  create('within a text it is a text', JSON.stringify({ title: `"${nested(100)}\\` }), 201),
])

const inexact = (numeral: string) => `is a number that cannot be kept exactly: ${numeral}`

scenarios('a number that does not survive', THINGS, [
  create('1e999 in a number', '{"weight":1e999}', { weight: [`weight ${inexact('1e999')}`] }),
  create('-1e999 in an integer', '{"whole":-1e999}', { whole: [`whole ${inexact('-1e999')}`] }),
  create('2^53+1 in an integer', '{"whole":9007199254740993}', { whole: [`whole ${inexact('9007199254740993')}`] }),
  create('2^53+1 in a number', '{"weight":9007199254740993}', { weight: [`weight ${inexact('9007199254740993')}`] }),
  create('2^53+1 deep in a json field', '{"extra":{"a":[1,{"b":-9007199254740993}]}}', {
    extra: [`extra.a.1.b ${inexact('-9007199254740993')}`],
  }),
  create('1e999 in a json field', '{"extra":[1e999]}', { extra: [`extra.0 ${inexact('1e999')}`] }),
  create('1e-999', '{"weight":1e-999}', { weight: [`weight ${inexact('1e-999')}`] }),
  create('of 400 digits', `{"weight":${'9'.repeat(400)}}`, { weight: [`weight ${inexact(`${'9'.repeat(40)}…`)}`] }),
  create('all of them at once', '{"weight":1e999,"whole":9007199254740993}', {
    weight: [`weight ${inexact('1e999')}`],
    whole: [`whole ${inexact('9007199254740993')}`],
  }),
  create('the digits of a decimal', '{"amount":1.00000000000000001}', { amount: [`amount ${inexact('1.00000000000000001')}`] }),
  create('a fraction that would become an integer', '{"whole":4503599627370496.3,"weight":9007199254740993.0}', {
    whole: [`whole ${inexact('4503599627370496.3')}`],
    weight: [`weight ${inexact('9007199254740993.0')}`],
  }),
  create('2^53 is no integer for lack of neighbours', '{"whole":9007199254740992}', { whole: ['whole must be an integer'] }),
  scenario('is named with its index in bulk', 'POST /api/v1/models/thing/bulk', 400, {
    rawBody: '{"records":[{"weight":1},{"weight":1e999}]}',
    headers: HEADERS,
    expect: { detail: { error: { '1.weight': [`weight ${inexact('1e999')}`] } } },
  }),
  scenario('is named with its index in a bulk update, and as an id', 'PUT /api/v1/models/thing/bulk', 400, {
    rawBody: '{"updates":[{"id":9007199254740993,"data":{"extra":{"a":1e999}}}]}',
    headers: HEADERS,
    expect: { detail: { error: { '0.id': [`id ${inexact('9007199254740993')}`], '0.extra': [`extra.a ${inexact('1e999')}`] } } },
  }),
  scenario('is not a valid filter value', 'GET /api/v1/models/thing?filters=weight=9007199254740993', 400, {
    expectPart: { error: 'Invalid request data' },
  }),
  scenario('is not a valid filter value either', 'GET /api/v1/models/thing?filters=weight__gt=1e999', 400),
])

const survives = (numeral: string, kept: unknown): Scenario => ({
  ...create(`${numeral} survives`, `{"extra":${numeral}}`, 201),
  check: ({ json }) => assert.equal(json.data.extra, kept),
})

scenarios('a number', THINGS, [
  survives('9007199254740991', 9007199254740991),
  survives('-9007199254740991', -9007199254740991),
  survives('1e300', 1e300),
  survives('5e-324', 5e-324),
  survives('1e23', 1e23),
  survives('12.50', 12.5),
  survives('1152921504606846976', 2 ** 60),
  survives('0.1000000000000000055511151231257827021181583404541015625', 0.1),
  survives('0e999', 0),
  survives('1000000000000000000000', 1e21),
])

scenarios(
  'a decimal',
  THINGS,
  ['0.1000000000000000055511151231257827021181583404541015625', '1152921504606846976', '1.2345678901234567e18', '1e21'].map(
    (numeral) =>
      create(`is not read from a number of more than 15 digits: ${numeral}`, `{"amount":${numeral}}`, {
        amount: ['amount must be written as text, such as "12.50", since it has more than 15 digits'],
      }),
  ),
)

/** Numbers that are sent, and their texts in the answers of the API. */
const ANSWERED = [
  ['1.2345678901234567e18', '1234567890123456800'],
  ['1152921504606846976', '1152921504606847000'],
  ['1e21', '1e+21'],
  ['-9007199254740992', '-9007199254740992'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['5e-324', '5e-324'],
] as const

describe('a number that the API has answered is accepted', () => {
  for (const [sent, answered] of ANSWERED) {
    test(`${answered} of ${sent}`, async () => {
      await using app = await openTestApp(THINGS)
      const at = 'POST /api/v1/models/thing'
      const rawBody = `{"data":{"weight":${sent},"extra":{"a":[${sent}]}}}`
      const { text } = await play(app, { request: at, rawBody, headers: HEADERS, status: 201 })
      assert.match(
        text,
        new RegExp(`"weight":${answered.replace('+', '\\+')},.*"extra":\\{"a":\\[${answered.replace('+', '\\+')}\\]`),
      )
      const data = `{"weight":${answered},"extra":{"a":[${answered}]}}`
      const kept = { data: { id: 2, weight: Number(answered), extra: { a: [Number(answered)] } } }
      const put = { request: 'PUT /api/v1/models/thing/2', headers: HEADERS, status: 200 } as const
      await play(app, { ...put, rawBody: `{"data":${data}}`, expectPart: kept })
      await play(app, { ...put, rawBody: `{"data":{"weight":${sent}}}`, expectPart: kept })
      const found = { status: 200, expectPart: { total: 1 } }
      const filter = encodeURIComponent(answered)
      for (const filters of [`weight=${filter}`, `weight__in=1,${filter}`, `weight__gte=${filter}`, `weight__lte=${filter}`])
        await play(app, { request: `GET /api/v1/models/thing?filters=${filters}&filters=id=2`, ...found })
      for (const [type, file] of [
        ['text/csv', `weight,extra\n${answered},"{""a"":[${answered}]}"\n`],
        ['application/x-ndjson', `${data}\n`],
        ['application/json', `[${data}]`],
      ] as const) {
        const request = 'POST /api/v1/models/thing/import'
        await play(app, { request, headers: { 'content-type': type }, rawBody: file, status: 200, expectPart: { created: 1 } })
      }
      const stored = await play(app, { request: `GET /api/v1/models/thing?filters=weight=${filter}`, status: 200 })
      assert.deepEqual(
        stored.json.data.map((record: { extra: unknown }) => record.extra),
        Array.from({ length: 4 }, () => kept.data.extra),
      )
    })
  }
})

const NOT_PLAIN = 'must not contain NUL or half of a surrogate pair'

scenarios('text that UTF-8 cannot say, and NUL', THINGS, [
  ...['\\ud800', '\\uDFFF', '\\udc00\\ud800', 'a\\u0000', '\\uD83Dx'].flatMap((text) => [
    create(`${text} in a text`, `{"title":"${text}"}`, { title: [`title ${NOT_PLAIN}`] }),
    create(`${text} in a json field`, `{"extra":[{"a":"${text}"}]}`, { extra: [`extra.0.a ${NOT_PLAIN}`] }),
  ]),
  create('as a field', '{"a\\u0000":1}', { 'a\0': [`a\0 is no name: it ${NOT_PLAIN}`] }),
  create('as a key', '{"extra":{"a":{"\\ud800":1}}}', { extra: [`extra.a.\ud800 is no name: it ${NOT_PLAIN}`] }),
  create('but a whole pair is text', '{"title":"\\ud83d\\udc4d \\\\u0000 \\\\ud800"}', 201),
  scenario('in a name to log in with', 'POST /api/v1/auth/token', 400, {
    as: null,
    rawBody: '{"username":"admin\\u0000","password":"x"}',
    headers: HEADERS,
    expect: { detail: { error: { username: [`username ${NOT_PLAIN}`] } } },
  }),
  ...(['title=a%00', 'title=%ED%A0%80', 'title=%FF'] as const).map(
    (filter): Scenario =>
      scenario('in a query', `GET /api/v1/models/thing?filters=${filter}`, 400, {
        expectPart: {
          details: { filters: ["'filters' holds a character that is no text; write UTF-8, percent-encoded, without NUL"] },
        },
      }),
  ),
])

scenarios('a key that is given twice', THINGS, [
  create('in the data', '{"title":"a","title":"b"}', { title: ['title is given twice'] }),
  create('in another spelling', '{"title":"a","\\u0074itle":"b"}', { title: ['title is given twice'] }),
  create('deep in a json field', '{"extra":[{"a":1,"b":{"c":1,"c":2}}]}', { extra: ['extra.0.b.c is given twice'] }),
  scenario('in the body', 'POST /api/v1/models/thing', 400, {
    rawBody: '{"data":{"title":"a"},"data":{"title":"b"}}',
    headers: HEADERS,
    expect: { detail: { error: { data: ['data is given twice'] } } },
  }),
  create('is none where objects stand side by side', '{"extra":[{"a":1},{"a":1}]}', 201),
])
