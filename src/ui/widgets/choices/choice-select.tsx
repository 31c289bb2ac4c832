import { useText } from '../../text/text.tsx'
import type { InputProps } from '../widget-props.ts'
import { choicesOf } from './choices.ts'

/** The choices of a field; a boolean has yes and no. A value that is no longer offered stays selectable until it is replaced. */
export function useOffered({ field, modelField, value }: InputProps) {
  const text = useText().common
  const offered = choicesOf(field, modelField)
  const choices =
    modelField.type === 'boolean' && offered.length === 0
      ? [
          { value: true, key: 'true', label: field.options?.labels?.true ?? text.yes, color: undefined },
          { value: false, key: 'false', label: field.options?.labels?.false ?? text.no, color: undefined },
        ]
      : offered
  const key = value === null || value === undefined ? '' : String(value)
  if (key === '' || choices.some((choice) => choice.key === key)) return choices
  return [...choices, { value: value as string | number, key, label: key, color: undefined }]
}

/** One of some choices, as the browser's own list. */
export function ChoiceSelect(props: InputProps) {
  const { field, value, onChange, links } = props
  const choices = useOffered(props)
  const text = useText().form
  return (
    <select
      {...links}
      className="input"
      value={value === null || value === undefined ? '' : String(value)}
      onChange={(event) => onChange(choices.find(({ key }) => key === event.target.value)?.value ?? null)}
    >
      <option value="">{field.placeholder ?? text.noChoice}</option>
      {choices.map(({ key, label }) => (
        <option key={key} value={key}>
          {label}
        </option>
      ))}
    </select>
  )
}
