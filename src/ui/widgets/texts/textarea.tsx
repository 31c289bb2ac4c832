import { useState } from 'react'
import type { InputProps } from '../widget-props.ts'
import { withLineBreaks } from './line-breaks.ts'

/** Several lines of text; grows with the text. An empty input is null. Line breaks stay as the text has them. */
export function Textarea({ field, modelField, value, onChange, links, record }: InputProps) {
  const change = (text: string) => onChange(withLineBreaks(text, textOf(value), textOf(record?.[modelField.name])))
  return (
    <textarea
      {...links}
      className="input textarea"
      placeholder={field.placeholder}
      value={textOf(value)}
      onChange={(event) => (event.target.value === '' ? onChange(null) : change(event.target.value))}
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
