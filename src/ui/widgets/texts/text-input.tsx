import type { InputProps } from '../widget-props.ts'

const INPUT_TYPES: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', url: 'url' }

/** One line of text. An empty input is null. */
export function TextInput({ field, modelField, value, onChange, links }: InputProps) {
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

/** The text of a value that a text input edits. */
export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value))
