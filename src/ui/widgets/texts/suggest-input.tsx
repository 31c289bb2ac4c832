import { useId } from 'react'
import { choicesOf } from '../choices/choices.ts'
import type { InputProps } from '../widget-props.ts'
import { Textarea, textOf, useHasLines } from './textarea.tsx'

/** One line of text, with the choices of the field as suggestions. */
export function SuggestInput(props: InputProps) {
  const { field, modelField, value, onChange, links } = props
  const list = useId()
  if (useHasLines(value)) return <Textarea {...props} />
  return (
    <>
      <input
        {...links}
        className="input"
        list={list}
        placeholder={field.placeholder}
        value={textOf(value)}
        onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      />
      <datalist id={list}>
        {choicesOf(field, modelField).map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  )
}
