import { CHOICE_COLORS } from '../../../model/definition.ts'
import { isObject } from '../../../util/json.ts'
import { meantOrKnown } from '../../../util/suggest.ts'
import { offeredChoices } from '../../field-options.ts'
import { formExample, type LintRule, listExample } from '../../rule.ts'

/** Labels and colours of values that do not occur, and unknown colours. */
export const viewChoiceDisplay: LintRule = {
  id: 'view/choice-display',
  severity: 'warn',
  summary: 'A label or colour is for a value that the field cannot have, or a colour is unknown',
  details: `options.labels and options.colors name a text and a colour for values of the field. Such an entry has no effect if the value is not
one of the choices. The colours are ${CHOICE_COLORS.join(', ')}.`,
  invalid: [
    formExample('fields:\n  - { name: status, options: { labels: { draft: Draft, publishd: »Live« } } }\n'),
    listExample('fields:\n  - { name: status, options: { colors: { draft: »grey« } } }\n'),
    formExample('fields:\n  - { name: status, options: { labels: »[Draft, Live]« } }\n'),
  ],
  valid: [
    formExample(
      'fields:\n  - { name: status, options: { labels: { draft: Draft }, colors: { draft: gray, published: green } } }\n',
    ),
    listExample('fields:\n  - { name: is_featured, options: { labels: { true: Featured, false: "" } } }\n'),
  ],
  field({ field, modelField, source, path }, report) {
    const known = (modelField.limits.choices ?? offeredChoices(field.options))?.map(String)
    for (const key of ['labels', 'colors'] as const) {
      const map = field.options?.[key]
      if (map === undefined) continue
      const at = [...path, 'options', key]
      if (!isObject(map)) {
        report(source, at, `'${key}' must be an object by value, such as { draft: ${key === 'labels' ? 'Draft' : 'gray'} }`)
        continue
      }
      for (const [value, text] of Object.entries(map)) {
        const problem =
          known?.includes(value) === false
            ? `'${field.name}' is never '${value}'${meantOrKnown(value, known)}`
            : textProblem(key, value, text)
        if (problem !== undefined) report(source, [...at, value], problem)
      }
    }
  },
}

function textProblem(key: 'labels' | 'colors', value: string, text: unknown): string | undefined {
  if (typeof text !== 'string') return `The ${key === 'labels' ? 'label' : 'colour'} of '${value}' must be a text`
  const isKnown = key === 'labels' || CHOICE_COLORS.some((color) => color === text)
  return isKnown ? undefined : `Unknown colour '${text}'${meantOrKnown(text, CHOICE_COLORS)}`
}
