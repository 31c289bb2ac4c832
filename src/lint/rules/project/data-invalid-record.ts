import { flatSource } from '../../../config/source.ts'
import { fieldPath } from '../../field-options.ts'
import type { LintRule } from '../../rule.ts'

/** Stored records that break their model. */
export const dataInvalidRecord: LintRule = {
  id: 'data/invalid-record',
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
}
