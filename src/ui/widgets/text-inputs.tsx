import { useId, useState } from 'react'
import { choicesOf } from '../cells/choices.ts'
import { SecretInput } from '../parts/secret-input.tsx'
import { useText } from '../text/text.tsx'
import { withLineBreaks } from './line-breaks.ts'
import { FullScreen, TextArea } from './text-area.tsx'
import type { InputProps } from './widget-props.ts'

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
      value={inputText(value)}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
    />
  )
}

/** Several lines of text. An empty input is null. Line breaks stay as the text has them. */
export function Textarea({ field, modelField, value, onChange, links, record }: InputProps) {
  const change = (text: string) => onChange(withLineBreaks(text, inputText(value), inputText(record?.[modelField.name])))
  const label = field.title ?? modelField.label
  return (
    <FullScreen label={label}>
      {(isFull) => (
        <TextArea
          {...(isFull ? { 'aria-label': label } : links)}
          className="input"
          placeholder={field.placeholder}
          value={inputText(value)}
          onChange={(event) => (event.target.value === '' ? onChange(null) : change(event.target.value))}
        />
      )}
    </FullScreen>
  )
}

/** The text of a value that a text input edits. */
export const inputText = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

/** True from when a value first has line breaks, which an input of one line would drop; it stays when the user removes them. */
function useHasLines(value: unknown): boolean {
  const [hadLines, setHadLines] = useState(false)
  if (!hadLines && /[\r\n]/.test(inputText(value))) setHadLines(true)
  return hadLines
}

/** A new password. What is typed can be looked at; stored passwords never are. */
export const PasswordInput = ({ field, value, onChange, links }: InputProps) => (
  <SecretInput
    {...links}
    autoComplete="new-password"
    placeholder={field.placeholder}
    value={inputText(value)}
    onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
  />
)

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
        value={inputText(value)}
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

const HEX = /^#[0-9a-f]{6}$/i

/** A colour as hex digits, beside the browser's picker. */
export function ColorInput(props: InputProps) {
  const { field, modelField, value, onChange } = props
  const text = useText().form
  const typed = inputText(value)
  return (
    <div className="color">
      <input
        type="color"
        aria-label={text.pickColor(field.title ?? modelField.label)}
        value={HEX.test(typed) ? typed.toLowerCase() : '#000000'}
        onChange={(event) => onChange(event.target.value)}
      />
      <TextInput {...props} />
    </div>
  )
}

/** A yes or no, with its word. A record without a value shows neither until it is chosen. */
export function SwitchInput({ field, value, onChange, links }: InputProps) {
  const { common, form } = useText()
  const { 'aria-required': _, ...attributes } = links
  const { labels } = field.options ?? {}
  const words = { true: labels?.true ?? common.yes, false: labels?.false ?? common.no }
  return (
    <span className="switch-row">
      <input
        {...attributes}
        type="checkbox"
        role="switch"
        aria-checked={value === true}
        className="switch"
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span aria-hidden>{typeof value === 'boolean' ? words[`${value}`] : form.noChoice}</span>
    </span>
  )
}
