import assert from 'node:assert/strict'
import { ADMIN_SEED } from '../../helpers/api/app.ts'
import { type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, fieldErrors } from './expected.ts'

const MODELS = `
- name: Sample
  timestamps: true
  fields:
    - { name: a_string, type: string, min_length: 3, max_length: 5 }
    - { name: a_text, type: text }
    - { name: an_email, type: email }
    - { name: a_url, type: url }
    - { name: a_slug, type: slug }
    - { name: a_password, type: password, min_length: 8 }
    - { name: a_code, type: string, min_length: 4, pattern: '^[A-Z]+$' }
    - { name: an_integer, type: integer, gt: 2, lt: 10 }
    - { name: a_whole, type: integer, gte: 2, lte: 10 }
    - { name: an_alias, type: number, ge: 0.5, le: 1.5 }
    - { name: a_number, type: number, gt: -1.5, lt: 2.5 }
    - { name: a_boolean, type: boolean }
    - { name: a_date, type: date }
    - { name: a_time, type: time }
    - { name: a_datetime, type: datetime }
    - { name: a_choice, type: choice, choices: [red, green] }
    - { name: a_multichoice, type: multichoice, choices: [red, green, blue] }
    - { name: a_json, type: json }
    - { name: a_parent_id, type: foreignkey, model: sample }
    - { name: a_twin_id, type: one_to_one, model: sample }
    - { name: links, type: many_to_many, model: sample }
- name: Strict
  fields:
    - { name: a_string, type: string, required: true }
    - { name: an_integer, type: integer, required: true }
    - { name: a_boolean, type: boolean, required: true }
    - { name: a_date, type: date, required: true }
    - { name: a_choice, type: choice, choices: [red, green], required: true }
    - { name: a_list, type: multichoice, choices: [red, green], required: true }
    - { name: a_parent_id, type: foreignkey, model: sample, required: true }
`

const options = { files: { 'models/sample.yaml': MODELS, ...ADMIN_SEED, 'seed/sample.yaml': '- { a_string: seed }\n' } }

const show = (value: unknown) => JSON.stringify(value)

const refused = (field: string, value: unknown, ...problems: string[]): Scenario =>
  scenario(`${field} is not ${show(value)}`, 'POST /api/v1/models/sample', 400, {
    body: { data: { [field]: value } },
    expect: fieldErrors({ [field]: problems.map((problem) => `${field} ${problem}`) }),
  })

const taken = (field: string, value: unknown): Scenario =>
  scenario(`${field} may be ${show(value)}`, 'POST /api/v1/models/sample', 201, {
    body: { data: { [field]: value } },
    expectPart: { data: { [field]: value } },
  })

scenarios('validation of types', options, [
  ...['a_string', 'a_text', 'an_email', 'a_url', 'a_slug', 'a_password'].flatMap((field) => [
    refused(field, 12345678, 'must be a string'),
    refused(field, true, 'must be a string'),
    refused(field, ['text'], 'must be a string'),
    refused(field, { text: 'text' }, 'must be a string'),
  ]),
  ...['12', 'many', true, [12], {}].map((value) => refused('a_number', value, 'must be a number')),
  ...['3', 'three', 3.5, true, [3], {}].map((value) => refused('an_integer', value, 'must be an integer')),
  ...['true', 'yes', 0, 1, [true], {}].map((value) => refused('a_boolean', value, 'must be a boolean')),
  ...['2023-02-29', '2024-13-01', '01.02.2024', 'today', 20240201, true].map((value) =>
    refused('a_date', value, 'must be a valid date'),
  ),
  ...['24:00', '12:60:00', 'noon', 12, true].map((value) => refused('a_time', value, 'must be a valid time')),
  ...['2024-02-30T10:00:00Z', '2024-02-01T25:00:00Z', 'yesterday', 1706781600000, true].map((value) =>
    refused('a_datetime', value, 'must be a valid datetime'),
  ),
  ...['nobody', 'two@at@example.org', '@example.org', 'a b@example.org'].map((value) =>
    refused('an_email', value, 'format is invalid'),
  ),
  ...['example.org', 'javascript:alert(1)', 'http://', 'https://exa mple.org'].map((value) =>
    refused('a_url', value, 'format is invalid'),
  ),
  ...['with space', 'slash/ed', 'ümlaut'].map((value) => refused('a_slug', value, 'format is invalid')),
  refused('a_choice', 'blue', 'must be one of: red, green'),
  refused('a_choice', 'Red', 'must be one of: red, green'),
  refused('a_multichoice', 'red', 'must be an array'),
  refused('a_multichoice', { 0: 'red' }, 'must be an array'),
  refused('a_multichoice', ['red', 'black'], 'must be one of: red, green, blue'),
  refused('links', 1, 'must be an array'),
  refused('links', { id: 1 }, 'must be an array'),
  refused('a_parent_id', 'one', 'must be an integer'),
  refused('a_parent_id', 1.5, 'must be an integer'),
  refused('a_twin_id', '1', 'must be an integer'),
])

scenarios('validation of bounds', options, [
  refused('a_string', 'ab', 'must be at least 3 characters long'),
  taken('a_string', 'abc'),
  refused('a_string', 'abcdef', 'must be at most 5 characters long'),
  taken('a_string', 'abcde'),
  refused('a_password', 'seven77', 'must be at least 8 characters long'),
  refused('a_code', 'ABCDe', 'format is invalid'),
  refused('a_code', 'xyz', 'must be at least 4 characters long', 'format is invalid'),
  taken('a_code', 'ABCD'),
  refused('an_integer', 2, 'must be greater than 2'),
  taken('an_integer', 3),
  refused('an_integer', 10, 'must be less than 10'),
  taken('an_integer', 9),
  refused('a_whole', 1, 'must be greater than or equal to 2'),
  taken('a_whole', 2),
  refused('a_whole', 11, 'must be less than or equal to 10'),
  taken('a_whole', 10),
  refused('a_number', -1.5, 'must be greater than -1.5'),
  taken('a_number', -1.49),
  refused('a_number', 2.5, 'must be less than 2.5'),
  taken('a_number', 2.49),
  refused('an_alias', 0.4, 'must be greater than or equal to 0.5'),
  taken('an_alias', 0.5),
  refused('an_alias', 1.6, 'must be less than or equal to 1.5'),
  taken('an_alias', 1.5),
])

scenarios('validation lets through', options, [
  taken('a_text', 'Several\nlines, "quotes", emoji 🦭 and ümlauts'),
  taken('an_email', 'first.last+tag@mail.example.org'),
  taken('an_email', ''),
  taken('an_email', 'a@b'),
  taken('a_url', 'https://example.org/path?q=1#top'),
  taken('a_url', ''),
  taken('a_url', 'HTTPS://bücher.de'),
  ...['2024-01-01', '2024-01-01T00:00', '2024-01-01T00:00Z', '2024-01-01 00:00:00'].map((value) => ({
    ...taken('a_datetime', value),
    expectPart: { data: { a_datetime: '2024-01-01T00:00:00.000Z' } },
  })),
  taken('a_slug', 'with-hyphens_and_1'),
  taken('a_boolean', false),
  taken('a_date', '2024-02-29'),
  taken('a_time', '23:59:59'),
  taken('a_choice', 'green'),
  taken('a_multichoice', ['blue', 'red']),
  taken('a_multichoice', []),
  taken('a_json', { deep: [1, { er: null }], text: 'x' }),
  taken('a_json', [1, 2]),
  taken('a_json', 'text'),
  taken('a_json', false),
  taken('a_parent_id', 1),
  taken('a_twin_id', 1),
  taken('a_number', 0),
  scenario('a datetime with an offset, returned in UTC', 'POST /api/v1/models/sample', 201, {
    body: { data: { a_datetime: '2024-02-29T12:30:00+02:00' } },
    check: ({ json }) => assert.match(json.data.a_datetime, /^2024-02-29T10:30:00(\.000)?Z$/),
  }),
  scenario('a password, which is not returned', 'POST /api/v1/models/sample', 201, {
    body: { data: { a_password: 'long-enough' } },
    check: ({ json, text }) => {
      assert.equal('a_password' in json.data, false)
      assert.equal(text.includes('long-enough') || text.includes('$quick$'), false)
    },
  }),
  scenario('a record without any value', 'POST /api/v1/models/sample', 201, {
    body: { data: {} },
    expectPart: { data: { id: 2, a_string: null, a_multichoice: [], links: [] } },
  }),
])

const ALL_MANDATORY = fieldErrors({
  a_string: ['a_string is mandatory'],
  an_integer: ['an_integer is mandatory'],
  a_boolean: ['a_boolean is mandatory'],
  a_date: ['a_date is mandatory'],
  a_choice: ['a_choice is mandatory'],
  a_list: ['a_list is mandatory'],
  a_parent_id: ['a_parent_id is mandatory'],
})

scenarios('validation of records', options, [
  scenario('names every required field that is missing', 'POST /api/v1/models/strict', 400, {
    body: { data: {} },
    expect: ALL_MANDATORY,
  }),
  scenario('treats null as missing', 'POST /api/v1/models/strict', 400, {
    body: {
      data: { a_string: null, an_integer: null, a_boolean: null, a_date: null, a_choice: null, a_list: null, a_parent_id: null },
    },
    expect: ALL_MANDATORY,
  }),
  scenario('accepts zero and false as values', 'POST /api/v1/models/strict', 201, {
    body: {
      data: {
        a_string: 'x',
        an_integer: 0,
        a_boolean: false,
        a_date: '2024-01-01',
        a_choice: 'red',
        a_list: ['red'],
        a_parent_id: 1,
      },
    },
    expectPart: { data: { an_integer: 0, a_boolean: false } },
  }),
  scenario('reports all invalid fields together, each with all its messages', 'POST /api/v1/models/sample', 400, {
    body: {
      data: {
        a_string: 'ab',
        a_code: 'x1',
        an_integer: 2,
        a_number: 'many',
        a_boolean: 'no',
        a_date: 'soon',
        a_choice: 'blue',
        a_parent_id: 99,
        unknown: 1,
      },
    },
    expect: fieldErrors({
      a_string: ['a_string must be at least 3 characters long'],
      a_code: ['a_code must be at least 4 characters long', 'a_code format is invalid'],
      an_integer: ['an_integer must be greater than 2'],
      a_number: ['a_number must be a number'],
      a_boolean: ['a_boolean must be a boolean'],
      a_date: ['a_date must be a valid date'],
      a_choice: ['a_choice must be one of: red, green'],
      a_parent_id: ['a_parent_id references a non-existent record'],
      unknown: ["Field 'unknown' does not exist"],
    }),
    check: async (_, app) => assert.equal((await dataOf(app, 'GET /api/v1/models/sample')).length, 1),
  }),
  scenario('checks an update against the same limits', 'PUT /api/v1/models/sample/1', 400, {
    body: { data: { a_string: 'abcdef', a_date: 5, a_multichoice: 'red' } },
    expect: fieldErrors({
      a_string: ['a_string must be at most 5 characters long'],
      a_date: ['a_date must be a valid date'],
      a_multichoice: ['a_multichoice must be an array'],
    }),
  }),
])
