import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type LintRule, unmark } from '../../src/lint/rule.ts'
import { RULES } from '../../src/lint/rules.ts'
import { isSettable } from '../../src/model/field.ts'
import { lintProject } from '../../src/project/lint.ts'
import { loadProject } from '../../src/project/project.ts'
import type { Form } from '../../src/validate/form.ts'
import { makeProject } from '../helpers/fixture.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { EXAMPLE_MODELS } from './projects.ts'

const INTRO = 'name: PostForm\nview_type: form\nmodel: Post\n'

/** The text of a file after `--fix`, the number of fixed findings, and the rules of those left. */
async function fixed(file: string, text: string): Promise<{ text: string; count: number; left: string[] }> {
  await using project = await makeProject({ ...EXAMPLE_MODELS, [file]: text })
  const source = { folder: project.path, env: {}, flags: {} }
  const { fixed: count, findings } = await lintProject(source, { cwd: project.path, fix: true })
  const left = findings.filter((finding) => finding.file === file).map(({ rule }) => rule)
  return { text: await readFile(join(project.path, file), 'utf8'), count, left }
}

describe('a fix preserves comments and layout', () => {
  const rows: readonly { name: string; before: string; after: string; count: number }[] = [
    {
      name: 'a title in a flow mapping',
      before: 'fields:   # all of them\n  - { name: body,   widget: textarea }   # long\n',
      after: 'fields:   # all of them\n  - { name: body, title: Body,   widget: textarea }   # long\n',
      count: 1,
    },
    {
      name: 'a title in a block mapping, after a comment',
      before: 'fields:\n  -   name: author_id   # who\n      field_type: foreignkey\n',
      after: 'fields:\n  -   name: author_id   # who\n      title: Author\n      field_type: foreignkey\n',
      count: 1,
    },
    {
      name: 'a title at the end of a file without a final line break',
      before: 'fields:\n  - name: body',
      after: 'fields:\n  - name: body\n    title: Body',
      count: 1,
    },
    {
      name: 'an empty title',
      before: "fields:\n  - { name: body, title: '' } # ?\n",
      after: 'fields:\n  - { name: body, title: Body } # ?\n',
      count: 1,
    },
    {
      name: 'CRLF line breaks',
      before: 'fields:\r\n  - name: body\r\n    widget: textarea\r\n',
      after: 'fields:\r\n  - name: body\r\n    title: Body\r\n    widget: textarea\r\n',
      count: 1,
    },
    {
      name: 'a byte order mark',
      before: '\uFEFFfields: [{ name: body }]\n',
      after: '\uFEFFfields: [{ name: body, title: Body }]\n',
      count: 1,
    },
    {
      name: 'several findings of one field, fixed in several passes',
      before: 'fields:\n  - { name: title, options: { max_length: 999, min_length: 1 } }\n',
      after: 'fields:\n  - { name: title, title: Title, options: { max_length: 200, min_length: 3 } }\n',
      count: 3,
    },
    {
      name: 'an item of a flow list: first, middle and last',
      before:
        'fields: [{ name: id, title: I, readonly: true }, { name: title, title: T }]\ncreation_fields: [id, title]   # c\nallowed_update_fields: [ title, id , title ]\n',
      after:
        'fields: [{ name: id, title: I, readonly: true }, { name: title, title: T }]\ncreation_fields: [title]   # c\nallowed_update_fields: [ title ]\n',
      count: 3,
    },
    {
      name: 'an item of a block list',
      before: 'fields: [{ name: title, title: T }]\ncreation_fields:\n  - title # one\n  # and\n  - title\n',
      after: 'fields: [{ name: title, title: T }]\ncreation_fields:\n  - title # one\n  # and\n',
      count: 1,
    },
    {
      name: 'a field that cannot be filled in',
      before: 'fields:\n  - { name: title, title: T }\n  - { name: body, title: B }\ncreation_fields: [title]\n',
      after: 'fields:\n  - { name: title, title: T }\n  - { name: body, title: B, readonly: true }\ncreation_fields: [title]\n',
      count: 1,
    },
  ]
  for (const { name, before, after, count } of rows) {
    test(name, async () => {
      const intro = before.includes('\r\n') ? INTRO.replaceAll('\n', '\r\n') : INTRO
      const whole = (rest: string) => (rest.startsWith('\uFEFF') ? `\uFEFF${intro}${rest.slice(1)}` : `${intro}${rest}`)
      assert.deepEqual(await fixed('views/post.yaml', whole(before)), { text: whole(after), count, left: [] })
    })
  }

  test('multi-line JSON stays valid JSON', async () => {
    const view = (field: string) =>
      `{\n  "name": "PostForm",\n  "view_type": "form",\n  "model": "Post",\n  "fields": [\n    {\n${field}    }\n  ]\n}\n`
    const before = view('      "name": "body",\n      "widget": "textarea"\n')
    const after = view('      "name": "body",\n      "title": "Body",\n      "widget": "textarea"\n')
    assert.deepEqual(await fixed('views/post.json', before), { text: after, count: 1, left: [] })
  })
})

describe('a fix that would lose something is not applied', () => {
  const rows: readonly { name: string; text: string; rule: string | string[] }[] = [
    {
      name: 'an item with a comment of its own',
      text: `${INTRO}fields: [{ name: title, title: T }]\ncreation_fields:\n  - title\n  - title # why?\n`,
      rule: 'view/duplicate-field',
    },
    {
      name: 'the only item of a list',
      text: `${INTRO}fields: [{ name: id, title: I, readonly: true }]\nallowed_update_fields:\n  - id\n`,
      rule: 'view/primary-key-writable',
    },
    ...['title:', 'title: 5', 'title: [a]', '"title": 5'].map((title) => ({
      name: `a malformed \`${title}\``,
      text: `${INTRO}fields:\n  - name: body\n    ${title}\n`,
      rule: ['view/missing-title', 'view/invalid'],
    })),
    {
      name: 'a malformed readonly',
      text: `${INTRO}fields:\n  - name: title\n    title: T\n  - name: body\n    title: B\n    readonly: "yes"\ncreation_fields: [title]\n`,
      rule: ['view/unreachable-field', 'view/invalid'],
    },
    {
      name: 'a malformed widget',
      text: `${INTRO.replace('Post\n', 'User\n')}fields:\n  - { name: password, title: P, widget: 3 }\n`,
      rule: ['view/password-exposed', 'view/invalid'],
    },
    {
      name: 'a pair without braces in a list',
      text: `${INTRO}fields: [name: body, { name: title, title: T }]\n`,
      rule: ['view/missing-title'],
    },
    { name: 'an explicit key (?)', text: `${INTRO}fields:\n  - ? name\n    : body\n`, rule: ['view/missing-title'] },
    {
      name: 'an aliased node',
      text: `- &form\n  name: A\n  view_type: form\n  model: Post\n  fields: &fields\n    - name: body\n- { name: B, view_type: form, model: Post, fields: *fields }\n`,
      rule: ['view/missing-title', 'view/missing-title'],
    },
    {
      name: 'an alias',
      text: `- { name: A, view_type: form, model: Post, fields: [{ name: &b body, title: &t '' }] }\n- { name: B, view_type: form, model: Post, fields: [{ name: *b, title: *t }] }\n`,
      rule: ['view/missing-title', 'view/missing-title'],
    },
    {
      name: 'a fault that prevents admin serve',
      text: `${INTRO}fields: [{ name: title, title: T }, { name: title, title: T }]\n`,
      rule: 'view/duplicate-field',
    },
  ]
  for (const { name, text, rule } of rows) {
    test(name, async () => assert.deepEqual(await fixed('views/post.yaml', text), { text, count: 0, left: [rule].flat() }))
  }
})

/** False for a field that the server sets or that hooks compute: naming it in an allow-list accepts nothing. */
const isSettableIn = ({ model }: Form, name: string): boolean => {
  const field = model.fields.get(name)
  return field === undefined || isSettable(field)
}

test('a fix never changes what a form accepts, requires or limits, and always leaves a project that can be served', async () => {
  for (const [id, { invalid }] of Object.entries<LintRule>(RULES)) {
    for (const { files } of invalid) {
      const clean = Object.fromEntries(Object.entries(files).map(([file, marked]) => [file, unmark(marked).text]))
      await using project = await makeProject({ ...EXAMPLE_MODELS, ...clean })
      const source = { folder: project.path, env: {}, flags: {} }
      const before = await loadProject(source).catch(() => undefined)
      await lintProject(source, { cwd: project.path, fix: true })
      if (before === undefined) continue
      const after = await loadProject(source)
      for (const [name, form] of before.forms) {
        const settable = (names: ReadonlySet<string> | undefined) =>
          [...(names ?? ['*'])].filter((field) => isSettableIn(form, field)).sort()
        const is = after.forms.get(name) ?? assert.fail(`${id}: ${name} is gone`)
        assert.deepEqual(settable(is.creationFields), settable(form.creationFields), id)
        assert.deepEqual(settable(is.updateFields), settable(form.updateFields), id)
        assert.deepEqual(valuesOf(is.fields, 'name', 'required'), valuesOf(form.fields, 'name', 'required'), id)
      }
    }
  }
})
