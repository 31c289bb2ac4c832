import { useId } from 'react'
import { useAddress } from '../data/use-address.ts'
import { SelectField } from '../parts/field.tsx'
import { useLaterText } from '../text/later.ts'

interface ChecksProps {
  readonly label: string
  readonly help?: string
  readonly errors?: readonly string[] | undefined
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** Chooses any number of some values. */
export function Checks({ label, help, errors = [], options, chosen, onChange }: ChecksProps) {
  const id = useId()
  const described = [help !== undefined && `${id}-help`, errors.length > 0 && `${id}-errors`].filter(Boolean).join(' ')
  const toggle = (value: string, isOn: boolean) => onChange(isOn ? [...chosen, value] : chosen.filter((each) => each !== value))
  return (
    <fieldset className="checks" aria-describedby={described || undefined}>
      <legend className="field-label">{label}</legend>
      <div className="options checks-options">
        {options.map((option) => (
          <label key={option.value} className="option">
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={(event) => toggle(option.value, event.target.checked)}
            />
            {option.label}
          </label>
        ))}
      </div>
      {help !== undefined && (
        <p id={`${id}-help`} className="field-help">
          {help}
        </p>
      )}
      {errors.length > 0 && (
        <p id={`${id}-errors`} className="field-errors">
          {errors.join('; ')}
        </p>
      )}
    </fieldset>
  )
}

interface FilterSelectProps {
  /** Name of the parameter of the address. */
  readonly name: string
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** Chooses a value of a parameter of the address, or none. */
export function FilterSelect({ name, label, options }: FilterSelectProps) {
  const text = useLaterText().history
  const { get, change } = useAddress()
  return (
    <SelectField
      label={label}
      value={get(name) ?? ''}
      options={[{ value: '', label: text.all }, ...options]}
      onChange={(value) => change({ [name]: value || undefined, page: undefined })}
    />
  )
}
