import { formExample, type LintRule, listExample } from '../../rule.ts'

/** Malformed views. */
export const viewInvalid: LintRule = {
  id: 'view/invalid',
  severity: 'error',
  summary: 'A view is malformed',
  details: `A view has a name, a view_type (form or list), the class name of its model, and a list of fields. A form may have creation_fields,
allowed_update_fields and rules, a list may not. The options of a form's field that are validated (choices, min_length,
max_length, gt, gte, lt, lte, pattern) are written as in a model.

The message names the key or value; for an unknown key it suggests a similar one.`,
  invalid: [
    formExample('fields:\n  - { name: title, »widgit«: text }\n'),
    listExample('fields: [{ name: title }]\n»creation_fields«: [title]\n'),
    formExample('fields:\n  - { name: title, options: »{ max_length: long }« }\n'),
  ],
  valid: [
    formExample('fields:\n  - { name: title, widget: text }\ncreation_fields: [title]\n'),
    listExample('fields: [{ name: title }]\n'),
  ],
}
