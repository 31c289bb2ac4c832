import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../src/util/json.ts'
import { checkForm, compileForm, type FormSource } from '../../src/validate/form.ts'
import { FieldIssues } from '../../src/validate/issues.ts'
import { BLOG, registryOf } from '../model/models.ts'

const post = registryOf(...BLOG).expect('post')
const record: JsonObject = {
  id: 1,
  title: 'Hello',
  status: 'draft',
  views: 4,
  rating: 3,
  languages: ['en'],
  tags: [1, 2],
  author_id: 1,
}

type Part = Partial<FormSource>

/** What a form of these parts says to the record. */
function judge(
  part: Part,
  over: JsonObject = {},
  { unchanged = [], before = {} }: { unchanged?: string[]; before?: Record<string, string[]> } = {},
): object {
  const { form, problems } = compileForm({ name: 'F', fields: [], ...part }, post)
  assert.deepEqual(problems, [])
  const issues = new FieldIssues()
  for (const [field, messages] of Object.entries(before)) issues.add(field, ...messages)
  checkForm(form, { ...record, ...over }, new Set(unchanged), issues)
  return issues.toMessages()
}

interface Row {
  readonly name: string
  readonly form: Part
  readonly over?: JsonObject
  readonly unchanged?: string[]
  readonly before?: Record<string, string[]>
  readonly messages: object
}

/** A form, what it says to the record, and in which state. */
const row = (name: string, form: Part, messages: object, state: Pick<Row, 'over' | 'unchanged' | 'before'> = {}): Row => ({
  ...{ name, form, messages },
  ...state,
})

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const { name, form, over, unchanged = [], before = {}, messages } of rows) {
      test(name, () => assert.deepEqual(judge(form, over, { unchanged, before }), messages))
    }
  })
}

const body = { fields: [{ name: 'body', required: true }] }

const hidden = {
  fields: [{ name: 'body', required: true, options: { max_length: 3 }, visible_when: 'self.status == "published"' }],
}

table('a field with visible_when', [
  row('is not mandatory while the form hides it', hidden, {}),
  row('is mandatory while the form displays it', hidden, { body: ['body is mandatory'] }, { over: { status: 'published' } }),
  row('has its limits all the same', hidden, { body: ['body must be at most 3 characters long'] }, { over: { body: 'long' } }),
])

table('mandatory under the form', [
  row('never set', body, { body: ['body is mandatory'] }),
  row('null', body, { body: ['body is mandatory'] }, { over: { body: null } }),
  row('empty', body, { body: ['body is mandatory'] }, { over: { body: '' } }),
  row('an empty list', { fields: [{ name: 'tags', required: true }] }, { tags: ['tags is mandatory'] }, { over: { tags: [] } }),
  row('there', body, {}, { over: { body: 'x' } }),
  row(
    'false and 0 are there',
    {
      fields: [
        { name: 'featured', required: true },
        { name: 'views', required: true },
      ],
    },
    {},
    { over: { featured: false, views: 0 } },
  ),
  row('not mandatory', { fields: [{ name: 'body' }] }, {}),
  row(
    'the model has already reported it',
    { fields: [{ name: 'title', required: true }] },
    { title: ['title is mandatory'] },
    { over: { title: null }, before: { title: ['title is mandatory'] } },
  ),
  row(
    'the model has found another fault',
    body,
    { body: ['body must be a string'] },
    { over: { body: null }, before: { body: ['body must be a string'] } },
  ),
  row(
    'a stored secret is there',
    { fields: [{ name: 'secret', required: true }] },
    {},
    { over: { secret: '$hash' }, unchanged: ['secret'] },
  ),
])

const options = (name: string, bounds: JsonObject): Part => ({ fields: [{ name, options: bounds }] })

table('narrower bounds', [
  row('max_length', options('title', { max_length: 3 }), { title: ['title must be at most 3 characters long'] }),
  row('min_length', options('title', { min_length: 9 }), { title: ['title must be at least 9 characters long'] }),
  row('gte', options('rating', { gte: 4 }), { rating: ['rating must be greater than or equal to 4'] }),
  row('gt', options('rating', { gt: 3 }), { rating: ['rating must be greater than 3'] }),
  row('lte', options('views', { lte: 3 }), { views: ['views must be less than or equal to 3'] }),
  row('lt', options('views', { lt: 4 }), { views: ['views must be less than 4'] }),
  row('pattern', options('title', { pattern: '^[a-z]+$' }), { title: ['title format is invalid'] }),
  row('bounds that are met', options('title', { min_length: 5, max_length: 5, pattern: '^Hello$' }), {}),
  row('null meets any bound', options('body', { min_length: 9, pattern: 'x' }), {}, { over: { body: null } }),
  row(
    'wider bounds change nothing',
    options('title', { max_length: 999 }),
    { title: ['title must be at most 200 characters long'] },
    { before: { title: ['title must be at most 200 characters long'] } },
  ),
  row(
    'a message of model and form is reported once',
    options('title', { min_length: 9 }),
    { title: ['title must be at least 9 characters long'] },
    { before: { title: ['title must be at least 9 characters long'] } },
  ),
  row('other options are for the front end', options('title', { rows: 5, color: 'red', choices_from: 'x' }), {}),
  row(
    'a stored secret is not checked',
    options('secret', { min_length: 99 }),
    {},
    { over: { secret: '$hash' }, unchanged: ['secret'] },
  ),
  row(
    'a new secret is',
    options('secret', { min_length: 99 }),
    { secret: ['secret must be at least 99 characters long'] },
    { over: { secret: 'new' } },
  ),
  row(
    'an empty text that is mandatory and too short is reported once',
    { fields: [{ name: 'body', required: true, options: { min_length: 2 } }] },
    { body: ['body must be at least 2 characters long'] },
    { over: { body: '' } },
  ),
])

table('choices', [
  row('plain', options('status', { choices: ['published'] }), { status: ['status must be one of: published'] }),
  row('plain, met', options('status', { choices: ['draft'] }), {}),
  row('of an empty value', options('status', { choices: ['published'] }), {}, { over: { status: null } }),
  row('with labels', options('status', { choices: [{ value: 'published', label: 'Out' }] }), {
    status: ['status must be one of: published'],
  }),
  row('with labels, met', options('status', { choices: [{ value: 'draft', label: 'In the drawer' }, 'published'] }), {}),
  row('a label is no value', options('status', { choices: [{ value: 'x', label: 'draft' }] }), {
    status: ['status must be one of: x'],
  }),
  row('numbers', options('views', { choices: [1, { value: 2, label: 'two' }] }), { views: ['views must be one of: 1, 2'] }),
  row('of a list, item by item', options('languages', { choices: ['de', 'fr'] }), {
    languages: ['languages must be one of: de, fr'],
  }),
  row('of a list, met', options('languages', { choices: ['en', 'fr'] }), {}),
])

const error = { message: 'Please write a longer title', code: 'short' }

table('messages of the form', [
  row(
    'in the place of its own',
    { fields: [{ name: 'title', options: { min_length: 9, pattern: '^x' }, error }] },
    { title: [error.message] },
  ),
  row(
    "in the place of the model's",
    { fields: [{ name: 'title', error }] },
    { title: [error.message] },
    { before: { title: ['title must be at least 3 characters long'] } },
  ),
  row('nothing where nothing is wrong', { fields: [{ name: 'title', error }] }, {}),
  row(
    'not in the place of a rule',
    { fields: [{ name: 'title', error }], rules: [{ rule: 'false', field: 'title', message: 'The rule' }] },
    { title: ['The rule'] },
  ),
])

const rule = (expression: string, field = 'title', message = 'No'): Part => ({ rules: [{ rule: expression, field, message }] })

table('rules', [
  row('one that is satisfied', rule('self.views % 2 == 0'), {}),
  row('one that does not', rule('self.views % 2 == 1'), { title: ['No'] }),
  row(
    'over two fields',
    rule('self.status == "draft" || self.published_at != null', 'published_at'),
    { published_at: ['No'] },
    { over: { status: 'published' } },
  ),
  row('over a field that was never set', rule('self.published_at == null'), {}),
  row('ids in a list', rule('1 in self.tags && !(3 in self.tags)'), {}),
  row('one that cannot be evaluated', rule('self.body.size() > 2'), { title: ['No'] }),
  row(
    'several',
    {
      rules: [
        { rule: 'false', field: 'title', message: 'A' },
        { rule: 'true', field: 'title', message: 'B' },
        { rule: 'false', field: 'body', message: 'C' },
      ],
    },
    { title: ['A'], body: ['C'] },
  ),
  row('beside other messages', rule('false'), { title: ['x', 'No'] }, { before: { title: ['x'] } }),
  row(
    'a stored secret is there but cannot be read',
    rule('self.secret != null && self.secret != "$hash"'),
    {},
    { over: { secret: '$hash' }, unchanged: ['secret'] },
  ),
  row('a new secret can', rule('self.secret != self.title'), { title: ['No'] }, { over: { secret: 'Hello' } }),
])

const validate = (
  judgement: (record: JsonObject) => Readonly<Record<string, string | readonly string[] | undefined>> | undefined,
): Part => ({ validate: judgement as NonNullable<FormSource['validate']> })

table('validate in TypeScript', [
  row(
    'one message',
    validate(() => ({ title: 'Bad' })),
    { title: ['Bad'] },
  ),
  row(
    'several',
    validate(() => ({ title: ['Bad', 'Worse'], body: undefined })),
    { title: ['Bad', 'Worse'] },
  ),
  row(
    'nothing',
    validate(() => undefined),
    {},
  ),
  row(
    'an empty object',
    validate(() => ({})),
    {},
  ),
  row(
    'sees the merged record',
    validate(({ title, views }) => ({ title: `${title} ${views}` })),
    { title: ['Hello 4'] },
  ),
  row(
    'does not see a stored secret',
    validate(({ secret }) => (secret === '$hash' ? { secret: 'leaked' } : undefined)),
    {},
    { over: { secret: '$hash' }, unchanged: ['secret'] },
  ),
])

describe('names in messages', () => {
  const field = (rest: object) => ({ fields: [{ name: 'author_id', title: 'Author', required: true, ...rest }] })
  const missing = { author_id: null }

  test('a message names the field, not its title', () =>
    assert.deepEqual(judge(field({}), missing), { author_id: ['author_id is mandatory'] }))

  test('a message of the form stays as it is written', () =>
    assert.deepEqual(judge(field({ error: { message: 'Author, please' } }), missing), { author_id: ['Author, please'] }))

  test('messages of the model and of rules stay as well', () => {
    const rules = [{ rule: 'false', field: 'author_id', message: 'author_id is wrong' }]
    const before = { author_id: ['author_id must be an integer'] }
    assert.deepEqual(judge({ ...field({}), rules }, {}, { before }), {
      author_id: ['author_id must be an integer', 'author_id is wrong'],
    })
  })
})

describe('an invalid return value of validate rejects the record', () => {
  const rows: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['a promise', async () => ({ title: 'Bad' }), /not a promise: it cannot be asynchronous$/],
    ['a promise of nothing', async () => undefined, /not a promise: it cannot be asynchronous$/],
    ['text', () => 'Bad', /not "Bad"$/],
    ['true', () => true, /not true$/],
    ['false', () => false, /not false$/],
    ['a list', () => ['Bad'], /not \["Bad"\]$/],
    ['a number for a field', () => ({ title: 5 }), /not 5 for 'title'$/],
    ['null for a field', () => ({ title: null }), /not null for 'title'$/],
    ['true for a field', () => ({ title: true }), /not true for 'title'$/],
    ['a mapping for a field', () => ({ title: { message: 'Bad' } }), /not \{"message":"Bad"\} for 'title'$/],
    ['a list of which one is no text', () => ({ title: ['Bad', 5] }), /not \["Bad",5\] for 'title'$/],
  ]
  for (const [name, returns, end] of rows) {
    test(name, () =>
      assert.throws(
        () => judge({ validate: returns as NonNullable<FormSource['validate']> }),
        (error) =>
          error instanceof Error &&
          error.message.startsWith("validate() of the form 'F' must return messages by field or nothing, ") &&
          end.test(error.message),
      ),
    )
  }

  test('null is nothing, as undefined is', () =>
    assert.deepEqual(judge({ validate: (() => null) as unknown as NonNullable<FormSource['validate']> }), {}))

  test('an empty list of messages counts as no message', () => assert.deepEqual(judge(validate(() => ({ title: [] }))), {}))

  test('its errors are thrown', () => {
    const failing = validate(() => {
      throw new Error('out of ink')
    })
    assert.throws(() => judge(failing), /out of ink/)
  })
})
