import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { callSiteOf, markCallSite } from '../../src/config/call-site.ts'
import { formatFault } from '../../src/config/fault.ts'
import { defineModel } from '../../src/model/define.ts'
import { examineProject, loadProject } from '../../src/project/project.ts'
import { makeProject } from '../helpers/fixture.ts'
import { viewsFor } from '../views/views.ts'
import { assertFaults, type Files, faultsOf, load } from './projects.ts'

describe('modules that cannot be loaded', () => {
  const rows: readonly (readonly [name: string, files: Files, ...messages: string[]])[] = [
    ['throws', { 'models/a.ts': "throw »new Error('boom')\n" }, 'Cannot be loaded: boom'],
    ['throws, in JavaScript', { 'models/a.js': "throw »new Error('boom')\n" }, 'Cannot be loaded: boom'],
    ['throws a value that is not an error', { 'models/a.js': "»throw 'boom'\n" }, 'Cannot be loaded: boom'],
    ['throws a message of several lines', { 'models/a.js': "throw »new Error('boom\\nbang')\n" }, 'Cannot be loaded: boom'],
    ['throws in the config', { 'admin.config.ts': "throw »new Error('boom')\n" }, 'Cannot be loaded: boom'],
    [
      'throws in a function further down',
      { 'models/a.ts': "function make(): never {\n  throw »new Error('boom')\n}\n\nexport default make()\n" },
      'Cannot be loaded: boom',
    ],
    [
      'throws a TypeError of the engine',
      { 'models/a.js': 'const tag = undefined\nexport default tag.»name\n' },
      'Cannot be loaded: Cannot read properties of undefined…',
    ],
    [
      'calls a function of another file that throws',
      {
        'lib/make.ts': "export function make(): never {\n  throw new Error('boom')\n}\n",
        'models/a.ts': "import { make } from '../lib/make.ts'\n\nexport default »make()\n",
      },
      'Cannot be loaded: boom',
    ],
    [
      'imports a module that throws',
      { 'lib/boom.ts': "throw new Error('boom')\n", 'models/a.ts': "»import '../lib/boom.ts'\nexport default {}\n" },
      'Cannot be loaded: boom',
    ],
    [
      'imports a missing module',
      { 'models/a.ts': "»import x from './nope.ts'\nexport default x\n" },
      'Cannot be loaded: Cannot find module …',
    ],
    [
      'has no default export',
      { 'models/a.ts': '»export const Tag = {}\n', 'views/a.js': '»export {}\n' },
      ...Array<string>(2).fill('The file has no default export; write `export default …`'),
    ],
    ['exports null', { 'models/a.ts': '»export default null\n' }, 'The definition must be a mapping of keys to values'],
    ['exports a string', { 'models/a.ts': "»export default 'Tag'\n" }, 'The definition must be a mapping of keys to values'],
    ['exports a function', { 'views/a.ts': '»export default () => 1\n' }, "'view_type' must be form or list"],
  ]
  for (const [name, files, ...messages] of rows) test(name, () => assertFaults(files, messages))

  test('a syntax error in TypeScript has its message and position', () =>
    assertFaults({ 'models/a.ts': 'export default {\n  name: "Tag",\n  fields: [»}\n' }, ['Cannot be loaded: Unexpected "}"']))

  test('a syntax error in JavaScript has its message', () =>
    assertFaults({ 'models/a.js': '»export default {\n  name: "Tag",\n  fields: [}\n' }, [
      "Cannot be loaded: Unexpected token '}'",
    ]))

  test('a syntax error in an imported file has its message', async () => {
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

test('a frozen definition is accepted', async () => {
  const { registry } = await load({
    'models/tag.ts':
      "import { defineModel } from 'admin-folder'\n" +
      "export default defineModel(Object.freeze({ name: 'Tag', fields: [{ name: 'name', type: 'string' }] }))\n",
  })
  assert.ok(registry.get('tag')?.fields.has('name'))
})

test('a frozen definition keeps its call site', () =>
  assertFaults(
    {
      'models/tag.ts':
        "import { defineModel } from 'admin-folder'\n\n" +
        "export default »defineModel(Object.freeze({ name: 'Tag', fields: [{ name: 'a', type: 'strng' as 'text' }] }))\n",
    },
    ["Unknown type 'strng'; did you mean 'string'?"],
  ))

describe('a CommonJS project', () => {
  const tag = (mark: string) =>
    `import { defineModel } from 'admin-folder'\n\ninterface Unused { a: string }\nexport const Tag = ${mark}defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'strng' as 'text' }] })\nexport default Tag\n`
  const form = "export default »defineFormView(Tag, { name: 'TagForm', fields: [{ name: 'b' as 'a' }] })\n"
  const faulty = {
    'models/tag.ts': tag('»'),
    'views/tag.ts': `import { defineFormView } from 'admin-folder'\nimport { Tag } from '../models/tag.ts'\n${form}`,
    'views/thrown.ts': "interface Unused { a: string }\n\nthrow »new Error('boom')\n",
  }
  const messages = ["Unknown type 'strng'; did you mean 'string'?", "Model 'Tag' has no field 'b'", 'Cannot be loaded: boom']

  test('has the call sites of its definitions and the positions of its errors', () => {
    const inside = (files: Files) => Object.fromEntries(Object.entries(files).map(([name, text]) => [`/plain/${name}`, text]))
    return assertFaults({ '/plain/package.json': '{}\n', ...inside(faulty) }, messages, { inside: '/plain/' })
  })

  test('may have no package.json', async () => {
    await using project = await makeProject({ 'models/tag.ts': tag('') })
    rmSync(join(project.path, 'package.json'))
    const { faults } = await examineProject({ folder: project.path, env: {}, flags: {} })
    assert.deepEqual(faults.list.map(formatFault), ["models/tag.ts:4:20: Unknown type 'strng'; did you mean 'string'?"])
  })
})

test('a definition shared between modules is loaded once in each file that exports it', async () => {
  const { views } = await load({
    'models/tag.ts':
      "import { defineModel } from 'admin-folder'\n" +
      "export const Tag = defineModel({ name: 'Tag', fields: [{ name: 'name', type: 'string' }] })\nexport default Tag\n",
    'views/tag.ts':
      "import { defineListView } from 'admin-folder'\nimport { Tag } from '../models/tag.ts'\n" +
      "export default defineListView(Tag, { name: 'TagList', fields: [{ name: 'name' }] })\n",
  })
  assert.deepEqual(
    viewsFor(views, 'tag').map(({ name, model, view_type }) => ({ name, model, view_type })),
    [{ name: 'TagList', model: 'Tag', view_type: 'list' }],
  )
})

describe('call sites', () => {
  test('the position of the call is recorded, and the definition is unchanged', () => {
    const first = defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'string' }] })
    const second = defineModel({ name: 'Tag', fields: [{ name: 'a', type: 'string' }] })
    const [one, two] = [callSiteOf(first), callSiteOf(second)]
    assert.equal(one?.file, import.meta.filename)
    assert.equal(two?.file, import.meta.filename)
    assert.equal(two?.line, (one?.line ?? 0) + 1)
    assert.deepEqual(Object.keys(first), ['name', 'fields'])
    assert.deepEqual(JSON.parse(JSON.stringify(first)), { name: 'Tag', fields: [{ name: 'a', type: 'string' }] })
  })

  test('a definition marked twice has its last call site', () => {
    const definition = {}
    const define = (): object => markCallSite(definition, define)
    const [first, second] = [callSiteOf(define()), callSiteOf(define())]
    assert.notEqual(first?.column, second?.column)
  })

  for (const value of [undefined, null, 'text', 1, {}, [], () => 1]) {
    test(`${String(JSON.stringify(value))} has no call site`, () => assert.equal(callSiteOf(value), undefined))
  }
})

for (const [format, type] of [
  ['ts', 'module'],
  ['ts', 'commonjs'],
  ['js', 'module'],
]) {
  test(`a file in ${format} (${type}) that has changed is read again when the project is reloaded`, async () => {
    await using project = await makeProject({})
    const folder = join(project.path, 'models')
    writeFileSync(join(project.path, 'package.json'), JSON.stringify({ type }))
    mkdirSync(folder)
    for (const label of ['First', 'Second', 'Third']) {
      writeFileSync(join(folder, `tag.${format}`), `export default { name: 'Tag', label: '${label}', fields: [] }\n`)
      const { registry } = await loadProject({ folder: project.path, env: {}, flags: {} })
      assert.equal(registry.expect('tag').label, label)
    }
  })
}

for (const name of ['a#b', '50%', '100%25', 'my shop', 'Büro', '注文']) {
  for (const type of ['module', 'commonjs']) {
    test(`TypeScript files are loaded from a folder '${name}' (${type})`, async () => {
      const source =
        "import { word } from '../lib/word.ts'\nexport default { name: 'Note', label: word, fields: [{ name: 'a', type: 'string' }] }\n"
      const files = { [`${name}/models/note.ts`]: source, [`${name}/lib/word.ts`]: "export const word: string = 'Notes'\n" }
      await using project = await makeProject({ ...files, [`${name}/package.json`]: JSON.stringify({ type }) })
      for (let load = 0; load < 2; load++) {
        const { registry } = await loadProject({ folder: join(project.path, name), env: {}, flags: {} })
        assert.equal(registry.expect('note').label, 'Notes')
      }
    })
  }
}

test("a TypeScript file below a folder with '?' is a fault that names the cause", async () => {
  await using project = await makeProject({ 'what?/models/note.ts': "export default { name: 'Note', fields: [] }\n" })
  await assert.rejects(loadProject({ folder: join(project.path, 'what?'), env: {}, flags: {} }), {
    message: /^models\/note\.ts:1:1: Cannot be loaded: its path contains '\?', .*; rename the folder$/,
  })
})
