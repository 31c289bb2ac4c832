import { fieldPath } from '../../field-options.ts'
import type { LintRule } from '../../rule.ts'

const note = (fields: string) => `name: Note\nfields:\n${fields}`

/** Stored names that a renamed field or model may have had. */
export const dataLostRename: LintRule = {
  id: 'data/lost-rename',
  severity: 'warn',
  summary: 'A field or model looks renamed, and its stored values are not taken over',
  details: `Checked only with --data. The stored records have values of a field, or are of a model, that the project does not have; and a field of
the same type, or a model with the same fields, has no stored values yet. The former values stay in the data, but they are not served.

If it was renamed, add \`was: <former name>\`. Otherwise ignore the warning: it ends with the first value.`,
  invalid: [
    {
      before: {
        'models/note.yaml': note('  - { name: body, type: string }\n  - { name: stars, type: integer }\n'),
        'seed/note.yaml': '- { body: one, stars: 3 }\n',
      },
      files: { 'models/note.yaml': note('  - »{ name: text, type: string }«\n  - { name: stars, type: integer }\n') },
    },
    {
      before: {
        'models/note.yaml': note('  - { name: body, type: string }\n'),
        'seed/note.yaml': '- { body: one }\n',
      },
      files: { 'models/note.yaml': 'name: »Memo«\nfields:\n  - { name: body, type: string }\n' },
    },
  ],
  valid: [
    {
      before: {
        'models/note.yaml': note('  - { name: body, type: string }\n'),
        'seed/note.yaml': '- { body: one }\n',
      },
      files: { 'models/note.yaml': 'name: Memo\nwas: Note\nfields:\n  - { name: text, type: string, was: body }\n' },
    },
    {
      before: {
        'models/note.yaml': note('  - { name: body, type: string }\n'),
        'seed/note.yaml': '- { body: one }\n',
      },
      files: { 'models/note.yaml': note('  - { name: stars, type: integer }\n') },
    },
  ],
  project({ lostNames = [], models }, report) {
    for (const { model, field, was, records } of lostNames) {
      const place = models.find((each) => each.model.key === model)
      if (place === undefined) continue
      const { source, value } = place.definition
      const stored = `${records} stored ${records === 1 ? 'record' : 'records'}`
      const what = field === undefined ? `${stored} of '${was}', which is no model` : `${stored} with '${was}', which is no field`
      const path = field === undefined ? ['name'] : fieldPath(value, field)
      const name = field === undefined ? place.model.name : field
      report(source, path, `There are ${what}; if '${name}' is its new name, add \`was\` to keep the values`)
    }
  },
}
