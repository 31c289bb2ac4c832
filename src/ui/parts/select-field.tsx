import { Field } from './field.tsx'

interface SelectFieldProps {
  readonly label: string
  readonly help?: string | undefined
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly isDisabled?: boolean
  readonly onChange: (value: string) => void
}

/** Chooses one of some values, with a label. */
export const SelectField = ({ label, help, value, options, isDisabled, onChange }: SelectFieldProps) => (
  <Field label={label} help={help}>
    {(links) => (
      <select {...links} className="input" value={value} disabled={isDisabled} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
)
