import type { FieldDefinition, LimitsDefinition } from '../../model/definition.ts'
import { checkLimits, compileLimits, type Limits } from '../../model/limits.ts'
import { boundsProblems, readDefault } from '../../model/parse-field.ts'
import { isObject } from '../../util/json.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import { boundsOf, highest, isAbove, isBelow, limitsIn, lowest, type WrittenBound } from '../field-options.ts'
import { formExample, type LintRule } from '../rule.ts'

/** Rules for the values that a form offers or accepts. */
export const VIEW_VALUE_RULES = {
  'view/choices-mismatch': {
    severity: 'error',
    summary: 'A form offers a choice that the model rejects',
    details: `A form can offer fewer choices than the model, but no others: a request with such a choice is rejected. Add the choice to the model, or
remove it from the form. For a field without choices, the values must have its type and satisfy its limits.`,
    invalid: [
      formExample('fields:\n  - { name: status, options: { choices: [draft, »publishd«] } }\n'),
      formExample(
        'fields:\n  - { name: rating, options: { choices: [{ value: 1, label: Bad }, { value: »9«, label: Good }] } }\n',
      ),
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
  },
  'view/default-invalid': {
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
      if ((value === 'today' && modelField.type.name === 'date') || (value === 'now' && modelField.type.name === 'datetime'))
        return
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
  },
  'view/impossible-bounds': {
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
  },
  'view/looser-than-model': {
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
  },
} as const satisfies Readonly<Record<string, LintRule>>

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
