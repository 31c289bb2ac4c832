import { Field } from '../parts/field.tsx'
import { useText } from '../text/text.tsx'
import { useAddress } from './use-address.ts'

interface FilterSelectProps {
  /** Name of the parameter of the address. */
  readonly name: string
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

/** Chooses a value of a parameter of the address, or none. */
export function FilterSelect({ name, label, options }: FilterSelectProps) {
  const text = useText().history
  const { get, change } = useAddress()
  return (
    <Field label={label}>
      {(links) => (
        <select
          {...links}
          className="input"
          value={get(name) ?? ''}
          onChange={(event) => change({ [name]: event.target.value || undefined, page: undefined })}
        >
          <option value="">{text.all}</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
