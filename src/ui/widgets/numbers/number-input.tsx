import { useLocale } from '../../cells/use-locale.ts'
import { useTyped } from '../use-typed.ts'
import type { InputProps } from '../widget-props.ts'
import { formatNumber, numberSigns, parseNumber } from './numbers.ts'

/** A number, with the signs of the language. Any text can be typed and pasted; the field says what is wrong with one that is no number. */
export function NumberInput({ field, modelField: { type }, value, onChange, links }: InputProps) {
  const signs = numberSigns(useLocale())
  const format = (each: unknown) => formatNumber(each, signs)
  const [text, setText] = useTyped({ value, onChange, format, parse: (typed) => parseNumber(type, typed, signs) })
  return (
    <input
      {...links}
      className="input number-input"
      inputMode={type === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      placeholder={field.placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
