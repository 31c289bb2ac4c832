import type { InputProps } from './widget-props.ts'

/** A yes or no. A record without a value shows neither until it is chosen. */
export function CheckboxInput({ field, value, onChange, links }: InputProps) {
  const { 'aria-required': _, ...attributes } = links
  const isSwitch = field.widget === 'switch' || field.widget === 'toggle'
  return (
    <input
      {...attributes}
      type="checkbox"
      role={isSwitch ? 'switch' : undefined}
      className={isSwitch ? 'switch' : undefined}
      checked={value === true}
      onChange={(event) => onChange(event.target.checked)}
    />
  )
}
