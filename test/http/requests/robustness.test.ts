import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTestApp, REFUSES_STRICTER_MODELS, type TestApp } from '../../helpers/api/app.ts'
import { play, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { USER_MODEL } from '../../helpers/user-model.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const postWith = (metadata: string): string =>
  `{"data":{"title":"Deep","slug":"deep","body":"b","author_id":1,"metadata":${metadata}}}`
const JSON_TYPE = { 'content-type': 'application/json' }

scenarios('invalid requests', [
  scenario('a value nested without end is refused at its field', 'POST /api/v1/models/post', 400, {
    rawBody: postWith(nested(200_000)),
    headers: JSON_TYPE,
    expect: { detail: { error: { metadata: ['metadata must not be nested more than 32 levels deep'] } } },
  }),
  scenario('a value nested as deep as may be', 'POST /api/v1/models/post', 201, {
    rawBody: postWith(nested(32)),
    headers: JSON_TYPE,
  }),
  scenario('a number that JSON cannot represent exactly', 'POST /api/v1/models/post', 400, {
    rawBody: postWith('{"a":1e400}'),
    headers: JSON_TYPE,
    expect: { detail: { error: { metadata: ['metadata.a is a number that cannot be kept exactly: 1e400'] } } },
  }),
  scenario('an invalid Host header', 'GET /api/v1/models/tag?page_size=1', 200, {
    headers: { host: 'a b[' },
    expectPart: { page_size: 1 },
  }),
  scenario("another program's cookies", 'GET /api/v1/models/tag', 200, { headers: { cookie: 'a={"x":1}; theme="dark, light"' } }),
  ...(['POST /api/v1/models/tag?foo=1', 'PUT /api/v1/models/tag/1?foo=1', 'DELETE /api/v1/models/tag/1?foo=1'] as const).map(
    (request) =>
      scenario('an unknown query parameter of a write', request, 400, {
        body: { data: {} },
        expect: {
          error: 'Invalid request data',
          status_code: 400,
          details: { foo: ["Unknown query parameter 'foo' (known: dry_run)"] },
        },
      }),
  ),
  scenario('a query parameter of a view', 'GET /admin/api/v1/views/?x=1', 400),
  scenario('a filter by a value that the field can never have', 'GET /api/v1/models/post?filters=status=publishd', 400, {
    expectPart: { details: { filters: ["'status' must be one of: draft, published, archived, not 'publishd'"] } },
  }),
  scenario('a foreign key called by its relation', 'GET /api/v1/models/post?filters=author=1', 400, {
    expectPart: { details: { filters: ["Unknown field 'author'; did you mean 'author_id'?"] } },
  }),
])

describe('a model that has become stricter', { skip: REFUSES_STRICTER_MODELS }, () => {
  const MODEL = (user: string, title: string) => ({
    'models/user.yaml': `${USER_MODEL}${user}`,
    'models/tag.yaml': 'name: Tag\nfields: [{ name: name, type: string, required: true }]\n',
    'models/note.yaml': `name: Note\nfields:\n  - { name: title, type: string${title} }\n  - { name: body, type: text }\n  - { name: tags, type: many_to_many, model: tag }\n`,
    'seed/user.yaml': '- { username: admin, email: a@example.com, password: long-enough, is_superuser: true }\n',
    'seed/tag.yaml': '- { name: one }\n',
    'seed/note.yaml': '- { title: A title of some length, tags: [1] }\n',
  })

  /** An application whose data was made under laxer models than it has now. */
  async function tightened(): Promise<TestApp> {
    const app = await openTestApp({ files: MODEL('', '') })
    const strict = MODEL('  - { name: phone, type: string, required: true }\n', ', max_length: 5')
    for (const [name, text] of Object.entries(strict)) await writeFile(join(app.folder.path, name), text)
    return app.reopen()
  }

  test('does not prevent logins, changes of other fields, or deletion of the referenced record', async () => {
    const app = await tightened()
    try {
      const body = { username: 'admin', password: 'long-enough' }
      await play(app, { request: 'POST /api/v1/auth/token', as: null, body, status: 200 })
      await play(app, { request: 'PUT /api/v1/models/note/1', body: { data: { body: 'More.' } }, status: 200 })
      await play(app, { request: 'DELETE /api/v1/models/tag/1', status: 200 })
      await play(app, {
        request: 'GET /api/v1/models/note/1',
        status: 200,
        expect: { data: { id: 1, title: 'A title of some length', body: 'More.', tags: [] } },
      })
      await play(app, {
        request: 'PUT /api/v1/models/note/1',
        body: { data: { title: 'Still too long' } },
        status: 400,
        expect: { detail: { error: { title: ['title must be at most 5 characters long'] } } },
      })
    } finally {
      await app.close()
    }
  })
})

describe("a form's own validate()", () => {
  for (const [what, returned] of [
    ['a promise', "Promise.resolve({ title: 'never good' })"],
    ['a text', "'nonsense'"],
    ['a number for a message', '{ title: 5 }'],
  ] as const) {
    test(`that returns ${what} rejects the record`, async () => {
      await using app = await openTestApp({
        files: {
          'models/note.yaml': 'name: Note\nfields: [{ name: title, type: string }]\n',
          'views/note.js': `export default { name: 'NoteForm', view_type: 'form', model: 'Note', fields: [{ name: 'title' }], validate: () => (${returned}) }\n`,
          'seed/user.yaml': '- { username: admin, email: a@example.com, password: long-enough, is_superuser: true }\n',
        },
      })
      const body = { data: { title: 'x' }, form_id: 'NoteForm' }
      await play(app, { request: 'POST /api/v1/models/note', body, status: 500 })
      assert.match(String(app.reported[0]), /validate\(\) of the form 'NoteForm' must return messages by field or nothing, not/)
      await play(app, { request: 'GET /api/v1/models/note', status: 200, expectPart: { total: 0 } })
    })
  }
})
