import type { InputProps } from '../widget-props.ts'
import { Textarea, textOf, useHasLines } from './textarea.tsx'

const INPUT_TYPES: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', url: 'url' }

/** One line of text; several if the value has line breaks. An empty input is null. */
export function TextInput(props: InputProps) {
  const { field, modelField, value, onChange, links } = props
  if (useHasLines(value)) return <Textarea {...props} />
  return (
    <input
      {...links}
      className="input"
      type={INPUT_TYPES[modelField.type] ?? 'text'}
      spellCheck={modelField.type === 'string' || modelField.type === 'text'}
      autoComplete="off"
      placeholder={field.placeholder}
      value={textOf(value)}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
    />
  )
}
