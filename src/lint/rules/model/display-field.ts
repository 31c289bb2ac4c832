import { type LintRule, modelExample } from '../../rule.ts'

/** Display fields that cannot identify a record. */
export const modelDisplayField: LintRule = {
  id: 'model/display-field',
  severity: 'error',
  summary: 'The display field cannot identify a record',
  details: `display_field is shown to people where a record is referred to. It must be a field of the model, but not a relation or a password.`,
  invalid: [
    modelExample('name: Note\ndisplay_field: »titel«\nfields:\n  - { name: title, type: string }\n'),
    modelExample('name: Note\ndisplay_field: »author_id«\nfields:\n  - { name: author_id, type: foreignkey, model: user }\n'),
  ],
  valid: [
    modelExample('name: Note\ndisplay_field: title\nfields:\n  - { name: title, type: string }\n'),
    modelExample('name: Note\nfields:\n  - { name: title, type: string }\n'),
  ],
}
