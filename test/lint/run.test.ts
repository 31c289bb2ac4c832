import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ConfigError, formatFault } from '../../src/config/fault.ts'
import { RULE_IDS } from '../../src/lint/rules.ts'
import { lintProject } from '../../src/project/lint.ts'
import { loadProject } from '../../src/project/project.ts'
import { seedFaults } from '../../src/transfer/seed.ts'
import { copyFixture, makeProject } from '../helpers/fixture.ts'
import { assertSnapshot } from '../helpers/snapshot.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { FAULTY } from './faulty.ts'
import { EXAMPLE_MODELS, type Files, lineOf, lintFiles, placeOf } from './projects.ts'

describe('a project that violates every rule', () => {
  test('every finding is reported in one run', async () => {
    const { findings } = await lintFiles(FAULTY)
    assertSnapshot(`${findings.map(lineOf).join('\n')}\n`, join(import.meta.dirname, 'snapshots/faulty.txt'))
    const found = new Set(findings.map(({ rule }) => rule))
    const fromFiles = RULE_IDS.filter((id) => !/^(contract|data|seed)\//.test(id))
    assert.deepEqual(
      fromFiles.filter((id) => !found.has(id)),
      [],
    )
  })

  test('no finding is reported twice', async () => {
    const { findings } = await lintFiles(FAULTY)
    const places = findings.map((finding) => `${placeOf(finding)} ${finding.rule}`)
    assert.deepEqual(
      places.filter((place, index) => places.indexOf(place) < index),
      [],
    )
  })

  test('faults that prevent admin serve have the same text in lint', async () => {
    await using project = await makeProject(FAULTY)
    const source = { folder: project.path, env: {}, flags: {} }
    const { findings } = await lintProject(source, { cwd: project.path })
    const stopping = findings.filter(({ stopsServe }) => stopsServe)
    const refusal = await loadProject(source).then(
      () => assert.fail('it was loaded'),
      (error: unknown) => error,
    )
    assert.ok(refusal instanceof ConfigError, String(refusal))
    assert.deepEqual(
      stopping.map(({ file, line, column, rule, message }) => [`${file}:${line}:${column}: ${message}`, rule]).sort(),
      refusal.faults.map((fault) => [formatFault(fault), fault.rule]).sort(),
    )
    assert.ok(
      stopping.every(({ severity }) => severity === 'error'),
      'every finding that prevents a start is an error',
    )
  })
})

describe('follow-on errors are left out', () => {
  const view =
    'name: NoteForm\nview_type: form\nmodel: Note\nfields:\n  - { name: text, title: Text }\n  - { name: more, title: More }\n'
  const task = 'name: Task\nfields:\n  - { name: note_id, type: foreignkey, model: note }\n'
  const rows: readonly (readonly [what: string, files: Files, rule: string])[] = [
    [
      'of a model that is defined twice',
      {
        'models/a.yaml': 'name: Note\nfields:\n  - { name: text, type: string }\n',
        'models/b.yaml': 'name: NOTE\nfields:\n  - { name: more, type: string }\n',
      },
      'model/invalid',
    ],
    ['of a model with an invalid name', { 'models/a.yaml': 'name: My Note\nfields: []\n' }, 'model/invalid'],
    ['of a model without a list of fields', { 'models/a.yaml': 'name: Note\nfields: { text: string }\n' }, 'model/invalid'],
  ]
  for (const [what, files, rule] of rows) {
    test(what, async () => {
      const { findings } = await lintFiles({
        ...files,
        'models/task.yaml': task,
        'views/note.yaml': view,
        'seed/note.yaml': '[]\n',
      })
      const errors = findings.filter(({ severity }) => severity === 'error')
      assert.deepEqual(valuesOf(errors, 'rule'), [rule], errors.map(lineOf).join('\n'))
    })
  }
})

test('the projects of fixtures/ have no findings but notes', async () => {
  for (const name of ['blog', 'clinic', 'minimal'] as const) {
    await using project = await copyFixture(name)
    const { findings } = await lintProject({ folder: project.path, env: {}, flags: {} }, { cwd: project.path, seedFaults })
    assert.deepEqual(findings.filter(({ severity }) => severity !== 'note').map(lineOf), [])
  }
})

test('the largest size of a file is that of the environment where it has one; a seed has no more files than its field', async () => {
  await using project = await makeProject({
    'models/note.yaml':
      'name: Note\nfields:\n  - { name: title, type: string }\n  - { name: papers, type: file, multiple: true, max_files: 2, max_size: 2 MiB }\n',
    'seed/note.yaml': '- { papers: [a.txt, b.txt, c.txt] }\n',
  })
  const env = { ADMIN_FILES__MAX_SIZE: '1 MiB' }
  const { findings } = await lintProject({ folder: project.path, env, flags: {} }, { cwd: project.path, seedFaults })
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'error').map(({ rule, message }) => [rule, message]),
    [
      ['model/file-size', "max_size of 'papers' is 2 MiB, above files.max_size of the settings, 1 MiB"],
      ['seed/invalid-record', 'papers must have at most 2 files'],
    ],
  )
})

const untitled = (comment = ''): string =>
  `- { name: PostList, view_type: list, model: Post, fields: [] }
- name: PostForm
  view_type: form
  model: Post
  fields:
${comment}    - { name: title }
    - { name: body, title: Text }
`

const base = {
  'models/post.yaml': EXAMPLE_MODELS['models/example.yaml']?.split('- name: Tag')[0]?.replace(/.*tag }\n/, '') ?? '',
}

describe('severities of rules', () => {
  const rows: readonly { name: string; settings: string; expected: readonly string[] }[] = [
    { name: 'nothing', settings: '{}', expected: ['warn'] },
    { name: 'off', settings: '{ view/missing-title: off }', expected: [] },
    { name: 'error', settings: '{ view/missing-title: error }', expected: ['error'] },
    { name: 'another rule', settings: '{ view/no-form: off }', expected: ['warn'] },
  ]
  for (const { name, settings, expected } of rows) {
    test(`severity: ${name}`, async () => {
      const files = { ...base, 'views/post.yaml': untitled(), 'admin.config.yaml': `lint: { rules: ${settings} }\n` }
      const { findings } = await lintFiles(files)
      assert.deepEqual(valuesOf(findings, 'severity'), expected)
    })
  }

  test('apply also when another setting is faulty', async () => {
    const settings = 'port: x\nlint: { rules: { view/missing-title: off } }\n'
    const { findings } = await lintFiles({ ...base, 'views/post.yaml': untitled(), 'admin.config.yaml': settings })
    assert.deepEqual(valuesOf(findings, 'rule'), ['config/invalid'])
  })

  test('a fault that prevents admin serve stays an error', async () => {
    const files = {
      ...base,
      'views/post.yaml': untitled('    # admin-lint-disable-next-line view/unknown-field\n    - { name: titel }\n'),
      'admin.config.yaml': 'lint: { rules: { view/unknown-field: off, view/missing-title: off } }\n',
    }
    const { findings } = await lintFiles(files)
    assert.deepEqual(valuesOf(findings, 'rule', 'severity'), [['view/unknown-field', 'error']])
    assert.match(findings[0]?.message ?? '', /; this prevents the start, so lint\.rules cannot turn it off$/)
  })

  const comments: readonly { name: string; comment: string; count: number }[] = [
    { name: 'the rule', comment: '    # admin-lint-disable-next-line view/missing-title\n', count: 0 },
    { name: 'several rules', comment: '    # admin-lint-disable-next-line view/no-form, view/missing-title\n', count: 0 },
    {
      name: 'two directives, one above the other',
      comment: '# admin-lint-disable-next-line view/missing-title\n# admin-lint-disable-next-line view/no-form\n',
      count: 0,
    },
    { name: 'another rule', comment: '    # admin-lint-disable-next-line view/no-form\n', count: 1 },
    { name: 'a line further up', comment: '    # admin-lint-disable-next-line view/missing-title\n\n', count: 1 },
    {
      name: 'the rule, for a reason',
      comment: '    # admin-lint-disable-next-line view/missing-title because legacy, see a/b\n',
      count: 0,
    },
    {
      name: 'the rule -- for a reason',
      comment: '    # admin-lint-disable-next-line view/missing-title -- view/no-form\n',
      count: 0,
    },
    { name: 'a reason alone', comment: '    # admin-lint-disable-next-line -- view/missing-title\n', count: 1 },
    { name: 'no rule', comment: '    # admin-lint-disable-next-line\n', count: 1 },
  ]
  for (const { name, comment, count } of comments) {
    test(`suppression directive: ${name}`, async () => {
      const { findings } = await lintFiles({ ...base, 'views/post.yaml': untitled(comment) })
      assert.equal(findings.filter(({ rule }) => rule === 'view/missing-title').length, count)
      assert.equal(findings.filter(({ rule }) => rule === 'config/unknown-rule').length, 0)
    })
  }

  test('a comment that disables an unknown rule is reported, with similar names and in lists', async () => {
    const comment = '    # admin-lint-disable-next-line missing-title, no-form view/zzz reason\n'
    const { findings } = await lintFiles({ ...base, 'views/post.yaml': untitled(comment) })
    const found = findings.filter(({ rule }) => rule === 'config/unknown-rule')
    assert.deepEqual(valuesOf(found, 'column'), [36, 51, 59])
  })

  test('a similar text within a string is not a comment', async () => {
    const text = (mark: string) =>
      `      help_text: ${mark}\n        # admin-lint-disable-next-line view/zzz\n        # admin-lint-disable-next-line view/yyy`
    const view = untitled().replace('    - { name: title }\n', `    - name: title\n      title: Title\n${text('|')}\n`)
    const quotes = `${view.replace('{ name: body, title: Text }', `name: body\n      title: Text\n${text('"')}"`)}`
    assert.deepEqual((await lintFiles({ ...base, 'views/post.yaml': quotes })).findings.map(lineOf), [])
  })
})

test('a finding in TypeScript has the position of the call that made the definition', async () => {
  const { findings } = await lintFiles({
    'models/post.ts':
      "import { defineModel } from 'admin-folder'\nexport const Post = defineModel({ name: 'Post', fields: [{ name: 'title', type: 'string' }] })\nexport default Post\n",
    'views/post.ts': `import { defineFormView, defineListView } from 'admin-folder'
import { Post } from '../models/post.ts'

const form = defineFormView(Post, { name: 'PostForm', fields: [{ name: 'title' }] })
export default [form, defineListView(Post, { name: 'PostList', fields: [] })]
`,
  })
  assert.deepEqual(findings.map(lineOf), [
    "views/post.ts:4:14-4:28 warn view/missing-title: 'title' has no title; add one, such as 'Title'",
  ])
  assert.equal(findings[0]?.fix, undefined)
})

test('a malformed part does not hide findings in other parts', async () => {
  const view = untitled().replace('title: Text', 'titel: Text').replace('form\n', 'form\n  ruels: []\n')
  const { findings } = await lintFiles({ ...base, 'views/post.yaml': view })
  assert.deepEqual(valuesOf(findings, 'rule', 'line'), [
    ['view/invalid', 4],
    ['view/missing-title', 7],
    ['view/missing-title', 8],
    ['view/invalid', 8],
  ])
})

test('a faulty field of the model causes no finding in a view', async () => {
  const { findings } = await lintFiles({
    'models/note.yaml': 'name: Note\nfields:\n  - { name: size, type: nmber }\n',
    'views/note.yaml':
      '- { name: A, view_type: form, model: Note, fields: [{ name: size, title: Size, field_type: number }] }\n- { name: B, view_type: list, model: Note, fields: [] }\n',
  })
  assert.deepEqual(valuesOf(findings, 'rule'), ['model/invalid'])
})

test('a model is not reported as having no view if a file of views cannot be read', async () => {
  const { findings } = await lintFiles({
    ...base,
    'views/list.yaml': untitled().split('- name: PostForm')[0] ?? '',
    'views/form.yaml': '{',
  })
  assert.deepEqual([...new Set(findings.map(({ rule }) => rule))], ['file/invalid'])
})

test('a model is not reported as unknown if a file of models cannot be read', async () => {
  const files = {
    'models/note.yaml': 'name: Note\nfields:\n  - { name: z_id, type: foreignkey, model: z }\n',
    'views/z.yaml':
      '[{ name: ZForm, view_type: form, model: Z, fields: [] }, { name: A, view_type: list, model: Z, fields: [] }]\n',
    'seed/z.yaml': '[]\n',
    'admin.config.yaml':
      'webhooks: [{ url: "https://example.com", models: [z] }]\nlint: { rules: { view/no-form: off, view/no-list: off } }\n',
  }
  const rulesOf = async (more: Files) => (await lintFiles({ ...files, ...more })).findings.map(({ rule }) => rule)
  assert.deepEqual([...new Set(await rulesOf({ 'models/z.yaml': 'name: [\n' }))], ['file/invalid'])
  const slip = { 'models/z.yaml': 'name: [\n', 'seed/nose.yaml': '[]\n' }
  assert.equal((await rulesOf(slip)).length, 2, 'a probable typing error is reported nevertheless')
  const missed = ['config/invalid', 'model/unknown-relation', 'file/invalid', 'view/unknown-model', 'view/unknown-model']
  assert.deepEqual(await rulesOf({}), missed)
})

test('findings of a field listed twice are reported for the first', async () => {
  const { findings } = await lintFiles({ ...base, 'views/post.yaml': untitled('    - { name: title }\n') })
  assert.deepEqual(valuesOf(findings, 'rule', 'line'), [
    ['view/missing-title', 6],
    ['view/duplicate-field', 7],
  ])
})

test('views made by one call share their findings', async () => {
  const { findings } = await lintFiles({
    ...base,
    'views/post.ts': `import { defineFormView, defineListView } from 'admin-folder'

const forms = ['A', 'B'].map((name) => defineFormView({ name, model: 'Post', fields: [{ name: 'title' }] }))
export default [...forms, defineListView({ name: 'C', model: 'Post', fields: [] })]
`,
  })
  assert.deepEqual(findings.map(lineOf), [
    "views/post.ts:3:40-3:54 warn view/missing-title: 'title' has no title; add one, such as 'Title'",
  ])
})
