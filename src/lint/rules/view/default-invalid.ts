import type { LimitsDefinition } from '../../../model/definition.ts'
import { checkLimits, compileLimits, type Limits } from '../../../model/limits.ts'
import { readDefault } from '../../../model/parse-field.ts'
import { isObject } from '../../../util/json.ts'
import { limitsIn } from '../../field-options.ts'
import { formExample, type LintRule } from '../../rule.ts'

/** Defaults of a form that its model rejects. */
export const viewDefaultInvalid: LintRule = {
  id: 'view/default-invalid',
  severity: 'error',
  summary: "The default of a form's field is rejected by the model or the form",
  details: `A front end fills in default_value and sends it. It must be valid for the field: of its type, within its limits, one of its
choices, also under the options of the form. {user: id} stands for the user who creates the record, today for the day of a date,
now for the time of a datetime.`,
  invalid: [
    formExample('fields:\n  - { name: views, default_value: »{ user: id }« }\n'),
    formExample('fields:\n  - { name: views, default_value: »"0"« }\n'),
    formExample('fields:\n  - { name: status, default_value: »archived« }\n'),
    formExample('fields:\n  - { name: status, options: { choices: [draft] }, default_value: »published« }\n'),
    formExample('fields:\n  - { name: title, options: { max_length: 5 }, default_value: »abcdef« }\n'),
    formExample('fields:\n  - { name: rating, options: { le: 3 }, default_value: »4« }\n'),
    formExample('fields:\n  - { name: title, options: { pattern: "^[a-z]+$" }, default_value: »ABC« }\n'),
  ],
  valid: [
    formExample('fields:\n  - { name: author_id, default_value: { user: id } }\n'),
    formExample('fields:\n  - { name: published_at, default_value: now }\n'),
    formExample('fields:\n  - { name: views, default_value: 0 }\n'),
    formExample('fields:\n  - { name: status, options: { choices: [draft, published] }, default_value: draft }\n'),
    formExample('fields:\n  - { name: title, options: { max_length: 5, pattern: "^[a-z]+$" }, default_value: abcde }\n'),
  ],
  field({ form, field, modelField, source, path }, report) {
    const value = field.default_value ?? null
    if (form === undefined || value === null || modelField.system || modelField.type.secret) return
    const at = [...path, 'default_value']
    if (isUserDefault(value)) {
      if (modelField.relation?.target !== 'user' || modelField.relation.kind !== 'one')
        report(source, at, `The default of '${field.name}' is the user, and the field does not refer to a user`)
      return
    }
    if ((value === 'today' && modelField.type.name === 'date') || (value === 'now' && modelField.type.name === 'datetime')) return
    const reading = readDefault(modelField, value)
    const { choices: offered, ...bounds } = limitsIn(field.options)
    if (!reading.ok) report(source, at, `The default of '${field.name}' ${reading.problem}`)
    else if (offered !== undefined && !(Array.isArray(value) ? value : [value]).every((each) => isOneOf(offered, each))) {
      report(source, at, `The default of '${field.name}' is not one of the choices of the form`)
    } else {
      const [problem] = checkLimits(reading.value, usable(bounds))
      if (problem !== undefined) report(source, at, `The default of '${field.name}' ${problem} (options of the form)`)
    }
  },
}

/** True for `{user: id}`: the user who creates the record. */
const isUserDefault = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 1 && value.user === 'id'

const isOneOf = (choices: readonly unknown[], value: unknown): boolean => choices.includes(value)

/** An invalid pattern is reported by another rule. */
function usable({ pattern, ...bounds }: LimitsDefinition): Limits {
  try {
    return compileLimits({ ...bounds, ...(pattern !== undefined && { pattern }) })
  } catch {
    return bounds
  }
}
