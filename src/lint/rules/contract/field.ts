import { hasDefault } from '../../../model/field.ts'
import { commonModels, fieldPath, modelSource } from '../../field-options.ts'
import { changeExample, fieldChangeExample, type LintRule } from '../../rule.ts'

/** Added and removed fields. */
export const contractField: LintRule = {
  id: 'contract/field',
  severity: 'error',
  summary: 'A field of a model was removed (breaking) or added',
  details: `Checked only with --against. A client that reads, filters by or sends a removed field fails: in a request its name is unknown, which is
a 400. Keep the field until no client uses it. An added field is compatible, unless it is mandatory, which contract/required reports.`,
  invalid: [
    changeExample(
      'models/note.yaml',
      'name: Note\nfields:\n  - { name: text, type: text }\n  - { name: size, type: integer }\n',
      'name: Note\nfields:\n  »- { name: text, type: text }«\n',
    ),
    changeExample('models/note.yaml', 'name: Note\nfields:\n  - { name: text, type: text }\n', 'name: Note\nfields: »[]«\n'),
  ],
  valid: [
    fieldChangeExample(
      '{ name: a, type: text }\n  - { name: b, type: text }',
      '{ name: b, type: text }\n  - { name: a, type: text, label: A }',
    ),
    changeExample('models/note.yaml', 'name: Note\nfields: []\n', 'name: Note\nlabel: Notes\nfields: []\n'),
  ],
  compare(before, after, report) {
    for (const [was, is] of commonModels(before, after)) {
      const { source, value } = modelSource(after, is)
      for (const name of was.fields.keys()) {
        if (is.fields.has(name)) continue
        report(source, ['fields'], `The field '${name}' of ${is.name} was removed`, { breaking: true })
      }
      for (const field of is.fields.values()) {
        const { name, required } = field
        if (was.fields.has(name) || (required && !hasDefault(field))) continue
        report(source, fieldPath(value, name), `The field '${name}' of ${is.name} was added`, { breaking: false })
      }
    }
  },
}
