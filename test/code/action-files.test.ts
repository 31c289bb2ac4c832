import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { examineProject } from '../../src/project/project.ts'
import { makeProject } from '../helpers/fixture.ts'

const POST = `name: Post
fields:
  - { name: title, type: string, required: true }
  - { name: status, type: choice, choices: [draft, published] }
  - { name: published_at, type: datetime }
  - { name: tags, type: many_to_many, model: tag }
`

const MODELS = { 'models/post.yaml': POST, 'models/tag.yaml': 'name: Tag\nfields: [{ name: name, type: string }]\n' }

/** The faults of a project, as `file:line:column rule message`. */
async function faultsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await using folder = await makeProject({ ...MODELS, ...files })
  const { faults } = await examineProject({ folder: folder.path, env: {}, flags: {} })
  return faults.list.map(({ rule, position: { file, line, column }, message }) => `${file}:${line}:${column} ${rule} ${message}`)
}

/** An action of posts with one key more, on the fourth line. */
const withKey = (line: string): string => `model: Post\nname: publish\nset: { status: published }\n${line}\n`

const withSet = (set: string): string => `model: Post\nname: publish\ninput: [{ name: why, type: string }]\nset: { ${set} }\n`

describe('a fault of an action has its place and a remedy', () => {
  const rows: readonly (readonly [name: string, text: string, fault: string | RegExp])[] = [
    ['an unknown key', withKey('titel: Publish'), "4:1 code/invalid Unknown key 'titel'; did you mean 'title'?"],
    [
      'an unknown model',
      'model: Pots\nname: a\nset: { title: b }\n',
      "1:8 code/unknown-model There is no model 'Pots'; did you mean 'Post'?",
    ],
    [
      'a key in the place of a class name',
      'model: post\nname: a\nset: { title: b }\n',
      /1:8 code\/unknown-model .*did you mean 'Post'/,
    ],
    [
      'an input that is a file',
      'model: Post\nname: publish\nset: { title: a }\ninput: [{ name: scan, type: file }]\n',
      /^actions\/.*:4:\d+ code\/invalid The input 'scan' cannot be of type 'file', .*; take the id of an upload as type 'string'/,
    ],
    [
      'a name with capitals',
      'model: Post\nname: Publish\nset: { title: b }\n',
      /2:7 code\/invalid 'Publish' cannot be the name of an action/,
    ],
    [
      'a name of every object',
      'model: Post\nname: constructor\nset: { title: b }\n',
      /2:7 code\/invalid .*every JavaScript object/,
    ],
    [
      'a name of every model',
      'model: Post\nname: change\nset: { title: b }\n',
      "2:7 code/name-taken The action 'change' of Post is one that every model has; choose another name",
    ],
    [
      'nothing to do',
      'model: Post\nname: publish\n',
      "1:1 code/invalid The action 'publish' does nothing; name the fields that it sets under 'set', or write 'run' in TypeScript",
    ],
    ['a target without records', withKey('on: model'), /4:5 code\/invalid An action on the model has no record/],
    ['a tone', withKey('tone: red'), /4:7 code\/invalid 'tone' must be one of \[default, danger\]/],
    [
      'a condition of an unknown field',
      withKey('when: self.staus == "draft"'),
      /4:7 code\/action-condition The condition cannot be used: .*did you mean 'status'/,
    ],
    [
      'a condition that is no expression',
      withKey('when: self.status =='),
      /4:7 code\/action-condition The condition cannot be used/,
    ],
    ['a condition that is never true', withKey('when: self.status == "drft"'), /4:7 code\/action-condition .*is never 'drft'/],
    [
      'an access for everyone',
      withKey('access: public'),
      /4:9 code\/invalid 'access' must be one of \[authenticated, superuser\]/,
    ],
    [
      'an access by an unknown permission',
      withKey('access: { permission: publsh_post }'),
      "4:23 code/invalid There is no permission 'publsh_post'; did you mean 'publish_post'?",
    ],
    ['an access by two things', withKey('access: { permission: view_post, group: a }'), /4:9 code\/invalid/],
    [
      'a set field that does not exist',
      withSet('staus: draft'),
      "4:8 code/unknown-field Model 'Post' has no field 'staus'; did you mean 'status'?",
    ],
    ['a set value of a wrong choice', withSet('status: drft'), /4:16 code\/invalid The value of 'status' must be one of/],
    [
      'a set field of the server',
      withSet('id: 3'),
      "4:12 code/invalid 'id' is set by the server, so an action cannot set it; leave it out",
    ],
    ['an emptied mandatory field', withSet('title: null'), "4:15 code/invalid 'title' is required, so an action cannot empty it"],
    ['an unknown generator', withSet('published_at: tomorrow'), /4:22 code\/invalid The value of 'published_at'/],
    ['an unknown input', withSet('title: { input: wy }'), "4:15 code/unknown-field There is no input 'wy'; did you mean 'why'?"],
    [
      'an input of an unknown type',
      withKey('input: [{ name: why, type: strng }]'),
      /4:28 code\/invalid Unknown type 'strng'; did you mean 'string'/,
    ],
    [
      'an input twice',
      withKey('input: [{ name: why, type: string }, { name: why, type: text }]'),
      "4:46 code/invalid There is already a field 'why'; choose another name",
    ],
    [
      'a relation of the input to an unknown model',
      withKey('input: [{ name: tag_id, type: foreignkey, model: tga }]'),
      "4:50 code/unknown-model There is no model 'tga'",
    ],
  ]
  for (const [name, text, expected] of rows) {
    test(name, async () => {
      const [first = '', ...others] = await faultsOf({ 'actions/publish.yaml': text })
      assert.deepEqual(others, [])
      if (typeof expected === 'string') assert.equal(first, `actions/publish.yaml:${expected}`)
      else assert.match(first, expected)
    })
  }

  test('two actions of one name name both places', async () => {
    const text = 'model: Post\nname: publish\nset: { status: published }\n'
    assert.deepEqual(await faultsOf({ 'actions/a.yaml': text, 'actions/b.yaml': text }), [
      "actions/b.yaml:2:7 code/name-taken The action 'publish' of Post is already defined (actions/a.yaml:2); choose another name",
    ])
  })

  test('in TypeScript at the call', async () => {
    const text = `import { defineAction, defineModel } from 'admin-folder'
const Post = defineModel({ name: 'Post', fields: [{ name: 'title', type: 'string' }] })

export default defineAction(Post, { name: 'publish', when: 'self.titel == "a"', set: { title: 'b' } })
`
    const [first = '', ...others] = await faultsOf({ 'actions/publish.ts': text })
    assert.deepEqual(others, [])
    assert.match(first, /^actions\/publish\.ts:4:16 code\/action-condition/)
  })

  test('a key of access that is no action', async () => {
    const access = (line: string) => ({ 'models/post.yaml': `${POST}access:\n  ${line}\n` })
    assert.deepEqual(await faultsOf(access('chnage: authenticated')), [
      "models/post.yaml:8:3 model/invalid Unknown key 'chnage'; did you mean 'change'?",
    ])
    const action = { 'actions/publish.yaml': withKey('title: Publish') }
    assert.deepEqual(await faultsOf({ ...access('publish: authenticated'), ...action }), [])
    const [open = ''] = await faultsOf({ ...access('publish: public'), ...action })
    assert.match(open, /^models\/post\.yaml:8:12 model\/access-invalid 'publish' is an action, which needs a user/)
    const [twice = ''] = await faultsOf({
      ...access('publish: authenticated'),
      'actions/publish.yaml': withKey('access: superuser'),
    })
    assert.match(twice, /has an access of its own; keep one of the two/)
  })
})

test('an input is set in a field of JSON, too; an object that names no input is a value there', async () => {
  const model = 'name: Log\nfields:\n  - { name: facts, type: json }\n  - { name: form, type: json }\n'
  const action =
    'model: Log\nname: fill\ninput: [{ name: all, type: json }]\nset: { facts: { input: all }, form: { input: text } }\n'
  await using folder = await makeProject({ 'models/log.yaml': model, 'actions/fill.yaml': action })
  const { project } = await examineProject({ folder: folder.path, env: {}, flags: {} })
  assert.deepEqual(
    [...(project.actions.all[0]?.set ?? [])],
    [
      ['facts', { kind: 'input', input: 'all' }],
      ['form', { kind: 'value', value: { input: 'text' } }],
    ],
  )
})
