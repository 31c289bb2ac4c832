import { hasDefault } from '../../../model/field.ts'
import { formExample, type LintRule, quoted } from '../../rule.ts'

/** Forms that can never create a record. */
export const viewRequiredNotCreatable: LintRule = {
  id: 'view/required-not-creatable',
  severity: 'error',
  summary: 'A form omits a mandatory field, so it can never create a record',
  details: `A field that is required, by the model or by the form, and has no default must be in creation_fields; otherwise every create with this
form is rejected. Add the field, give it a default in the model, or write creation_fields: [] for a form that only edits.`,
  invalid: [
    formExample('fields: [{ name: body }]\ncreation_fields: »[body]«\n'),
    formExample(
      'fields: [{ name: title }, { name: rating, required: true }]\ncreation_fields:\n  »- title«\nallowed_update_fields: [rating]\n',
    ),
  ],
  valid: [
    formExample('fields: [{ name: title }, { name: body }]\ncreation_fields: [title, body]\n'),
    formExample('fields: [{ name: body }]\ncreation_fields: []\nallowed_update_fields: [body]\n'),
    formExample(
      'fields: [{ name: title }, { name: status, required: true }]\ncreation_fields: [title]\nallowed_update_fields: [status]\n',
    ),
  ],
  view({ form, model, source, fieldOf }, report) {
    const listed = form?.creation_fields
    if (form === undefined || listed === undefined || listed.length === 0) return
    const wanted = new Set(form.fields.filter(({ required }) => required === true).map(({ name }) => name))
    const missing = [...model.fields.keys()].filter((name) => {
      const field = fieldOf(name)
      const isNeeded = field !== undefined && !field.system && !hasDefault(field) && (field.required || wanted.has(name))
      return isNeeded && !listed.includes(name)
    })
    if (missing.length === 0) return
    const are = missing.length === 1 ? 'is required, has no default and is' : 'are required, have no default and are'
    report(
      source,
      ['creation_fields'],
      `${form.name} can never create a ${model.name}: ${quoted(missing)} ${are} not in creation_fields; add ${missing.length === 1 ? 'it' : 'them'}`,
    )
  },
}
