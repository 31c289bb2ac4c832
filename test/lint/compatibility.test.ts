import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeProject } from '../helpers/fixture.ts'
import { type Files, lintFiles } from './projects.ts'

/** The findings of the compatibility rules between two versions, one line each. */
async function changes(before: Files, after: Files): Promise<string[]> {
  await using earlier = await makeProject(before)
  const { findings } = await lintFiles(after, { against: earlier.path })
  const found = findings.filter(({ rule }) => rule.startsWith('contract/'))
  return found.map(({ breaking, severity, message }) => `${breaking ? 'breaking' : 'fine'} (${severity}): ${message}`)
}

const model = (...fields: readonly string[]): Files => ({
  'models/note.yaml': `name: Note\nfields: [${fields.map((field) => `{ ${field} }`).join(', ')}]\n`,
})

const form = (rest: string): Files => ({
  ...model('name: a, type: string, max_length: 50', 'name: b, type: integer'),
  'views/note.yaml': `name: NoteForm\nview_type: form\nmodel: Note\nfields: [${rest}\n`,
})

const rows: readonly (readonly [name: string, before: Files, after: Files, ...expected: string[]])[] = [
  [
    'an added field',
    model('name: a, type: string'),
    model('name: a, type: string', 'name: b, type: string'),
    "fine (note): The field 'b' of Note was added",
  ],
  [
    'an added field that is required',
    model('name: a, type: string'),
    model('name: a, type: string', 'name: b, type: string, required: true'),
    "breaking (error): The field 'b' of Note is new and required",
  ],
  [
    'no longer required',
    model('name: a, type: string, required: true'),
    model('name: a, type: string'),
    "fine (note): The field 'a' of Note is no longer required",
  ],
  [
    'string becomes text',
    model('name: a, type: string'),
    model('name: a, type: text'),
    "fine (note): The field 'a' of Note was of type string and is of type text",
  ],
  [
    'every bound relaxed',
    model(
      'name: a, type: string, min_length: 2, max_length: 9, unique: true, pattern: x',
      'name: b, type: integer, gt: 1, lte: 5',
    ),
    model('name: a, type: string', 'name: b, type: integer, gte: 1, lte: 6'),
    "fine (note): 'a' of Note: min_length was 2 and is not set",
    "fine (note): 'a' of Note: max_length was 9 and is not set",
    "fine (note): 'a' of Note: its pattern was removed",
    "fine (note): 'a' of Note: it no longer has to be unique",
    "fine (note): 'b' of Note: the lower bound was 1 (exclusive) and is 1",
    "fine (note): 'b' of Note: the upper bound was 5 and is 6",
  ],
  [
    'every bound tightened',
    model('name: a, type: string', 'name: b, type: integer, gte: 1'),
    model('name: a, type: string, min_length: 2, unique: true, pattern: x', 'name: b, type: integer, gt: 1, lt: 5'),
    "breaking (error): 'a' of Note: min_length was not set and is 2",
    "breaking (error): 'a' of Note: a pattern was added",
    "breaking (error): 'a' of Note: it must now be unique",
    "breaking (error): 'b' of Note: the lower bound was 1 and is 1 (exclusive)",
    "breaking (error): 'b' of Note: the upper bound was not set and is 5 (exclusive)",
  ],
  [
    'added and removed choices',
    model('name: a, type: choice, choices: [x, y]'),
    model('name: a, type: choice, choices: [y, z]'),
    "breaking (error): 'a' of Note: 'x' can no longer be chosen",
    "fine (note): 'a' of Note: 'z' can now be chosen",
  ],
  [
    'an allow-list that accepts more fields',
    form('{ name: a }, { name: b }]\ncreation_fields: [a]'),
    form('{ name: a }, { name: b }]\ncreation_fields: [a, b]'),
    "fine (note): 'b' can now be set at creation by the form NoteForm",
    "fine (note): 'b' can now be changed by the form NoteForm",
  ],
  [
    'an allow-list that did not exist before',
    form('{ name: a }, { name: b }]'),
    form('{ name: a }, { name: b }]\nallowed_update_fields: [a]'),
    "breaking (error): 'b' can no longer be changed by the form NoteForm",
  ],
  [
    'relaxed limits of a form',
    form('{ name: a, required: true, options: { max_length: 5 } }]'),
    form('{ name: a, options: { max_length: 6 } }]'),
    "fine (note): 'a' in the form NoteForm: max_length was 5 and is 6",
    "fine (note): 'a' is no longer required in the form NoteForm",
  ],
  [
    'added and removed rules',
    form('{ name: a }]\nrules: [{ rule: self.b > 1, field: b, message: B }, { rule: self.a == "x  y", field: a, message: A }]'),
    form('{ name: a }]\nrules: [{ rule: self.b  > 1, field: a, message: C }, { rule: self.a == "x y", field: a, message: A }]'),
    'fine (note): The form NoteForm no longer has the rule: self.a == "x  y"',
    'breaking (error): The form NoteForm has a new rule: self.a == "x y"',
  ],
  ['titles, labels and comments', form('{ name: a }]'), form('{ name: a, title: A, help_text: Any }] # c')],
]

for (const [name, before, after, ...expected] of rows) {
  test(name, async () => assert.deepEqual(await changes(before, after), expected))
}

test('a removed model removes its views, and both are reported', async () => {
  const before = { ...form('{ name: a }]'), 'models/memo.yaml': 'name: Memo\nfields: []\n' }
  assert.deepEqual(await changes(before, { 'models/memo.yaml': 'name: Memo\nfields: []\n' }), [
    'breaking (error): The model Note was removed; its endpoints answer 404',
    'breaking (error): The form view NoteForm was removed',
  ])
})

test('the settings can reduce the severity of a change', async () => {
  const after = { ...model('name: b, type: string'), 'admin.config.yaml': 'lint: { rules: { contract/field: warn } }\n' }
  assert.deepEqual(await changes(model('name: a, type: string'), after), [
    "breaking (warn): The field 'a' of Note was removed",
    "fine (note): The field 'b' of Note was added",
  ])
})
