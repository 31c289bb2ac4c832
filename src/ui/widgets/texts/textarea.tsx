import { useState } from 'react'
import type { InputProps } from '../widget-props.ts'

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

/** The text of a value that a text input edits. */
export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

/** True from when a value first has line breaks, which an input of one line would drop; it stays when the user removes them. */
export function useHasLines(value: unknown): boolean {
  const [hadLines, setHadLines] = useState(false)
  if (!hadLines && /[\r\n]/.test(textOf(value))) setHadLines(true)
  return hadLines
}
