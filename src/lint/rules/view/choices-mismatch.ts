import { readDefault } from '../../../model/parse-field.ts'
import { isObject } from '../../../util/json.ts'
import { meantOrKnown } from '../../../util/suggest.ts'
import { formExample, type LintRule } from '../../rule.ts'

/** Choices that the model rejects. */
export const viewChoicesMismatch: LintRule = {
  id: 'view/choices-mismatch',
  severity: 'error',
  summary: 'A form offers a choice that the model rejects',
  details: `A form can offer fewer choices than the model, but no others: a request with such a choice is rejected. Add the choice to the model, or
remove it from the form. For a field without choices, the values must have its type and satisfy its limits.`,
  invalid: [
    formExample('fields:\n  - { name: status, options: { choices: [draft, »publishd«] } }\n'),
    formExample('fields:\n  - { name: rating, options: { choices: [{ value: 1, label: Bad }, { value: »9«, label: Good }] } }\n'),
  ],
  valid: [
    formExample('fields:\n  - { name: status, options: { choices: [draft] } }\n'),
    formExample('fields:\n  - { name: title, options: { choices: [News, Sports] } }\n'),
  ],
  field({ form, field, modelField, model, source, path }, report) {
    const { type, limits, relation } = modelField
    const choices = field.options?.choices
    if (form === undefined || type.secret || relation !== undefined || !Array.isArray(choices)) return
    for (const [index, choice] of choices.entries()) {
      const value = isObject(choice) ? choice.value : choice
      const at = [...path, 'options', 'choices', index, ...(isObject(choice) ? ['value'] : [])]
      if ((typeof value !== 'string' && typeof value !== 'number') || readDefault(modelField, type.list ? [value] : value).ok)
        continue
      const known = (limits.choices ?? []).map(String)
      const guess = known.length === 0 ? '' : meantOrKnown(String(value), known)
      report(source, at, `The model ${model.name} does not accept ${JSON.stringify(value)} for '${field.name}'${guess}`)
    }
  },
}
