import { type LintRule, modelExample } from '../../rule.ts'

/** Relations to unknown models. */
export const modelUnknownRelation: LintRule = {
  id: 'model/unknown-relation',
  severity: 'error',
  summary: 'A relation refers to an unknown model',
  details: `A foreignkey, one_to_one or many_to_many names its model in lower case: one of the project's, or user, group or permission. Use the
suggested name, or add the model.`,
  invalid: [
    modelExample('name: Note\nfields:\n  - { name: post_id, type: foreignkey, model: »psot« }\n'),
    modelExample('name: Note\nfields:\n  - name: labels\n    type: many_to_many\n    model: »label«\n'),
  ],
  valid: [
    modelExample('name: Note\nfields:\n  - { name: post_id, type: foreignkey, model: post }\n'),
    modelExample('name: Note\nfields:\n  - { name: users, type: many_to_many, model: user }\n'),
  ],
}
