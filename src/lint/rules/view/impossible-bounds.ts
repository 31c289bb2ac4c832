import type { FieldDefinition, LimitsDefinition } from '../../../model/definition.ts'
import type { Limits } from '../../../model/limits.ts'
import { boundsProblems } from '../../../model/parse-field.ts'
import { boundsOf, highest, limitsIn, lowest } from '../../field-options.ts'
import { formExample, type LintRule } from '../../rule.ts'

/** Limits of a form that no value satisfies. */
export const viewImpossibleBounds: LintRule = {
  id: 'view/impossible-bounds',
  severity: 'error',
  summary: 'No value can satisfy the limits of a form together with those of its model',
  details: `Both limits apply to a record. If the options of a form's field contradict each other or the model's limits, every
record with the field is rejected under that form. Keep the limits within the model's, the lower one below the upper one.`,
  invalid: [
    formExample('fields:\n  - { name: rating, options: { gte: 5, lte: »3« } }\n'),
    formExample('fields:\n  - { name: title, options: { min_length: »500« } }\n'),
    formExample('fields:\n  - { name: rating, options: { gt: »5« } }\n'),
    formExample('fields:\n  - { name: views, options: { gt: 1, lt: »2« } }\n'),
  ],
  valid: [
    formExample(
      'fields:\n  - { name: rating, options: { gte: 5, lte: 5 } }\n  - { name: title, options: { min_length: 200 } }\n',
    ),
    formExample('fields:\n  - { name: rating, options: { gt: 1, lt: 2 } }\n  - { name: views, options: { gte: 5 } }\n'),
  ],
  field({ form, field, modelField, source, path }, report) {
    const type = modelField.type.name
    const written = boundsOf(field.options)
    if (form === undefined || written.length === 0 || modelField.system || type === 'primarykey') return
    const { choices: _, ...own } = limitsIn(field.options)
    const definition: FieldDefinition = { name: field.name, type, ...together(modelField.limits, own) }
    // The limit of the form at fault: the reported one, or the only one on the other side.
    for (const { key, problem } of boundsProblems(definition)) {
      const side = key === 'max_length' ? ['max_length', 'min_length'] : ['lt', 'lte', 'gt', 'gte']
      const at = side.flatMap((bound) => written.find((each) => each.bound === bound) ?? [])[0]
      if (at !== undefined) report(source, [...path, 'options', at.key], `${problem} (limits of model and form combined)`)
    }
  },
}

/** The stricter of two limits on each side. */
function together(model: Limits, form: LimitsDefinition): LimitsDefinition {
  const low = [lowest(model), lowest(form)].sort((a, b) => b.at - a.at || Number(b.open) - Number(a.open))[0]
  const high = [highest(model), highest(form)].sort((a, b) => a.at - b.at || Number(b.open) - Number(a.open))[0]
  return {
    min_length: Math.max(model.min_length ?? 0, form.min_length ?? 0),
    max_length: Math.min(model.max_length ?? Infinity, form.max_length ?? Infinity),
    ...(low && { [low.open ? 'gt' : 'gte']: low.at }),
    ...(high && { [high.open ? 'lt' : 'lte']: high.at }),
  }
}
