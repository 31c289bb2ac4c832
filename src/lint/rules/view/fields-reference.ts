import { formExample, type LintRule } from '../../rule.ts'

/** Allow-lists and groups with fields that the form does not have. */
export const viewFieldsReference: LintRule = {
  id: 'view/fields-reference',
  severity: 'error',
  summary: "An allow-list or a group names a field that is not among the view's fields",
  details: `The fields that creation_fields and allowed_update_fields accept must be fields of the form; otherwise people cannot fill them in. Add the
field to the form, or remove the name from the list. The same applies to the fields of groups.`,
  invalid: [
    formExample('fields: [{ name: title }]\ncreation_fields: »[title, body]«\n'),
    formExample('fields: [{ name: title }]\nallowed_update_fields:\n  »- title\n  - status«\n'),
    formExample('fields: [{ name: title }]\ngroups: [{ title: Text, fields: [title, »body«] }]\n'),
  ],
  valid: [
    formExample('fields: [{ name: title }, { name: body }]\ncreation_fields: [title, body]\n'),
    formExample('fields: [{ name: title }]\nallowed_update_fields: []\n'),
  ],
}
