import { formExample, type LintRule, listExample } from '../../rule.ts'

/** Fields that the view's model does not have. */
export const viewUnknownField: LintRule = {
  id: 'view/unknown-field',
  severity: 'error',
  summary: 'A view names a field that its model does not have',
  details: `The fields of a view, and the field at which a cross-field rule shows its message, are fields of the model; a list may also name a
relation (author for author_id). The filters of a list are fields, too. Use the suggested name, or add the field to the model.`,
  invalid: [
    formExample('fields:\n  - { name: »titel« }\n'),
    formExample('fields: [{ name: title }]\nrules:\n  - { rule: self.title != "x", field: »tittle«, message: No }\n'),
    formExample('fields:\n  - { name: »author« }\n'),
    listExample('fields: [{ name: title }]\nfilters: [status, »stauts«]\n'),
  ],
  valid: [formExample('fields:\n  - { name: title }\n'), listExample('fields:\n  - { name: author }\n  - { name: author_id }\n')],
}
