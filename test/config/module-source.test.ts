import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { callSiteOf, markCallSite } from '../../src/config/call-site.ts'
import { defineModel } from '../../src/model/define.ts'
import { loadProject } from '../../src/service/project.ts'
import { makeProject } from '../helpers/fixture.ts'
import { viewsFor } from '../views/views.ts'
import { assertFaults, type Files, faultsOf, load } from './projects.ts'

describe('modules that cannot be used', () => {
  const rows: readonly { name: string; files: Files; messages: string[] }[] = [
    { name: 'throws', files: { 'models/a.ts': "throw »new Error('boom')\n" }, messages: ['Cannot be loaded: boom'] },
    {
      name: 'throws, in JavaScript',
      files: { 'models/a.js': "throw »new Error('boom')\n" },
      messages: ['Cannot be loaded: boom'],
    },
    { name: 'throws what is no error', files: { 'models/a.js': "»throw 'boom'\n" }, messages: ['Cannot be loaded: boom'] },
    {
      name: 'throws a message of several lines',
      files: { 'models/a.js': "throw »new Error('boom\\nbang')\n" },
      messages: ['Cannot be loaded: boom'],
    },
    {
      name: 'throws in the config',
      files: { 'admin.config.ts': "throw »new Error('boom')\n" },
      messages: ['Cannot be loaded: boom'],
    },
    {
      name: 'throws further down',
      files: { 'models/a.ts': "function make(): never {\n  throw »new Error('boom')\n}\n\nexport default make()\n" },
      messages: ['Cannot be loaded: boom'],
    },
    {
      name: 'throws without saying so',
      files: { 'models/a.js': 'const tag = undefined\nexport default tag.»name\n' },
      messages: ['Cannot be loaded: Cannot read properties of undefined…'],
    },
    {
      name: 'calls what throws in another file',
      files: {
        'lib/make.ts': "export function make(): never {\n  throw new Error('boom')\n}\n",
        'models/a.ts': "import { make } from '../lib/make.ts'\n\nexport default »make()\n",
      },
      messages: ['Cannot be loaded: boom'],
    },
    {
      name: 'imports what throws',
      files: { 'lib/boom.ts': "throw new Error('boom')\n", 'models/a.ts': "»import '../lib/boom.ts'\nexport default {}\n" },
      messages: ['Cannot be loaded: boom'],
    },
    {
      name: 'imports what is not there',
      files: { 'models/a.ts': "»import x from './nope.ts'\nexport default x\n" },
      messages: ['Cannot be loaded: Cannot find module …'],
    },
    {
      name: 'exports nothing as default',
      files: { 'models/a.ts': '»export const Tag = {}\n', 'views/a.js': '»export {}\n' },
      messages: Array<string>(2).fill('Nothing is exported as default; write `export default …`'),
    },
    {
      name: 'exports null',
      files: { 'models/a.ts': '»export default null\n' },
      messages: ['The definition must be a mapping of keys to values'],
    },
    {
      name: 'exports text',
      files: { 'models/a.ts': "»export default 'Tag'\n" },
      messages: ['The definition must be a mapping of keys to values'],
    },
    {
      name: 'exports a function',
      files: { 'views/a.ts': '»export default () => 1\n' },
      messages: ["'view_type' must be form or list"],
    },
  ]
  for (const { name, files, messages } of rows) test(name, () => assertFaults(files, messages))

  test('a syntax error in TypeScript says what it is, and stands where it is', () =>
    assertFaults({ 'models/a.ts': 'export default {\n  name: "Tag",\n  fields: [»}\n' }, ['Cannot be loaded: Unexpected "}"']))

  test('a syntax error in JavaScript says what it is', () =>
    assertFaults({ 'models/a.js': '»export default {\n  name: "Tag",\n  fields: [}\n' }, [
      "Cannot be loaded: Unexpected token '}'",
    ]))

  test('a syntax error in a file that is imported says what it is', async () => {
    const files = { 'lib/parts.ts': 'export const = 1\n', 'models/a.ts': "import '../lib/parts.ts'\nexport default {}\n" }
    const [line, ...others] = await faultsOf(files)
    assert.deepEqual(others, [])
    assert.match(line ?? '', /^models\/a\.ts:1:1: Cannot be loaded: .*Expected identifier/)
  })

  for (const file of ['models/a.ts', 'models/a.js']) {
    test(`${file} that throws in a project whose path has a space`, () =>
      assertFaults({ [`/my project/${file}`]: "\nthrow »new Error('boom')\n" }, ['Cannot be loaded: boom'], {
        inside: '/my project/',
      }))
  }
})

test('a definition that is frozen is a definition', async () => {
  const { registry } = await load({
    'models/tag.ts':
      "import { defineModel } from 'admin-backend'\n" +
      "export default defineModel(Object.freeze({ name: 'Tag', fields: [{ name: 'name', type: 'string' }] }))\n",
  })
  assert.ok(registry.get('tag')?.fields.has('name'))
})

test('a definition that is frozen keeps its call site', () =>
  assertFaults(
    {
      'models/tag.ts':
        "import { defineModel } from 'admin-backend'\n\n" +
        "export default »defineModel(Object.freeze({ name: 'Tag', fields: [{ name: 'a', type: 'strng' as 'text' }] }))\n",
    },
    ["Unknown type 'strng'; did you mean 'string'?"],
  ))

test('a CommonJS project is read too; its definitions stand at the beginning of their files', () =>
  assertFaults(
    {
      '/plain/models/tag.ts':
        "»import { defineModel } from 'admin-backend'\n\n" +
        "export default defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'strng' as 'text' }] })\n",
      '/plain/package.json': '{}\n',
      '/plain/views/tag.ts':
        "»import { defineListView } from 'admin-backend'\n\n" +
        "export default defineListView({ name: 'TagList', model: 'Tag', fields: [{ name: 'b' }] })\n",
    },
    ["Unknown type 'strng'; did you mean 'string'?", "Model 'Tag' has no field 'b'"],
    { inside: '/plain/' },
  ))

test('a definition shared between modules is loaded once in each file that exports it', async () => {
  const { views } = await load({
    'models/tag.ts':
      "import { defineModel } from 'admin-backend'\n" +
      "export const Tag = defineModel({ name: 'Tag', fields: [{ name: 'name', type: 'string' }] })\nexport default Tag\n",
    'views/tag.ts':
      "import { defineListView } from 'admin-backend'\nimport { Tag } from '../models/tag.ts'\n" +
      "export default defineListView(Tag, { name: 'TagList', fields: [{ name: 'name' }] })\n",
  })
  assert.deepEqual(
    viewsFor(views, 'tag').map(({ name, model, view_type }) => ({ name, model, view_type })),
    [{ name: 'TagList', model: 'Tag', view_type: 'list' }],
  )
})

describe('call sites', () => {
  test('the place of the call is noted, and nothing else changes', () => {
    const first = defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'string' }] })
    const second = defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'string' }] })
    const [one, two] = [callSiteOf(first), callSiteOf(second)]
    assert.equal(one?.file, import.meta.filename)
    assert.equal(two?.file, import.meta.filename)
    assert.equal(two?.line, (one?.line ?? 0) + 1)
    assert.deepEqual(Object.keys(first), ['name', 'fields'])
    assert.deepEqual(JSON.parse(JSON.stringify(first)), { name: 'Tag', fields: [{ name: 'a', type: 'string' }] })
  })

  test('a definition marked again stands where it was marked last', () => {
    const definition = {}
    const define = (): object => markCallSite(definition, define)
    const [first, second] = [callSiteOf(define()), callSiteOf(define())]
    assert.notEqual(first?.column, second?.column)
  })

  for (const value of [undefined, null, 'text', 1, {}, [], () => 1]) {
    test(`${String(JSON.stringify(value))} has none`, () => assert.equal(callSiteOf(value), undefined))
  }
})

for (const format of ['ts', 'js'] as const) {
  test(`a file in ${format} that has changed is read again when its project is loaded again`, async () => {
    const project = await makeProject({})
    const folder = join(project.path, 'models')
    try {
      mkdirSync(folder)
      for (const label of ['First', 'Second', 'Third']) {
        writeFileSync(join(folder, `tag.${format}`), `export default { name: 'Tag', label: '${label}', fields: [] }\n`)
        const { registry } = await loadProject({ folder: project.path, env: {}, flags: {} })
        assert.equal(registry.expect('tag').label, label)
      }
    } finally {
      await project.remove()
    }
  })
}
