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
  { name: 'is not mandatory while the form hides it', form: hidden, messages: {} },
  {
    name: 'is mandatory while the form displays it',
    form: hidden,
    over: { status: 'published' },
    messages: { body: ['body is mandatory'] },
  },
  {
    name: 'has its limits all the same',
    form: hidden,
    over: { body: 'long' },
    messages: { body: ['body must be at most 3 characters long'] },
  },
])

table('mandatory under the form', [
  { name: 'never set', form: body, messages: { body: ['body is mandatory'] } },
  { name: 'null', form: body, over: { body: null }, messages: { body: ['body is mandatory'] } },
  { name: 'empty', form: body, over: { body: '' }, messages: { body: ['body is mandatory'] } },
  {
    name: 'an empty list',
    form: { fields: [{ name: 'tags', required: true }] },
    over: { tags: [] },
    messages: { tags: ['tags is mandatory'] },
  },
  { name: 'there', form: body, over: { body: 'x' }, messages: {} },
  {
    name: 'false and 0 are there',
    form: {
      fields: [
        { name: 'featured', required: true },
        { name: 'views', required: true },
      ],
    },
    over: { featured: false, views: 0 },
    messages: {},
  },
  { name: 'not mandatory', form: { fields: [{ name: 'body' }] }, messages: {} },
  {
    name: 'the model has already reported it',
    form: { fields: [{ name: 'title', required: true }] },
    over: { title: null },
    before: { title: ['title is mandatory'] },
    messages: { title: ['title is mandatory'] },
  },
  {
    name: 'the model has found another fault',
    form: body,
    over: { body: null },
    before: { body: ['body must be a string'] },
    messages: { body: ['body must be a string'] },
  },
  {
    name: 'a stored secret is there',
    form: { fields: [{ name: 'secret', required: true }] },
    over: { secret: '$hash' },
    unchanged: ['secret'],
    messages: {},
  },
])

const options = (name: string, bounds: JsonObject): Part => ({ fields: [{ name, options: bounds }] })

table('narrower bounds', [
  {
    name: 'max_length',
    form: options('title', { max_length: 3 }),
    messages: { title: ['title must be at most 3 characters long'] },
  },
  {
    name: 'min_length',
    form: options('title', { min_length: 9 }),
    messages: { title: ['title must be at least 9 characters long'] },
  },
  { name: 'gte', form: options('rating', { gte: 4 }), messages: { rating: ['rating must be greater than or equal to 4'] } },
  { name: 'gt', form: options('rating', { gt: 3 }), messages: { rating: ['rating must be greater than 3'] } },
  { name: 'lte', form: options('views', { lte: 3 }), messages: { views: ['views must be less than or equal to 3'] } },
  { name: 'lt', form: options('views', { lt: 4 }), messages: { views: ['views must be less than 4'] } },
  { name: 'pattern', form: options('title', { pattern: '^[a-z]+$' }), messages: { title: ['title format is invalid'] } },
  { name: 'bounds that are met', form: options('title', { min_length: 5, max_length: 5, pattern: '^Hello$' }), messages: {} },
  { name: 'null meets any bound', form: options('body', { min_length: 9, pattern: 'x' }), over: { body: null }, messages: {} },
  {
    name: 'wider bounds change nothing',
    form: options('title', { max_length: 999 }),
    before: { title: ['title must be at most 200 characters long'] },
    messages: { title: ['title must be at most 200 characters long'] },
  },
  {
    name: 'a message of model and form is reported once',
    form: options('title', { min_length: 9 }),
    before: { title: ['title must be at least 9 characters long'] },
    messages: { title: ['title must be at least 9 characters long'] },
  },
  {
    name: 'other options are for the front end',
    form: options('title', { rows: 5, color: 'red', choices_from: 'x' }),
    messages: {},
  },
  {
    name: 'a stored secret is not checked',
    form: options('secret', { min_length: 99 }),
    over: { secret: '$hash' },
    unchanged: ['secret'],
    messages: {},
  },
  {
    name: 'a new secret is',
    form: options('secret', { min_length: 99 }),
    over: { secret: 'new' },
    messages: { secret: ['secret must be at least 99 characters long'] },
  },
  {
    name: 'an empty text that is mandatory and too short is reported once',
    form: { fields: [{ name: 'body', required: true, options: { min_length: 2 } }] },
    over: { body: '' },
    messages: { body: ['body must be at least 2 characters long'] },
  },
])

table('choices', [
  {
    name: 'plain',
    form: options('status', { choices: ['published'] }),
    messages: { status: ['status must be one of: published'] },
  },
  { name: 'plain, met', form: options('status', { choices: ['draft'] }), messages: {} },
  { name: 'of an empty value', form: options('status', { choices: ['published'] }), over: { status: null }, messages: {} },
  {
    name: 'with labels',
    form: options('status', { choices: [{ value: 'published', label: 'Out' }] }),
    messages: { status: ['status must be one of: published'] },
  },
  {
    name: 'with labels, met',
    form: options('status', { choices: [{ value: 'draft', label: 'In the drawer' }, 'published'] }),
    messages: {},
  },
  {
    name: 'a label is no value',
    form: options('status', { choices: [{ value: 'x', label: 'draft' }] }),
    messages: { status: ['status must be one of: x'] },
  },
  {
    name: 'numbers',
    form: options('views', { choices: [1, { value: 2, label: 'two' }] }),
    messages: { views: ['views must be one of: 1, 2'] },
  },
  {
    name: 'of a list, item by item',
    form: options('languages', { choices: ['de', 'fr'] }),
    messages: { languages: ['languages must be one of: de, fr'] },
  },
  { name: 'of a list, met', form: options('languages', { choices: ['en', 'fr'] }), messages: {} },
])

const error = { message: 'Please write a longer title', code: 'short' }

table('messages of the form', [
  {
    name: 'in the place of its own',
    form: { fields: [{ name: 'title', options: { min_length: 9, pattern: '^x' }, error }] },
    messages: { title: [error.message] },
  },
  {
    name: "in the place of the model's",
    form: { fields: [{ name: 'title', error }] },
    before: { title: ['title must be at least 3 characters long'] },
    messages: { title: [error.message] },
  },
  { name: 'nothing where nothing is wrong', form: { fields: [{ name: 'title', error }] }, messages: {} },
  {
    name: 'not in the place of a rule',
    form: { fields: [{ name: 'title', error }], rules: [{ rule: 'false', field: 'title', message: 'The rule' }] },
    messages: { title: ['The rule'] },
  },
])

const rule = (expression: string, field = 'title', message = 'No'): Part => ({ rules: [{ rule: expression, field, message }] })

table('rules', [
  { name: 'one that is satisfied', form: rule('self.views % 2 == 0'), messages: {} },
  { name: 'one that does not', form: rule('self.views % 2 == 1'), messages: { title: ['No'] } },
  {
    name: 'over two fields',
    form: rule('self.status == "draft" || self.published_at != null', 'published_at'),
    over: { status: 'published' },
    messages: { published_at: ['No'] },
  },
  { name: 'over a field that was never set', form: rule('self.published_at == null'), messages: {} },
  { name: 'ids in a list', form: rule('1 in self.tags && !(3 in self.tags)'), messages: {} },
  { name: 'one that cannot be evaluated', form: rule('self.body.size() > 2'), messages: { title: ['No'] } },
  {
    name: 'several',
    form: {
      rules: [
        { rule: 'false', field: 'title', message: 'A' },
        { rule: 'true', field: 'title', message: 'B' },
        { rule: 'false', field: 'body', message: 'C' },
      ],
    },
    messages: { title: ['A'], body: ['C'] },
  },
  { name: 'beside other messages', form: rule('false'), before: { title: ['x'] }, messages: { title: ['x', 'No'] } },
  {
    name: 'a stored secret is there but cannot be read',
    form: rule('self.secret != null && self.secret != "$hash"'),
    over: { secret: '$hash' },
    unchanged: ['secret'],
    messages: {},
  },
  { name: 'a new secret can', form: rule('self.secret != self.title'), over: { secret: 'Hello' }, messages: { title: ['No'] } },
])

const validate = (
  judgement: (record: JsonObject) => Readonly<Record<string, string | readonly string[] | undefined>> | undefined,
): Part => ({ validate: judgement as NonNullable<FormSource['validate']> })

table('validate in TypeScript', [
  { name: 'one message', form: validate(() => ({ title: 'Bad' })), messages: { title: ['Bad'] } },
  {
    name: 'several',
    form: validate(() => ({ title: ['Bad', 'Worse'], body: undefined })),
    messages: { title: ['Bad', 'Worse'] },
  },
  { name: 'nothing', form: validate(() => undefined), messages: {} },
  { name: 'an empty object', form: validate(() => ({})), messages: {} },
  {
    name: 'sees the merged record',
    form: validate(({ title, views }) => ({ title: `${title} ${views}` })),
    messages: { title: ['Hello 4'] },
  },
  {
    name: 'does not see a stored secret',
    form: validate(({ secret }) => (secret === '$hash' ? { secret: 'leaked' } : undefined)),
    over: { secret: '$hash' },
    unchanged: ['secret'],
    messages: {},
  },
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
    test(name, () => {
      assert.throws(
        () => judge({ validate: returns as NonNullable<FormSource['validate']> }),
        (error) =>
          error instanceof Error &&
          error.message.startsWith("validate() of the form 'F' must return messages by field or nothing, ") &&
          end.test(error.message),
      )
    })
  }

  test('null is nothing, as undefined is', () => {
    assert.deepEqual(judge({ validate: (() => null) as unknown as NonNullable<FormSource['validate']> }), {})
  })

  test('an empty list of messages counts as no message', () => assert.deepEqual(judge(validate(() => ({ title: [] }))), {}))

  test('its errors are thrown', () => {
    const failing = validate(() => {
      throw new Error('out of ink')
    })
    assert.throws(() => judge(failing), /out of ink/)
  })
})
