import { useText } from '../text/text.tsx'
import { TextInput } from './texts/text-input.tsx'
import { textOf } from './texts/textarea.tsx'
import type { InputProps } from './widget-props.ts'

const HEX = /^#[0-9a-f]{6}$/i

/** A colour as hex digits, beside the browser's picker. */
export function ColorInput(props: InputProps) {
  const { field, modelField, value, onChange } = props
  const text = useText().form
  const typed = textOf(value)
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
