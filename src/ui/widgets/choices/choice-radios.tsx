import { useId } from 'react'
import { useText } from '../../text/text.tsx'
import type { InputProps } from '../widget-props.ts'
import { useOffered } from './choice-select.tsx'

/** One of some choices, all of them visible. A field that need not have a value has a choice for none. */
export function ChoiceRadios(props: InputProps) {
  const { field, modelField, value, onChange, links } = props
  const choices = useOffered(props)
  const text = useText().form
  const name = useId()
  const { id, ...attributes } = links
  const none = field.required || modelField.required ? [] : [{ value: null, key: '', label: text.noChoice }]
  const key = value === null || value === undefined ? '' : String(value)
  return (
    <div {...attributes} role="radiogroup" aria-labelledby={id === undefined ? undefined : `${id}-label`} className="options">
      {[...choices, ...none].map((choice, index) => (
        <label key={choice.key} className="option">
          <input
            id={index === 0 ? id : undefined}
            type="radio"
            name={name}
            checked={choice.key === key}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  )
}
