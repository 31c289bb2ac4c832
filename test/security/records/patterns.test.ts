import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from '../../helpers/api/app.ts'
import { play } from '../../helpers/api/scenario.ts'

const ADMIN = '- { username: admin, email: a@example.com, password: long-enough, is_superuser: true }\n'
const project = (pattern: string, view?: object) => ({
  'models/note.json': JSON.stringify({ name: 'Note', fields: [{ name: 'title', type: 'string', pattern }] }),
  ...(view === undefined ? {} : { 'views/note.json': JSON.stringify(view) }),
  'seed/user.yaml': ADMIN,
})

/** Far more than a linear engine needs on a slow machine, far less than the age of the universe. */
const SOON_MS = 5000

test('exponential patterns take linear time on 50,000 characters: in a model, in a form, in a rule', async () => {
  const rule = "!self.title.matches('^(b+)+$')"
  const fields = [{ name: 'title', options: { pattern: '^(a|aa)+$' } }]
  const view = { name: 'F', view_type: 'form', model: 'Note', fields, rules: [{ rule, field: 'title', message: 'never' }] }
  await using app = await openTestApp({ files: project('^(a+)+$', view) })
  const start = performance.now()
  for (const letter of ['a', 'b']) {
    await play(app, {
      request: 'POST /api/v1/models/note',
      body: { data: { title: `${letter.repeat(50_000)}!` }, form_id: 'F' },
      status: 400,
      check: ({ json }) => assert.ok(json.detail.error.title.includes('title format is invalid')),
    })
  }
  const body = { data: { title: 'a'.repeat(50_000) }, form_id: 'F' }
  await play(app, { request: 'POST /api/v1/models/note', body, status: 201 })
  const took = performance.now() - start
  assert.ok(took < SOON_MS, `it took ${took} ms`)
})

for (const pattern of ['^(?=(a+))\\1$', '(a)\\1', '(?<!a)b', '^(a{1000}){1000}$']) {
  test(`a pattern that cannot run in linear time stops the start: ${pattern}`, () =>
    assert.rejects(openTestApp({ files: project(pattern) }), /models\/note\.json:1:\d+: .*pattern/))
}

for (const [place, view] of [
  ['form', { fields: [{ name: 'title', options: { pattern: '(a)\\1' } }] }],
  ['rule', { fields: [{ name: 'title' }], rules: [{ rule: "self.title.matches('(?=a)b')", field: 'title', message: 'never' }] }],
] as const) {
  test(`a pattern that cannot run in linear time stops the start: in a ${place}`, () => {
    const files = project('^a', { name: 'F', view_type: 'form', model: 'Note', ...view })
    return assert.rejects(openTestApp({ files }), /views\/note\.json:1:\d+: .*exponential time/)
  })
}

test('a rule is violated by a pattern of a record that cannot run in linear time', async () => {
  const rules = [{ rule: "!'a'.matches(self.title)", field: 'title', message: 'no pattern' }]
  const view = { name: 'F', view_type: 'form', model: 'Note', fields: [{ name: 'title' }], rules }
  await using app = await openTestApp({ files: project('.', view) })
  for (const [title, status] of [
    ['b', 201],
    ['(?=b)', 400],
  ] as const) {
    await play(app, { request: 'POST /api/v1/models/note', body: { data: { title }, form_id: 'F' }, status })
  }
})
