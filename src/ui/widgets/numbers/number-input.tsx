import { useTyped } from '../use-typed.ts'
import type { InputProps } from '../widget-props.ts'
import { formatNumber, isTypable, parseNumber, pointed } from './numbers.ts'

/** A number. Other characters are refused; decimals stay text, so that no digit is lost. */
export function NumberInput({ field, modelField: { type }, value, onChange, links }: InputProps) {
  const [text, setText] = useTyped({ value, onChange, format: formatNumber, parse: (typed) => parseNumber(type, typed) })
  const enter = (typed: string) => isTypable(type, typed) && setText(typed)
  return (
    <input
      {...links}
      className="input number-input"
      inputMode={type === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      placeholder={field.placeholder}
      value={text}
      onChange={(event) => enter(pointed(event.target.value))}
    />
  )
}
