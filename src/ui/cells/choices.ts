import type { SiteField } from '../../client/client.ts'
import type { FieldView } from '../data/views.ts'

/** A value that a field may have, as it is shown. */
interface Choice {
  readonly value: string | number | boolean
  /** The value as text; unique among the choices of a field. */
  readonly key: string
  readonly label: string
  readonly color: string | undefined
}

/** The choices of a field: those of the view, otherwise of the model; labels and colours of the view come first. */
export function choicesOf(field: FieldView, modelField: SiteField | undefined): readonly Choice[] {
  const own = modelField?.choices ?? []
  const offered: readonly unknown[] = field.options?.choices ?? own
  return offered.map((choice) => {
    const { value, label, color } = partsOf(choice)
    const key = String(value)
    const inModel = own.find((each) => String(each.value) === key)
    return {
      value,
      key,
      label: field.options?.labels?.[key] ?? label ?? inModel?.label ?? key,
      color: field.options?.colors?.[key] ?? color ?? inModel?.color,
    }
  })
}

/** The choice of a value, or one made of the value for a value that is not offered. */
export function choiceOf(value: unknown, field: FieldView, modelField: SiteField | undefined): Choice {
  const key = String(value)
  const offered = choicesOf(field, modelField).find((choice) => choice.key === key)
  const { labels, colors } = field.options ?? {}
  return offered ?? { value: key, key, label: labels?.[key] ?? key, color: colors?.[key] }
}

function partsOf(choice: unknown): { value: Choice['value']; label: string | undefined; color: string | undefined } {
  if (typeof choice !== 'object' || choice === null)
    return { value: choice as Choice['value'], label: undefined, color: undefined }
  const { value, label, color } = choice as { value: Choice['value']; label?: string; color?: string }
  return { value, label, color }
}

/**
 * The items of a value with a choice added or taken away. An added one stands before the chosen ones that follow it among the choices; the
 * others keep their order, and items that are no choice of the view stay.
 */
export function toggledChoice(items: readonly unknown[], key: string, choices: readonly Choice[]): readonly unknown[] {
  if (items.some((item) => String(item) === key)) return items.filter((item) => String(item) !== key)
  const placeOf = (item: unknown) => choices.findIndex((choice) => choice.key === String(item))
  const next = items.findIndex((item) => placeOf(item) > placeOf(key))
  return items.toSpliced(next === -1 ? items.length : next, 0, choices[placeOf(key)]?.value ?? key)
}

const views = new WeakMap<SiteField, FieldView>()

/** The field as a view without settings of its own would have it. The same object for the same field. */
export function plainView(field: SiteField): FieldView {
  const { name, label, type, required, readonly } = field
  const view = views.get(field) ?? {
    name,
    title: label,
    field_type: type,
    required,
    readonly,
    disabled: false,
    is_primary_key: type === 'primarykey',
  }
  views.set(field, view)
  return view
}

/** Schemes that a link may have; others, such as `javascript:`, could run code. */
const SAFE = /^(https?|mailto):/i

/** The address that a value links to; undefined if it must not be a link. */
export function linkOf(type: 'url' | 'email', value: string): string | undefined {
  const address = type === 'email' ? `mailto:${encodeURIComponent(value).replaceAll('%40', '@')}` : value
  return SAFE.test(address) && URL.canParse(address) ? address : undefined
}

const NUMBERS = new Set(['primarykey', 'integer', 'number', 'decimal'])

/** True for fields whose values stand at the right of their column: numbers, but no choices, which have labels. */
export const isNumeric = (field: SiteField): boolean => NUMBERS.has(field.type) && !hasChoices(field)

/** True for a field of any type whose values are choices. */
export const hasChoices = ({ type, choices }: SiteField): boolean =>
  type === 'choice' || type === 'multichoice' || (choices ?? []).length > 0
