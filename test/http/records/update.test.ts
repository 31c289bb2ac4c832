import assert from 'node:assert/strict'
import { ADMIN_SEED } from '../../helpers/api/app.ts'
import { play, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { dataOf, fieldErrors, generalError } from './expected.ts'

const PUBLICATION_RULE = fieldErrors({ published_at: ['Only a published or archived post has a publication date'] })

scenarios('update', [
  scenario('changes only the given fields', 'PUT /api/v1/models/tag/2', 200, {
    body: { data: { color: '#000000' } },
    expect: { data: { id: 2, name: 'Ferries', slug: 'ferries', color: '#000000' } },
    check: async (_, app) => {
      const expected = { id: 2, name: 'Ferries', slug: 'ferries', color: '#000000' }
      assert.deepEqual(await dataOf(app, 'GET /api/v1/models/tag/2'), expected)
      assert.equal((await dataOf(app, 'GET /api/v1/models/tag/1')).color, '#d9822b')
      const reopened = await app.reopen()
      assert.deepEqual(await dataOf(reopened, 'GET /api/v1/models/tag/2'), expected)
      await reopened.app.close()
    },
  }),
  scenario('moves updated_at and leaves created_at', 'PUT /api/v1/models/post/1', 200, {
    given: async (app) => app.advance(90_000),
    body: { data: { title: 'Welcome aboard' } },
    events: { 'update post': 1, 'create historyentry': 1 },
    expectPart: {
      data: { title: 'Welcome aboard', created_at: '2026-01-15T12:00:00.000Z', updated_at: '2026-01-15T12:01:30.000Z' },
    },
  }),
  scenario('changes updated_at even within the moment of creation', 'PUT /api/v1/models/post/1', 200, {
    body: { data: { title: 'Welcome aboard' } },
    check: ({ json }) => assert.notEqual(json.data.updated_at, '2026-01-15T12:00:00.000Z'),
  }),
  scenario('answers with the record as it is now, related records included, as a read does', 'PUT /api/v1/models/post/1', 200, {
    body: { data: { author_id: 2, category_id: null, tags: [3, { id: 1 }] } },
    expectPart: { data: { author_id: 2, author: { username: 'm.keller' }, category_id: null, category: null } },
    check: async ({ json }, app) => {
      assert.deepEqual(new Set(json.data.tags.map(({ name }: { name: string }) => name)), new Set(['Lighthouse', 'Sailing']))
      assert.deepEqual(json.data, await dataOf(app, 'GET /api/v1/models/post/1'))
    },
  }),
  scenario('empties a many-to-many', 'PUT /api/v1/models/post/2', 200, {
    body: { data: { tags: [] } },
    expectPart: { data: { tags: [] } },
  }),
  scenario("accepts the record's own unique value", 'PUT /api/v1/models/tag/2', 200, {
    body: { data: { slug: 'ferries', name: 'Ferries' } },
  }),
  scenario('wants data', 'PUT /api/v1/models/tag/2', 400, {
    body: { color: '#000000' },
    expect: fieldErrors({ data: ['data is mandatory'] }),
  }),
  scenario('reports an unknown field as such', 'PUT /api/v1/models/tag/2', 400, {
    body: { data: { colour: '#000000' } },
    expect: fieldErrors({ colour: ["Field 'colour' does not exist"] }),
  }),
  scenario('rejects id and timestamps', 'PUT /api/v1/models/post/1', 400, {
    body: { data: { id: 99, created_at: '2020-01-01T00:00:00Z', updated_at: '2020-01-01T00:00:00Z', title: 'Changed' } },
    check: async ({ json }, app) => {
      assert.deepEqual(Object.keys(json.detail.error).sort(), ['created_at', 'id', 'updated_at'])
      assert.equal((await dataOf(app, 'GET /api/v1/models/post/1')).title, 'Welcome to The Harbour Journal')
    },
  }),
  scenario('reports every field that is wrong', 'PUT /api/v1/models/post/1', 400, {
    body: { data: { title: null, rating: 6, slug: 'winter-opening-hours', category_id: 99 } },
    expect: fieldErrors({
      title: ['title is mandatory'],
      rating: ['rating must be less than or equal to 5'],
      slug: ['slug must be unique'],
      category_id: ['category_id references a non-existent record'],
    }),
  }),
])

scenarios('update, step by step', [
  scenario('1: wants a registered model, before anything else', 'PUT /api/v1/models/spaceship/1', 400, {
    body: { data: { name: 'x' }, form_id: 'NoSuchForm' },
    check: ({ json }) => {
      assert.deepEqual(Object.keys(json), ['detail'])
      assert.equal(typeof json.detail.error, 'string')
      assert.match(json.detail.error, /spaceship/)
      assert.match(json.detail.error, /does not exist/)
    },
  }),
  scenario('2: applies allowed_update_fields, whatever creation_fields says', 'PUT /api/v1/models/comment/17', 200, {
    body: { data: { is_approved: true }, form_id: 'CommentModerationForm' },
    expectPart: { data: { is_approved: true } },
  }),
  scenario('3: names every field outside allowed_update_fields', 'PUT /api/v1/models/post/1', 400, {
    body: { data: { author_id: 2, views_count: 5, title: 'Fine' }, form_id: 'PostForm' },
    expect: fieldErrors({
      author_id: ["Field 'author_id' is not allowed to be updated"],
      views_count: ["Field 'views_count' is not allowed to be updated"],
    }),
  }),
  scenario('3 comes before 4: a wrong key is reported before a missing record', 'PUT /api/v1/models/user/999', 400, {
    body: { data: { username: 'changed' }, form_id: 'UserCreateForm' },
    expect: fieldErrors({ username: ["Field 'username' is not allowed to be updated"] }),
  }),
  scenario('3 comes before 6: a wrong key is reported before a wrong value', 'PUT /api/v1/models/post/42', 400, {
    body: { data: { author_id: 2, is_featured: true }, form_id: 'PostForm' },
    expectPart: { detail: { error: { author_id: ["Field 'author_id' is not allowed to be updated"] } } },
  }),
  scenario('4: wants a record that is there', 'PUT /api/v1/models/user/999', 400, {
    body: { data: { first_name: 'Nobody' } },
    expect: generalError('User with ID 999 does not exist'),
  }),
  scenario('4: wants a record that is there, with a form too', 'PUT /api/v1/models/user/999', 400, {
    body: { data: { first_name: 'Nobody' }, form_id: 'UserCreateForm' },
    expect: generalError('User with ID 999 does not exist'),
  }),
  scenario('5: evaluates the rules on fields that are not updated', 'PUT /api/v1/models/post/42', 400, {
    body: { data: { published_at: '2026-01-01T00:00:00Z' }, form_id: 'PostForm' },
    expect: PUBLICATION_RULE,
  }),
  scenario('5: evaluates the rules on the stored value when another field changes', 'PUT /api/v1/models/post/1', 400, {
    body: { data: { status: 'draft' }, form_id: 'PostForm' },
    expect: PUBLICATION_RULE,
  }),
  scenario('5: prefers update values to stored ones', 'PUT /api/v1/models/post/1', 200, {
    body: { data: { status: 'draft', published_at: null }, form_id: 'PostForm' },
    expectPart: { data: { status: 'draft', published_at: null } },
  }),
  scenario('5: finds required fields in the stored record', 'PUT /api/v1/models/post/42', 200, {
    body: { data: { summary: 'Shorter' }, form_id: 'PostForm' },
    expectPart: { data: { summary: 'Shorter', title: 'Who was Captain Abernathy?' } },
  }),
  scenario('6: passes the merged record to the TypeScript validation', 'PUT /api/v1/models/post/42', 400, {
    body: { data: { status: 'published' }, form_id: 'PostQuickEditForm' },
    expect: fieldErrors({ published_at: ['A published post needs a publication date'] }),
  }),
  scenario('6: runs no form validation without form_id', 'PUT /api/v1/models/post/42', 200, {
    body: { data: { published_at: '2026-01-01T00:00:00Z', views_count: 3, author_id: 4 } },
    expectPart: { data: { status: 'draft', views_count: 3, author: { username: 'jduarte' } } },
  }),
  scenario('7: writes nothing when validation fails', 'PUT /api/v1/models/post/42', 400, {
    body: { data: { title: 'Changed', published_at: '2026-01-01T00:00:00Z' }, form_id: 'PostForm' },
    check: async (_, app) => {
      const post = await dataOf(app, 'GET /api/v1/models/post/42')
      assert.deepEqual([post.title, post.updated_at], ['Who was Captain Abernathy?', '2026-01-15T12:00:00.000Z'])
    },
  }),
])

const login = (username: string, password: string, status: number) =>
  ({ request: 'POST /api/v1/auth/token', as: null, body: { username, password }, status }) as const

scenarios('update of a user', [
  scenario('keeps a password that is not sent', 'PUT /api/v1/models/user/3', 200, {
    body: { data: { first_name: 'Annika' } },
    expectPart: { data: { first_name: 'Annika' } },
    check: async ({ json }, app) => {
      assert.equal('password' in json.data, false)
      await play(app, login('anna.lind', 'lighthouse-keys-17', 200))
    },
  }),
  scenario('does not require the password again where a form requires it', 'PUT /api/v1/models/user/6', 200, {
    body: { data: { bio: 'Reads everything.' }, form_id: 'UserCreateForm' },
    expectPart: { data: { bio: 'Reads everything.' } },
    check: async (_, app) => void (await play(app, login('tomasz', 'quiet-moderator-5', 200))),
  }),
  scenario('changes the password that is sent', 'PUT /api/v1/models/user/3', 200, {
    body: { data: { password: 'new-keys-of-the-light' } },
    check: async (_, app) => {
      await play(app, login('anna.lind', 'lighthouse-keys-17', 401))
      await play(app, login('anna.lind', 'new-keys-of-the-light', 200))
    },
  }),
  scenario('checks a new password against its limits', 'PUT /api/v1/models/user/3', 400, {
    body: { data: { password: 'short' } },
    expect: fieldErrors({ password: ['password must be at least 8 characters long'] }),
    check: async (_, app) => void (await play(app, login('anna.lind', 'lighthouse-keys-17', 200))),
  }),
  scenario('rejects an empty password, which is not none', 'PUT /api/v1/models/user/3', 400, {
    body: { data: { password: '' } },
    expect: fieldErrors({ password: ['password must be at least 8 characters long'] }),
  }),
])

const CREATION_FIELDS = {
  files: {
    'models/note.yaml':
      'name: Note\nfields:\n  - { name: title, type: string }\n  - { name: pinned, type: boolean, default: false }\n',
    'views/note.yaml': `
- { name: NoteForm, view_type: form, model: Note, fields: [{ name: title }, { name: pinned }], creation_fields: [title] }
- { name: OpenForm, view_type: form, model: Note, fields: [{ name: title }] }
`,
    'seed/note.yaml': '- { title: First }\n',
    ...ADMIN_SEED,
  },
}

scenarios('update under a form with creation_fields alone', CREATION_FIELDS, [
  scenario('uses creation_fields', 'PUT /api/v1/models/note/1', 400, {
    body: { data: { pinned: true, title: 'x' }, form_id: 'NoteForm' },
    expect: fieldErrors({ pinned: ["Field 'pinned' is not allowed to be updated"] }),
  }),
  scenario('accepts the fields of creation_fields', 'PUT /api/v1/models/note/1', 200, {
    body: { data: { title: 'x' }, form_id: 'NoteForm' },
    expect: { data: { id: 1, title: 'x', pinned: false } },
  }),
  scenario('restricts nothing under a form without either list', 'PUT /api/v1/models/note/1', 200, {
    body: { data: { title: 'x', pinned: true }, form_id: 'OpenForm' },
    expect: { data: { id: 1, title: 'x', pinned: true } },
  }),
])

const KEPT_SECRET = {
  files: {
    'models/account.yaml': `
name: Account
fields:
  - { name: name, type: string }
  - { name: pin, type: password, required: true, max_length: 10, pattern: '^[0-9]+$' }
`,
    'views/account.yaml': `
name: AccountForm
view_type: form
model: Account
fields: [{ name: name }, { name: pin, required: true, options: { max_length: 6 } }]
rules: [{ rule: 'self.pin != null', field: pin, message: There is no pin }]
`,
    'seed/account.yaml': '- { name: First, pin: "1234" }\n',
    ...ADMIN_SEED,
  },
}

scenarios('update beside a kept secret', KEPT_SECRET, [
  scenario(
    'does not check the stored hash against limits of model or form, nor require a password again',
    'PUT /api/v1/models/account/1',
    200,
    { body: { data: { name: 'Changed' }, form_id: 'AccountForm' }, expect: { data: { id: 1, name: 'Changed' } } },
  ),
  scenario('checks a password that is sent against all of them', 'PUT /api/v1/models/account/1', 400, {
    body: { data: { pin: 'Seventeen letters' }, form_id: 'AccountForm' },
    expect: fieldErrors({
      pin: ['pin must be at most 10 characters long', 'pin format is invalid', 'pin must be at most 6 characters long'],
    }),
  }),
])
