import type { InputProps } from '../widget-props.ts'
import { choicesOf } from './choices.ts'
import { listOf } from './choices-input.tsx'

/** Any number of choices, all of them visible. The value keeps the order of the choices. */
export function ChoiceCheckboxes({ field, modelField, value, onChange, links }: InputProps) {
  const choices = choicesOf(field, modelField)
  const chosen = new Set(listOf(value).map(String))
  const { id, 'aria-required': _, 'aria-invalid': __, ...attributes } = links
  const toggle = (key: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(key)
    else next.delete(key)
    onChange(choices.filter((choice) => next.has(choice.key)).map((choice) => choice.value))
  }
  return (
    <fieldset {...attributes} aria-labelledby={id === undefined ? undefined : `${id}-label`} className="options">
      {choices.map(({ key, label }, index) => (
        <label key={key} className="option">
          <input
            id={index === 0 ? id : undefined}
            type="checkbox"
            checked={chosen.has(key)}
            onChange={(event) => toggle(key, event.target.checked)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
