import { flatSource } from '../../config/source.ts'
import { fieldPath } from '../field-options.ts'
import type { Example, LintRule } from '../rule.ts'

const note = (field: string) => `name: Note\nfields:\n  - ${field}\n`

/** An example of a changed model. @param records the stored records, as in a seed file */
const storedExample = (records: string, before: string, after: string): Example => ({
  before: { 'models/note.yaml': before, 'seed/note.yaml': records },
  files: { 'models/note.yaml': after },
})

/** Rules for stored records. */
export const STORED_DATA_RULES = {
  'data/invalid-record': {
    severity: 'error',
    summary: 'A stored record breaks its model',
    details: `Checked only with --data. When a model becomes stricter, stored records stay as they are and are still served, but the next update
of the field must correct it. The finding points to the field of the model and names the record.

Correct the records, for example by an export and an import, or relax the model.`,
    invalid: [
      storedExample(
        '- { text: short }\n- { text: far too long }\n',
        note('{ name: text, type: string }'),
        note('»{ name: text, type: string, max_length: 5 }«'),
      ),
      storedExample(
        '- { text: same }\n- { text: same }\n',
        note('{ name: text, type: string }'),
        note('»{ name: text, type: string, unique: true }«'),
      ),
      storedExample('- {}\n', note('{ name: text, type: string }'), note('»{ name: text, type: string, required: true }«')),
    ],
    valid: [
      storedExample(
        '- { text: short }\n',
        note('{ name: text, type: string }'),
        note('{ name: text, type: string, required: true, max_length: 5 }'),
      ),
      storedExample(
        '- { text: short }\n- {}\n',
        note('{ name: text, type: string, max_length: 5 }'),
        note('{ name: text, type: string }'),
      ),
    ],
    project({ records = [], models }, report) {
      for (const { model, id, field, message } of records) {
        const place = models.find((each) => each.model.key === model)?.definition
        const source = place?.source ?? flatSource(`built-in model ${model}`)
        report(source, fieldPath(place?.value, field), `${model} ${id}: ${message}`, { record: { model, id, field } })
      }
    },
  },
  'data/lost-rename': {
    severity: 'warn',
    summary: 'A field or model looks renamed, and its stored values are not taken over',
    details: `Checked only with --data. The stored records have values of a field, or are of a model, that the project does not have; and a field of
the same type, or a model with the same fields, has no stored values yet. The former values stay in the data, but they are not served.

If it was renamed, add \`was: <former name>\`. Otherwise ignore the warning: it ends with the first value.`,
    invalid: [
      storedExample(
        '- { body: one, stars: 3 }\n',
        note('{ name: body, type: string }\n  - { name: stars, type: integer }'),
        note('»{ name: text, type: string }«\n  - { name: stars, type: integer }'),
      ),
      storedExample(
        '- { body: one }\n',
        note('{ name: body, type: string }'),
        'name: »Memo«\nfields:\n  - { name: body, type: string }\n',
      ),
    ],
    valid: [
      storedExample(
        '- { body: one }\n',
        note('{ name: body, type: string }'),
        'name: Memo\nwas: Note\nfields:\n  - { name: text, type: string, was: body }\n',
      ),
      storedExample('- { body: one }\n', note('{ name: body, type: string }'), note('{ name: stars, type: integer }')),
    ],
    project({ lostNames = [], models }, report) {
      for (const { model, field, was, records } of lostNames) {
        const place = models.find((each) => each.model.key === model)
        if (place === undefined) continue
        const { source, value } = place.definition
        const stored = `${records} stored ${records === 1 ? 'record' : 'records'}`
        const what =
          field === undefined ? `${stored} of '${was}', which is no model` : `${stored} with '${was}', which is no field`
        const path = field === undefined ? ['name'] : fieldPath(value, field)
        const name = field === undefined ? place.model.name : field
        report(source, path, `There are ${what}; if '${name}' is its new name, add \`was\` to keep the values`)
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>
