import { readDefault } from '../../../model/bounds.ts'
import { formExample } from '../../example.ts'
import { choicesOf } from '../../form-options.ts'
import type { Rule } from '../../rule.ts'

/** Defaults of a form that its model refuses. */
export const viewDefaultInvalid: Rule = {
  id: 'view/default-invalid',
  severity: 'error',
  summary: "The default of a form's field is refused by the model or the form",
  details: `A front end fills default_value in and sends it. It must be what the model takes for the field: its type, its bounds, one of its
choices; and one of the choices that the form offers.`,
  invalid: [
    formExample('fields:\n  - { name: views, default_value: »"0"« }\n'),
    formExample('fields:\n  - { name: status, default_value: »archived« }\n'),
    formExample('fields:\n  - { name: status, options: { choices: [draft] }, default_value: »published« }\n'),
  ],
  valid: [
    formExample('fields:\n  - { name: views, default_value: 0 }\n'),
    formExample('fields:\n  - { name: status, options: { choices: [draft, published] }, default_value: draft }\n'),
  ],
  field({ form, field, modelField, source, path }, report) {
    const value = field.default_value ?? null
    if (form === undefined || value === null || modelField.system || modelField.type.secret) return
    const at = [...path, 'default_value']
    const reading = readDefault(modelField, value)
    const offered = choicesOf(field.options)
    if (!reading.ok) report(source, at, `The default of '${field.name}' ${reading.problem}`)
    else if (offered !== undefined && !(Array.isArray(value) ? value : [value]).every((each) => offered.includes(each))) {
      report(source, at, `The default of '${field.name}' is not among the choices that the form offers`)
    }
  },
}
