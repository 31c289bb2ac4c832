import { fieldPath } from '../../field-options.ts'
import { type LintRule, modelExample } from '../../rule.ts'

/** Mandatory relations of a model to itself. */
export const modelRequiredSelfReference: LintRule = {
  id: 'model/required-self-reference',
  severity: 'error',
  summary: 'A mandatory relation refers to its own model, so no first record can be created',
  details: `A record can only refer to records that exist. If every record of a model must refer to another one of the same model, there is none that
the first record could refer to, so the API can never create one.

Leave out \`required\`: the first record, such as the root of a tree, then has no reference. A rule of a form can demand one where it is needed.
If the first record comes from seed/, disable this rule for the field.`,
  invalid: [
    modelExample('name: Page\nfields:\n  - { name: parent_id, type: foreignkey, model: page, required: »true« }\n'),
    modelExample('name: Page\nfields:\n  - name: related\n    type: many_to_many\n    model: page\n    required: »true«\n'),
  ],
  valid: [
    modelExample('name: Page\nfields:\n  - { name: parent_id, type: foreignkey, model: page }\n'),
    modelExample('name: Page\nfields:\n  - { name: author_id, type: foreignkey, model: user, required: true }\n'),
  ],
  model({ model, definition, source }, report) {
    for (const { name, required, relation } of model.relations.values()) {
      if (!required || relation.target !== model.key) continue
      const message = `'${name}' is mandatory and refers to ${model.name} itself, so no first record can be created; leave out 'required'`
      report(source, [...fieldPath(definition.value, name), 'required'], message)
    }
  },
}
