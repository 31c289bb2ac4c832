import { useLocale } from '../text/text.tsx'
import { numberSigns, numberText, parseNumber } from './numbers.ts'
import { useTyped } from './unparsed.ts'
import type { InputProps } from './widget-props.ts'

interface TypedNumberProps extends Pick<InputProps, 'value' | 'onChange' | 'links'> {
  /** The type of the number, as of a field. */
  readonly type: string
  readonly placeholder?: string | undefined
  /** Digits behind the decimal sign at least. Default: 0. */
  readonly decimals?: number
}

/**
 * A number, with the signs of the language. Any text can be typed and pasted; one that is no number becomes an `Unparsed`. When the focus
 * leaves, the input shows the number that was read.
 */
export function TypedNumber({ type, value, onChange, links, placeholder, decimals = 0 }: TypedNumberProps) {
  const signs = numberSigns(useLocale())
  const format = (each: unknown) => numberText(each, signs, decimals)
  const [text, setText, settle] = useTyped({ value, onChange, format, parse: (typed) => parseNumber(type, typed, signs) })
  return (
    <input
      {...links}
      className="input number-input"
      inputMode={type === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={settle}
    />
  )
}

/** The number of a field, with its decimal places as lists show them. */
export function NumberInput({ field, modelField, value, onChange, links }: InputProps) {
  const places = field.options?.decimal_places ?? modelField.bounds.decimal_places
  const decimals = typeof places === 'number' ? places : 0
  return <TypedNumber {...{ value, onChange, links, decimals }} type={modelField.type} placeholder={field.placeholder} />
}

/** A slider between the bounds of the field, beside the number itself. Without bounds only the number. */
export function RangeInput(props: InputProps) {
  const { field, modelField, value, onChange, links } = props
  const bounds = { ...modelField.bounds, ...field.options }
  const least = numberOf(bounds.gte ?? bounds.gt)
  const most = numberOf(bounds.lte ?? bounds.lt)
  if (least === undefined || most === undefined) return <NumberInput {...props} />
  const step = modelField.type === 'integer' ? 1 : stepOf(bounds.decimal_places, most - least)
  return (
    <div className="range">
      <input
        type="range"
        aria-label={field.title ?? modelField.label}
        aria-describedby={links['aria-describedby']}
        min={least}
        max={most}
        step={step}
        value={numberOf(value) ?? least}
        onChange={(event) => onChange(modelField.type === 'decimal' ? event.target.value : event.target.valueAsNumber)}
      />
      <NumberInput {...props} />
    </div>
  )
}

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** The places of a decimal, otherwise about a hundred steps. */
const stepOf = (places: unknown, width: number): number =>
  typeof places === 'number' ? 10 ** -places : 10 ** Math.floor(Math.log10(width / 50))
