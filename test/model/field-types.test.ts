import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FIELD_TYPE_NAMES, type FieldTypeName } from '../../src/model/definition.ts'
import { primarykey } from '../../src/model/fields/numeric.ts'
import { FIELD_TYPES, fieldTypeOf } from '../../src/model/fields.ts'
import { FileProblem } from '../../src/model/files.ts'

/** Results of reading JSON: values stored unchanged, `[written, stored]` pairs, and rejected values with their problem. */
interface Row {
  readonly keeps?: readonly unknown[]
  readonly normalises?: readonly (readonly [unknown, unknown])[]
  readonly refuses?: Readonly<Record<string, readonly unknown[]>>
}

/** Nested lists of the given depth, with these items in the innermost. */
function nested(levels: number, ...innermost: readonly unknown[]): unknown {
  let value: unknown = [...innermost]
  for (let level = 1; level < levels; level++) value = [value]
  return value
}

const NOT_TEXT = [0, 1, true, false, [], ['a'], {}]
const MAX = Number.MAX_SAFE_INTEGER

const STORED = {
  ...{ id: 'k3J9x0aQ2m-1f', name: 'a.png', type: 'image/png', size: 70, sha256: 'ab'.repeat(32), width: 1, height: 1 },
  ...{ alt: null, uploaded_at: '2026-01-02T03:04:05.678Z' },
}
const FILE_ROW: Row = {
  keeps: [STORED, { ...STORED, width: null, height: null, alt: 'A dot' }],
  refuses: {
    'must be the id of an upload': [
      'k3J9x0aQ2m-1f',
      1,
      [],
      [STORED],
      { id: 'k3J9x0aQ2m-1f' },
      { ...STORED, size: '70' },
      { ...STORED, url: '/' },
    ],
    'is too small': [new FileProblem('is too small')],
  },
}

const READ: Readonly<Record<FieldTypeName, readonly Row[]>> = {
  file: [FILE_ROW],
  image: [FILE_ROW],
  decimal: [
    {
      keeps: ['0', '12.5', '-0.03', '9'.repeat(100), `0.${'1'.repeat(99)}`],
      normalises: [
        ['12.50', '12.5'],
        ['+007.0', '7'],
        ['-0', '0'],
        ['-0.00', '0'],
        ['.5', '0.5'],
        ['5.', '5'],
        ['1.5e3', '1500'],
        ['-25E-3', '-0.025'],
        [0.1, '0.1'],
        [-0, '0'],
        [1e-7, '0.0000001'],
        [123456789012345, '123456789012345'],
      ],
      refuses: {
        'must be a decimal number': [true, [], {}, NaN, Infinity],
        'must be a decimal number of at most 100 digits': [
          '',
          'x',
          '.',
          '1,5',
          '1 000',
          '0x10',
          '1e999',
          '1e99999',
          '9'.repeat(101),
        ],
        'must be written as text, such as "12.50", since it has more than 15 digits': [0.1 + 0.2, 2 ** 53],
      },
    },
  ],
  uuid: [
    {
      keeps: ['9f5c1a52-7d0e-4b1f-8a3c-1f2e3d4c5b6a'],
      normalises: [['9F5C1A52-7D0E-4B1F-8A3C-1F2E3D4C5B6A', '9f5c1a52-7d0e-4b1f-8a3c-1f2e3d4c5b6a']],
      refuses: {
        'must be a UUID': [
          ...NOT_TEXT,
          '',
          'a',
          '9f5c1a52-7d0e-4b1f-8a3c-1f2e3d4c5b6a0',
          '{9f5c1a52-7d0e-4b1f-8a3c-1f2e3d4c5b6a}',
          '9f5c1a527d0e4b1f8a3c1f2e3d4c5b6a',
        ],
      },
    },
  ],
  string: [
    { keeps: ['', ' ', 'a', 'é', '👍', 'two\nlines', '__proto__', '1'] },
    { refuses: { 'must not contain NUL or half of a surrogate pair': ['\u0000', 'a\u0000b', '\ud800', 'b\udc00a'] } },
    { refuses: { 'must be a string': NOT_TEXT } },
  ],
  text: [{ keeps: ['', 'a\n\nb', 'x'.repeat(100_000)] }, { refuses: { 'must be a string': NOT_TEXT } }],
  email: [
    { keeps: ['', 'a@b', 'a@b.co', "o'neil+tag@mail.example.org", `${'a'.repeat(64)}@b.co`, '1@2.3'] },
    {
      refuses: {
        'must be a string': NOT_TEXT,
        'format is invalid': [
          'a',
          'a@',
          '@b.co',
          'a@b..co',
          'a@-b.co',
          'a@b-.co',
          'a b@c.co',
          'a@b.co ',
          ' a@b.co',
          'a@b.co\n',
          'a@b@c.co',
          'ä@b.co',
          `${'a'.repeat(65)}@b.co`,
          `a@${'b'.repeat(64)}.co`,
          `a@${Array(64).fill('bbb').join('.')}.co`,
        ],
      },
    },
  ],
  url: [
    {
      keeps: ['', 'http://a', 'https://a.example/b?c=d#e', 'HTTP://A.EXAMPLE', 'http://127.0.0.1:8000', 'http://[::1]/'],
      refuses: {
        'must be a string': NOT_TEXT,
        'format is invalid': [
          'a.example',
          '//a.example',
          '/path',
          'http://',
          'http://a b',
          'ftp://a.example',
          'mailto:a@b.co',
          'javascript:alert(1)',
          ' http://a',
          'http://a\n',
          'http://a:99999',
        ],
      },
    },
  ],
  slug: [
    {
      keeps: ['', 'a', 'A-b_c-9', '-', '0'],
      refuses: { 'must be a string': NOT_TEXT, 'format is invalid': ['a b', 'a/b', 'é', 'a.b', 'a\n', 'a+b', '👍'] },
    },
  ],
  password: [{ keeps: ['', 'correct horse', '👍'], refuses: { 'must be a string': NOT_TEXT } }],
  integer: [
    {
      keeps: [0, 1, -1, MAX, -MAX, 1e3],
      normalises: [[-0, 0]],
      refuses: { 'must be an integer': [1.5, 2 ** 53, -(2 ** 53), 1e300, NaN, Infinity, '1', '', 'x', true, [], {}, [1]] },
    },
  ],
  number: [
    {
      keeps: [0, 1.5, -2.25, 2 ** 53, 1e300, 5e-324],
      normalises: [[-0, 0]],
      refuses: { 'must be a number': ['1', '1.5', '', true, [], {}, NaN, Infinity, -Infinity] },
    },
  ],
  boolean: [{ keeps: [true, false], refuses: { 'must be a boolean': [0, 1, 'true', 'false', '', [], {}] } }],
  date: [
    { keeps: ['2024-01-31', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31', '2023-12-01'] },
    {
      refuses: {
        'must be a valid date': [
          ...['2024-02-30', '2023-02-29', '1900-02-29', '2100-02-29', '2024-04-31', '2024-13-01', '2024-00-01', '2024-01-00'],
          ...['0000-01-01', '24-01-01', '2024-1-1', '2024/01/01', '01.02.2024', '2024-01-01T00:00:00Z', '2024-01-01 ', ''],
          ...['today', 20240101, 0, true, [], {}],
        ],
      },
    },
  ],
  time: [
    {
      keeps: ['00:00:00', '23:59:59', '18:30:15', '18:30:15.250'],
      normalises: [
        ['18:30', '18:30:00'],
        ['18:30:15.5', '18:30:15.500'],
        ['18:30:15.0', '18:30:15'],
        ['18:30:15.000', '18:30:15'],
        ['18:30:15.050', '18:30:15.050'],
        ['18:30:15.25', '18:30:15.250'],
        ['18:30:15.123456', '18:30:15.123'],
        ['18:30:15.000999999', '18:30:15'],
      ],
      refuses: {
        'must be a valid time': [
          ...[
            '24:00',
            '18:60',
            '18:30:60',
            '9:30',
            '18',
            '18:30:15.',
            '18:30:15.1234567891',
            '18:30Z',
            '18:30+01:00',
            '6:30 PM',
            '',
          ],
          ...[1830, true, [], {}],
        ],
      },
    },
  ],
  datetime: [
    {
      keeps: ['2024-05-01T10:30:00.000Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
      normalises: [
        ['2024-05-01T10:30:00Z', '2024-05-01T10:30:00.000Z'],
        ['2024-05-01T10:30Z', '2024-05-01T10:30:00.000Z'],
        ['2024-05-01T10:30:00', '2024-05-01T10:30:00.000Z'],
        ['2024-05-01 10:30', '2024-05-01T10:30:00.000Z'],
        ['2024-05-01t10:30:00z', '2024-05-01T10:30:00.000Z'],
        ['2024-05-01', '2024-05-01T00:00:00.000Z'],
        ['2024-05-01T10:30:00+02:00', '2024-05-01T08:30:00.000Z'],
        ['2024-05-01T10:30:00-05:30', '2024-05-01T16:00:00.000Z'],
        ['2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00.000Z'],
        ['2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00.000Z'],
        ['2024-05-01T10:30:00+14:00', '2024-04-30T20:30:00.000Z'],
        ['2024-05-01T10:30:00.5Z', '2024-05-01T10:30:00.500Z'],
        ['2024-05-01T10:30:00.123456789Z', '2024-05-01T10:30:00.123Z'],
        ['0099-05-01T10:30:00Z', '0099-05-01T10:30:00.000Z'],
      ],
      refuses: {
        'must be a valid datetime': [
          ...['2024-02-30T00:00:00Z', '2023-02-29', '2024-05-01T24:00:00Z', '2024-05-01T10:60:00Z', '2024-05-01T10:30:60Z'],
          ...['2024-05-01T10:30:00+24:00', '2024-05-01T10:30:00+0200', '2024-05-01T10', '2024-05-01Z', '10:30', ''],
          ...[
            '2024-05-01T10:30:00.Z',
            '0000-05-01T10:30:00Z',
            '9999-12-31T23:59:59-01:00',
            '0001-01-01T00:00:00+01:00',
            '+012024-05-01T00:00:00Z',
          ],
          ...['Wed, 01 May 2024 10:30:00 GMT', 1714559400000, true, [], {}],
        ],
      },
    },
  ],
  choice: [{ keeps: ['draft', ''], refuses: { 'must be a string': NOT_TEXT } }],
  multichoice: [
    {
      keeps: [[], ['en'], ['de', 'en']],
      normalises: [
        [
          ['en', 'de', 'en'],
          ['en', 'de'],
        ],
      ],
      refuses: { 'must be an array': ['en', 1, true, {}], 'must be an array of strings': [[1], [null], ['en', ['de']], [{}]] },
    },
  ],
  json: [
    {
      keeps: [0, -1.5e300, '', 'a', true, [], {}, [1, [2, { a: null }]], { a: { b: [1.5] } }, nested(32), nested(31, { a: 1 })],
      refuses: {
        'must not be nested more than 32 levels deep': [nested(33), { a: nested(32) }, nested(32, {}), nested(1000)],
        'contains a number that JSON cannot represent': [NaN, Infinity, -Infinity, [NaN], { a: [1, { b: Infinity }] }],
        "must not contain the key '__proto__'": ['{"__proto__":1}', '{"a":[{"__proto__":{"b":1}}]}'].map(
          (text) => JSON.parse(text) as unknown,
        ),
      },
    },
    { keeps: [{ constructor: 1, prototype: {} }, '__proto__', ['__proto__'], { a: '__proto__' }] },
  ],
  foreignkey: [{ keeps: [1, MAX], refuses: { 'must be an integer': ['1', 1.5, true, [1], { id: 1 }, 2 ** 53] } }],
  one_to_one: [{ keeps: [1, MAX], refuses: { 'must be an integer': ['1', 1.5, true, [1], { id: 1 }] } }],
  many_to_many: [
    {
      keeps: [[], [1], [3, 1, 2]],
      normalises: [
        [[{ id: 1 }], [1]],
        [
          [{ id: 2, name: 'b' }, 1],
          [2, 1],
        ],
        [[1, 1, { id: 1 }], [1]],
      ],
      refuses: {
        'must be an array': [1, '1', true, {}, { id: 1 }],
        'must be an array of ids or of objects with an id': [
          ['1'],
          [1.5],
          [null],
          [{}],
          [{ id: '1' }],
          [{ id: null }],
          [[1]],
          [2 ** 53],
        ],
      },
    },
  ],
}

describe('reading JSON', () => {
  for (const name of FIELD_TYPE_NAMES) {
    const type = FIELD_TYPES[name]
    for (const { keeps = [], normalises = [], refuses = {} } of READ[name]) {
      for (const [written, stored] of [...keeps.map((value) => [value, value] as const), ...normalises]) {
        test(`${name} accepts ${show(written)}`, () => {
          assert.deepStrictEqual(type.read(written), { ok: true, value: stored })
          assert.deepStrictEqual(type.read(stored), { ok: true, value: stored }, 'what is stored can be read again')
        })
      }
      for (const [problem, values] of Object.entries(refuses)) {
        for (const value of values) {
          test(`${name} rejects ${show(value)}`, () => assert.deepEqual(type.read(value), { ok: false, problem }))
        }
      }
    }
  }
})

describe('a field of several files', () => {
  for (const name of ['file', 'image'] as const) {
    const type = fieldTypeOf({ type: name, multiple: true })
    test(`${name}: a list of stored files, in order`, () => {
      const several = [STORED, { ...STORED, id: 'k3J9x0aQ2m-2' }]
      assert.deepEqual(type.read(several), { ok: true, value: several })
      assert.equal(type.list, true)
      for (const other of [STORED, ['k3J9x0aQ2m-1f'], 'k3J9x0aQ2m-1f'])
        assert.deepEqual(type.read(other), { ok: false, problem: 'must be an array of ids of uploads' })
    })
  }
})

/** Results of parsing text of a filter or a file; null for rejected text. */
const PARSE: Readonly<Record<FieldTypeName | 'primarykey', Readonly<Record<string, unknown>>>> = {
  file: { 'k3J9x0aQ2m-1f': null, '': null },
  image: { 'k3J9x0aQ2m-1f': null, '': null },
  decimal: { '12.50': '12.5', '1e2': '100', '-0': '0', '': null, '1,5': null },
  uuid: { '9F5C1A52-7D0E-4B1F-8A3C-1F2E3D4C5B6A': '9f5c1a52-7d0e-4b1f-8a3c-1f2e3d4c5b6a', '9f5c': null, '': null },
  string: { a: 'a', '': '', 'not@an@email': 'not@an@email' },
  text: { 'a,b': 'a,b' },
  email: { ann: 'ann', 'a@b.co': 'a@b.co' },
  url: { example: 'example' },
  slug: { 'a b': 'a b' },
  password: { secret: null, '': null },
  integer: {
    1: 1,
    '-1': -1,
    '+1': 1,
    '007': 7,
    '-0': 0,
    '1.0': null,
    '1e3': null,
    ' 1': null,
    '0x10': null,
    '': null,
    x: null,
    '9007199254740992': null,
  },
  number: {
    1: 1,
    '-1.5': -1.5,
    '.5': 0.5,
    '5.': 5,
    '1e3': 1000,
    '-0': 0,
    '0x10': null,
    '': null,
    ' 1': null,
    '1e999': null,
    Infinity: null,
    NaN: null,
    x: null,
  },
  boolean: { true: true, false: false, True: null, 1: null, 0: null, yes: null, '': null },
  date: { '2024-02-29': '2024-02-29', '2023-02-29': null, '': null, x: null },
  time: { '18:30': '18:30:00', '18:30:15': '18:30:15', '25:00': null, '': null },
  datetime: {
    '2024-05-01': '2024-05-01T00:00:00.000Z',
    '2024-05-01T10:30:00+02:00': '2024-05-01T08:30:00.000Z',
    x: null,
    '': null,
  },
  choice: { draft: 'draft', nope: 'nope' },
  multichoice: { en: 'en', 'en,de': 'en,de' },
  json: { '{}': null, 1: null },
  foreignkey: { 1: 1, x: null, '1.5': null, '': null },
  one_to_one: { 1: 1, x: null },
  many_to_many: { 3: 3, x: null, '1,2': null },
  primarykey: { 1: 1, x: null, '': null },
}

test('an address with letters such as ü is a url, however many were read before', () => {
  const address = 'https://bücher.example'
  for (let count = 0; count < 50_000; count++) assert.ok(FIELD_TYPES.url.read(address).ok, `no. ${count}`)
})

describe('parsing text', () => {
  for (const [name, cases] of Object.entries(PARSE)) {
    const type = { ...FIELD_TYPES, primarykey }[name as FieldTypeName | 'primarykey']
    for (const [text, expected] of Object.entries(cases)) {
      test(`${name} ${expected === null ? 'rejects' : 'accepts'} ${show(text)}`, () => {
        const reading = type.parse(text)
        if (expected === null) assert.equal(reading.ok, false)
        else assert.deepStrictEqual(reading, { ok: true, value: expected })
      })
    }
  }
})

function show(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  return (JSON.stringify(value) ?? String(value)).slice(0, 60)
}
