import { useAddress } from '../data/use-address.ts'
import { SelectField } from '../parts/field.tsx'
import { useText } from '../text/text.tsx'

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
    <SelectField
      label={label}
      value={get(name) ?? ''}
      options={[{ value: '', label: text.all }, ...options]}
      onChange={(value) => change({ [name]: value || undefined, page: undefined })}
    />
  )
}
