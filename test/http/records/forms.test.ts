import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_SEED, openTestApp, type TestAppOptions } from '../../helpers/api/app.ts'
import { type Scenario, scenario, scenarios, send } from '../../helpers/api/scenario.ts'
import { dataOf, fieldErrors, generalError } from './expected.ts'

const COLOUR = 'Write the colour as a # and six lower-case hex digits, such as #1f6f8b'
const USERNAME = 'Choose a free username of 3 to 150 letters, digits, dots, hyphens or underscores'
const USER = { username: 'new.user', email: 'new.user@example.org', password: 'long-enough-for-this-form' }
const POST = { title: 'A new post', slug: 'a-new-post', body: 'Text', author_id: 3 }

const create = (model: string, name: string, form_id: string, data: unknown, error: Record<string, string[]>): Scenario =>
  scenario(name, `POST /api/v1/models/${model}`, 400, { body: { data, form_id }, expect: fieldErrors(error) })

scenarios('forms', [
  create(
    'user',
    'set only creation_fields at creation',
    'UserCreateForm',
    { ...USER, is_superuser: true, is_active: false },
    {
      is_superuser: ["Field 'is_superuser' is not allowed to be set at creation"],
      is_active: ["Field 'is_active' is not allowed to be set at creation"],
    },
  ),
  scenario('accept the fields of creation_fields', 'POST /api/v1/models/user', 201, {
    body: { data: { ...USER, first_name: 'Nora' }, form_id: 'UserCreateForm' },
    expectPart: { data: { username: 'new.user', first_name: 'Nora', is_superuser: false, is_active: true } },
  }),
  scenario('apply no list without form_id', 'POST /api/v1/models/user', 201, {
    body: { data: { ...USER, is_active: false, birth_date: '1990-01-01' } },
    expectPart: { data: { is_active: false, birth_date: '1990-01-01' } },
  }),
  scenario('apply no list when form_id is null', 'POST /api/v1/models/user', 201, {
    body: { data: { ...USER, is_active: false }, form_id: null },
    expectPart: { data: { is_active: false } },
  }),
  create(
    'comment',
    'may allow nothing at creation',
    'CommentModerationForm',
    { body: 'Hm' },
    { body: ["Field 'body' is not allowed to be set at creation"], post_id: ['post_id is mandatory'] },
  ),
  create(
    'tag',
    "put a field's error in the place of the generated message",
    'TagForm',
    { name: 'Red', slug: 'red', color: 'red' },
    { color: [COLOUR] },
  ),
  create(
    'user',
    "put a field's error in the place of several messages",
    'UserCreateForm',
    { ...USER, username: '?!' },
    { username: [USERNAME] },
  ),
  create(
    'user',
    "put a field's error in the place of a mandatory message",
    'UserCreateForm',
    { email: USER.email, password: USER.password },
    { username: [USERNAME] },
  ),
  create(
    'user',
    "put a field's error in the place of a storage message",
    'UserCreateForm',
    { ...USER, username: 'admin' },
    { username: [USERNAME] },
  ),
  scenario("leave the generated message where the field's error is another form's", 'POST /api/v1/models/tag', 400, {
    body: { data: { name: 'Red', slug: 'red', color: 'red' } },
    expect: fieldErrors({ color: ['color format is invalid'] }),
  }),
  create(
    'post',
    'narrow max_length',
    'PostForm',
    { ...POST, title: 'x'.repeat(121) },
    { title: ['title must be at most 120 characters long'] },
  ),
  scenario('narrow limits only for requests that name them', 'POST /api/v1/models/post', 201, {
    body: { data: { ...POST, title: 'x'.repeat(121) } },
  }),
  create('tag', 'narrow min_length', 'TagForm', { name: 'x', slug: 'x' }, { name: ['name must be at least 2 characters long'] }),
  create(
    'user',
    "narrow a password's min_length",
    'UserCreateForm',
    { ...USER, password: 'nine-char' },
    { password: ['password must be at least 10 characters long'] },
  ),
  create(
    'post',
    'hold their rules against a new record, all of them',
    'PostForm',
    { ...POST, published_at: '2026-01-01T00:00:00Z', is_featured: true },
    {
      published_at: ['Only a published or archived post has a publication date'],
      is_featured: ['Only a published post can be featured on the front page'],
    },
  ),
  scenario('accept a record that satisfies their rules', 'POST /api/v1/models/post', 201, {
    body: {
      data: { ...POST, published_at: '2026-01-01T00:00:00Z', is_featured: true, status: 'published' },
      form_id: 'PostForm',
    },
    expectPart: { data: { is_featured: true } },
  }),
  create(
    'comment',
    'hold a rule over two fields',
    'CommentForm',
    { post_id: 1, author_id: 3, guest_name: 'Anna', body: 'Both' },
    { guest_name: ['A comment is by a user or by a guest, not by both'] },
  ),
  scenario('know the id of the stored record in a rule', 'PUT /api/v1/models/category/2', 400, {
    body: { data: { parent_id: 2 }, form_id: 'CategoryForm' },
    expect: fieldErrors({ parent_id: ['A category cannot be its own parent'] }),
  }),
  scenario('are never guessed', 'POST /api/v1/models/tag', 400, {
    body: { data: { name: 'Red', slug: 'red' }, form_id: 'NoSuchForm' },
    check: ({ json }) => {
      assert.deepEqual(Object.keys(json), ['detail'])
      assert.equal(typeof json.detail.error, 'string')
      assert.match(json.detail.error, /NoSuchForm/)
    },
  }),
  scenario('belong to one model', 'POST /api/v1/models/tag', 400, {
    body: { data: { name: 'Red', slug: 'red' }, form_id: 'PostForm' },
    check: ({ json }) => {
      assert.equal(typeof json.detail.error, 'string')
      assert.match(json.detail.error, /PostForm/)
    },
  }),
  scenario('are enforced on update as on create', 'PUT /api/v1/models/tag/1', 400, {
    body: { data: { name: 'Red' }, form_id: 'PostForm' },
    check: ({ json }) => assert.equal(typeof json.detail.error, 'string'),
  }),
  scenario('are not list views', 'POST /api/v1/models/tag', 400, {
    body: { data: { name: 'Red', slug: 'red' }, form_id: 'TagList' },
    check: ({ json }) => assert.equal(typeof json.detail.error, 'string'),
  }),
  scenario('have a name that is a text', 'POST /api/v1/models/tag', 400, {
    body: { data: { name: 'Red', slug: 'red' }, form_id: 7 },
  }),
])

const MODEL = `
name: Boat
fields:
  - { name: name, type: string, max_length: 20 }
  - { name: crew, type: integer, gte: 0, lte: 100 }
  - { name: seats, type: integer }
  - { name: length, type: number, gt: 0 }
  - { name: kind, type: choice, choices: [sail, motor, oar] }
  - { name: flags, type: multichoice, choices: [en, de, fr] }
  - { name: code, type: string }
`
const VIEWS = `
import { defineFormView, defineModel } from 'admin-folder'
const Boat = defineModel({ name: 'Boat', fields: [
  { name: 'name', type: 'string' }, { name: 'crew', type: 'integer' }, { name: 'seats', type: 'integer' },
  { name: 'length', type: 'number' }, { name: 'kind', type: 'choice', choices: ['sail', 'motor', 'oar'] },
  { name: 'flags', type: 'multichoice', choices: ['en', 'de', 'fr'] }, { name: 'code', type: 'string' } ] })
export default [
  defineFormView(Boat, { name: 'NarrowForm', fields: [
    { name: 'name', required: true, options: { max_length: 500 } },
    { name: 'crew', options: { gt: 1, lt: 10 } },
    { name: 'length', options: { gte: 2, lte: 30.5 } },
    { name: 'kind', options: { choices: ['sail', 'oar'] } },
    { name: 'flags', options: { choices: ['en', 'de'] } },
    { name: 'code', options: { pattern: '^[A-Z]{3}$', min_length: 3 } },
  ] }),
  defineFormView(Boat, { name: 'WideForm', fields: [
    { name: 'crew', options: { gte: -5, lte: 1000 } },
    { name: 'kind', options: { choices: ['sail', 'submarine'] } },
  ] }),
  defineFormView(Boat, { name: 'RuleForm', fields: [{ name: 'crew' }, { name: 'seats' }, { name: 'length' }, { name: 'flags' }], rules: [
    { rule: 'self.crew == null || self.seats == null || self.crew <= self.seats', field: 'crew', message: 'More crew than seats' },
    { rule: 'self.seats == null || self.seats % 2 == 0', field: 'seats', message: 'Seats come in pairs' },
    { rule: 'self.length == null || self.length < 12.0', field: 'length', message: 'Too long for the pier' },
    { rule: '!("fr" in self.flags) || self.code != null', field: 'code', message: 'A French boat has a code' },
  ] }),
  defineFormView(Boat, { name: 'CheckForm', fields: [{ name: 'name' }, { name: 'crew' }], validate(record) {
    if (record.name === 'Titanic') return { name: ['is taken', 'is unlucky'], crew: 'will not sign on' }
    return {}
  } }),
]
`

const boat = (name: string, form_id: string, data: unknown, error: Record<string, string[]>): Scenario =>
  create('boat', name, form_id, data, error)

const fine = (name: string, form_id: string, data: Record<string, unknown>): Scenario =>
  scenario(name, 'POST /api/v1/models/boat', 201, { body: { data, form_id }, expectPart: { data } })

scenarios('forms of a model of many kinds', { files: { 'models/boat.yaml': MODEL, 'views/boat.ts': VIEWS, ...ADMIN_SEED } }, [
  boat('make a field mandatory that the model does not', 'NarrowForm', {}, { name: ['name is mandatory'] }),
  boat('do not take null for what they require', 'NarrowForm', { name: null }, { name: ['name is mandatory'] }),
  boat(
    'narrow every kind of bound',
    'NarrowForm',
    { name: 'Ylva', crew: 1, length: 1.5, kind: 'motor', flags: ['fr'], code: 'abc' },
    {
      crew: ['crew must be greater than 1'],
      length: ['length must be greater than or equal to 2'],
      kind: ['kind must be one of: sail, oar'],
      flags: ['flags must be one of: en, de'],
      code: ['code format is invalid'],
    },
  ),
  boat(
    'narrow every kind of upper bound',
    'NarrowForm',
    { name: 'Ylva', crew: 10, length: 31 },
    { crew: ['crew must be less than 10'], length: ['length must be less than or equal to 30.5'] },
  ),
  boat(
    'give one field several messages',
    'NarrowForm',
    { name: 'Ylva', code: 'x' },
    { code: ['code must be at least 3 characters long', 'code format is invalid'] },
  ),
  fine('let through what is within their bounds', 'NarrowForm', {
    name: 'Ylva',
    crew: 2,
    length: 30.5,
    kind: 'oar',
    flags: ['en'],
    code: 'ABC',
  }),
  boat(
    "never widen the model's max_length",
    'NarrowForm',
    { name: 'x'.repeat(21) },
    { name: ['name must be at most 20 characters long'] },
  ),
  boat("never widen the model's numeric bounds", 'WideForm', { crew: -1 }, { crew: ['crew must be greater than or equal to 0'] }),
  boat("never widen the model's upper bounds", 'WideForm', { crew: 101 }, { crew: ['crew must be less than or equal to 100'] }),
  boat("never widen the model's choices", 'WideForm', { kind: 'submarine' }, { kind: ['kind must be one of: sail, motor, oar'] }),
  boat('compare integers in rules', 'RuleForm', { crew: 5, seats: 4 }, { crew: ['More crew than seats'] }),
  fine('compare equal integers in rules', 'RuleForm', { crew: 4, seats: 4 }),
  boat('compare numbers in rules', 'RuleForm', { length: 12 }, { length: ['Too long for the pier'] }),
  fine('compare a whole number with a decimal in rules', 'RuleForm', { length: 11 }),
  boat(
    'look into lists in rules, a field never set being null',
    'RuleForm',
    { flags: ['fr'] },
    { code: ['A French boat has a code'] },
  ),
  boat('calculate with integers in rules', 'RuleForm', { seats: 3 }, { seats: ['Seats come in pairs'] }),
  fine('take a field never set for null in rules', 'RuleForm', { seats: 4 }),
  boat(
    'take several messages from the TypeScript validation',
    'CheckForm',
    { name: 'Titanic' },
    { name: ['is taken', 'is unlucky'], crew: ['will not sign on'] },
  ),
  fine('let through what the TypeScript validation has no word on', 'CheckForm', { name: 'Olympic' }),
])

describe('every form that the views name, a generated one too', () => {
  test('is accepted as form_id', async () => {
    await using app = await openTestApp()
    const views: Readonly<Record<string, readonly { name: string; view_type: string; generated?: true }[]>> = await dataOf(
      app,
      'GET /admin/api/v1/views/?generated=true',
    )
    const forms = Object.entries(views).flatMap(([model, all]) =>
      all.filter(({ view_type: type }) => type === 'form').map(({ name, generated }) => ({ model, name, generated })),
    )
    assert.ok(forms.some(({ generated }) => generated === true))
    for (const { model, name } of forms) {
      const body = { data: {}, form_id: name }
      const { text } = await send(app, { request: `POST /api/v1/models/${model}?dry_run=true`, body })
      assert.doesNotMatch(text, /Form '/, `${name} of ${model}`)
    }
  })
})

const GENERATED = 'NoteForm'
const NOTES: TestAppOptions = {
  files: {
    'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string, required: true }\n',
    ...ADMIN_SEED,
    'seed/note.yaml': '- { title: First }\n',
  },
}

scenarios('a generated form', NOTES, [
  scenario('may be named by a create', 'POST /api/v1/models/note', 201, {
    body: { data: { title: 'Second' }, form_id: GENERATED },
  }),
  scenario('may be named by an update', 'PUT /api/v1/models/note/1', 200, {
    body: { data: { title: 'Once' }, form_id: GENERATED },
  }),
  scenario('may be named by a bulk update by filters', 'PUT /api/v1/models/note/bulk', 200, {
    body: { filters: [], expected_total: 1, data: { title: 'Once' }, form_id: GENERATED },
  }),
  scenario('may be named by a bulk update of accounts', 'PUT /api/v1/models/user/bulk', 200, {
    body: { updates: [{ id: 1, data: { first_name: 'Ada' } }], form_id: 'UserForm' },
  }),
  scenario('may be named by an import', `POST /api/v1/models/note/import?form_id=${GENERATED}`, 200, {
    headers: { 'content-type': 'text/csv' },
    rawBody: 'title\r\nSecond\r\n',
  }),
  scenario('limits the fields, as the views say', 'PUT /api/v1/models/user/1', 400, {
    body: { data: { is_superuser: false }, form_id: 'UserForm' },
    expect: fieldErrors({ is_superuser: ["Field 'is_superuser' is not allowed to be updated"] }),
  }),
  scenario('is suggested for a similar name', 'PUT /api/v1/models/note/1', 400, {
    body: { data: {}, form_id: 'NotForm' },
    expect: generalError("Form 'NotForm' is no form of Note; did you mean 'NoteForm'?"),
  }),
  scenario('exists for a model without a form only', 'PUT /api/v1/models/note/1', 400, {
    body: { data: {}, form_id: 'GroupForm' },
    expect: generalError("Form 'GroupForm' is no form of Note; did you mean 'NoteForm'?"),
  }),
])
