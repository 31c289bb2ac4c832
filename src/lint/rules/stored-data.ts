import { flatSource } from '../../config/source.ts'
import { fieldPath } from '../field-options.ts'
import type { LintRule } from '../rule.ts'

const note = (fields: string) => `name: Note\nfields:\n${fields}`

/** Rules for stored records. */
export const STORED_DATA_RULES = {
  'data/invalid-record': {
    severity: 'error',
    summary: 'A stored record breaks its model',
    details: `Checked only with --data. When a model becomes stricter, stored records stay as they are and are still served, but the next update
of the field must correct it. The finding points to the field of the model and names the record.

Correct the records, for example by an export and an import, or relax the model.`,
    invalid: [
      {
        before: {
          'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: string }\n',
          'seed/note.yaml': '- { text: short }\n- { text: far too long }\n',
        },
        files: { 'models/note.yaml': 'name: Note\nfields:\n  - »{ name: text, type: string, max_length: 5 }«\n' },
      },
      {
        before: {
          'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: string }\n',
          'seed/note.yaml': '- { text: same }\n- { text: same }\n',
        },
        files: { 'models/note.yaml': 'name: Note\nfields:\n  - »{ name: text, type: string, unique: true }«\n' },
      },
      {
        before: {
          'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: string }\n',
          'seed/note.yaml': '- {}\n',
        },
        files: { 'models/note.yaml': 'name: Note\nfields:\n  - »{ name: text, type: string, required: true }«\n' },
      },
    ],
    valid: [
      {
        before: {
          'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: string }\n',
          'seed/note.yaml': '- { text: short }\n',
        },
        files: { 'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: string, required: true, max_length: 5 }\n' },
      },
      {
        before: {
          'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: string, max_length: 5 }\n',
          'seed/note.yaml': '- { text: short }\n- {}\n',
        },
        files: { 'models/note.yaml': 'name: Note\nfields:\n  - { name: text, type: string }\n' },
      },
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
        const what =
          field === undefined ? `${stored} of '${was}', which is no model` : `${stored} with '${was}', which is no field`
        const path = field === undefined ? ['name'] : fieldPath(value, field)
        const name = field === undefined ? place.model.name : field
        report(source, path, `There are ${what}; if '${name}' is its new name, add \`was\` to keep the values`)
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>
