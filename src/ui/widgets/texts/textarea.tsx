import type { InputProps } from '../widget-props.ts'
import { textOf } from './text-input.tsx'

/** Several lines of text; grows with the text. An empty input is null. */
export function Textarea({ field, value, onChange, links }: InputProps) {
  return (
    <textarea
      {...links}
      className="input textarea"
      placeholder={field.placeholder}
      value={textOf(value)}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
    />
  )
}
