import type { Limits } from '../../../model/limits.ts'
import { boundsOf, highest, isAbove, isBelow, lowest, type WrittenBound } from '../../field-options.ts'
import { formExample, type LintRule } from '../../rule.ts'

/** Limits of a form that admit values the model rejects. */
export const viewLooserThanModel: LintRule = {
  id: 'view/looser-than-model',
  severity: 'warn',
  summary: "A limit of a form is wider than the model's",
  details: `Both limits apply to a record, so a wider one in the form has no effect; but a front end that uses it accepts input that the
server rejects. A form can only be narrower. \`--fix\` writes the model's limit.`,
  invalid: [
    formExample('fields:\n  - { name: title, options: { max_length: »500« } }\n'),
    formExample('fields:\n  - { name: rating, options: { gt: »-1«, lte: 5 } }\n'),
    formExample('fields:\n  - name: title\n    options:\n      min_length: »1«\n'),
  ],
  valid: [
    formExample('fields:\n  - { name: title, options: { min_length: 5, max_length: 100 } }\n'),
    formExample('fields:\n  - { name: rating, options: { gte: 1, lt: 5 } }\n  - { name: views, options: { gte: 0 } }\n'),
  ],
  field({ form, field, modelField, source, path }, report) {
    if (form === undefined) return
    const { limits } = modelField
    for (const { key, bound, value } of boundsOf(field.options)) {
      if (!isWider(bound, value, limits)) continue
      const [own, number] = strictest(bound, limits)
      const at = [...path, 'options', key]
      const fix = own === bound ? ({ kind: 'set', path: at, value: number } as const) : undefined
      const message = `${key} ${value} of '${field.name}' has no effect, since the model has ${own} ${number}; narrow it or remove it`
      report(source, at, message, fix === undefined ? {} : { fix })
    }
  },
}

function isWider(bound: WrittenBound['bound'], value: number, limits: Limits): boolean {
  if (bound === 'min_length') return value < (limits.min_length ?? -Infinity)
  if (bound === 'max_length') return value > (limits.max_length ?? Infinity)
  const alone = { [bound]: value }
  return bound === 'gt' || bound === 'gte' ? isBelow(lowest(alone), lowest(limits)) : isAbove(highest(alone), highest(limits))
}

/** The model's limit on the same side. */
function strictest(bound: WrittenBound['bound'], limits: Limits): [string, number] {
  if (bound === 'min_length' || bound === 'max_length') return [bound, limits[bound] ?? 0]
  const isLower = bound === 'gt' || bound === 'gte'
  const { at, open } = isLower ? lowest(limits) : highest(limits)
  return [isLower ? (open ? 'gt' : 'gte') : open ? 'lt' : 'lte', at]
}
