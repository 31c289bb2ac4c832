import type { InputProps } from '../widget-props.ts'
import { choicesOf, toggledChoice } from './choices.ts'
import { listOf } from './choices-input.tsx'

/** Any number of choices, all of them visible. */
export function ChoiceCheckboxes({ field, modelField, value, onChange, links }: InputProps) {
  const choices = choicesOf(field, modelField)
  const chosen = new Set(listOf(value).map(String))
  const { id, 'aria-required': _, 'aria-invalid': __, ...attributes } = links
  return (
    <fieldset {...attributes} aria-labelledby={id === undefined ? undefined : `${id}-label`} className="options">
      {choices.map(({ key, label }, index) => (
        <label key={key} className="option">
          <input
            id={index === 0 ? id : undefined}
            type="checkbox"
            checked={chosen.has(key)}
            onChange={() => onChange(toggledChoice(listOf(value), key, choices))}
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
