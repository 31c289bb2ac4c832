import { type ReactNode, useId } from 'react'
import { useText } from '../text/text.tsx'
import { Select } from './select.tsx'
import type { SelectProps } from './select-popup.tsx'

/** Attributes of an input that connect it with its label, help and messages. */
interface InputLinks {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

interface FieldProps {
  readonly label: string
  readonly help?: ReactNode
  readonly errors?: readonly string[] | undefined
  readonly isRequired?: boolean
  /** Name of the field, so that a form finds the first one with a message. */
  readonly name?: string
  /** `row` puts the label behind the input, as for a checkbox. */
  readonly shape?: 'column' | 'row'
  /** Renders the input. */
  readonly children: (links: InputLinks) => ReactNode
}

/** A labelled input with help and messages. */
export function LabelledField({ label, help, errors = [], isRequired = false, name, shape = 'column', children }: FieldProps) {
  const id = useId()
  const { errors: text } = useText()
  const hasErrors = errors.length > 0
  const described = [help !== undefined && `${id}-help`, hasErrors && `${id}-errors`].filter(Boolean).join(' ')
  const links: InputLinks = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': hasErrors || undefined,
    'aria-required': isRequired || undefined,
  }
  return (
    <div className={`field field-${shape}`} data-field={name} data-invalid={hasErrors || undefined}>
      <label id={`${id}-label`} className="field-label" htmlFor={id}>
        {label}
        {isRequired && (
          <span className="field-required" aria-hidden>
            *
          </span>
        )}
      </label>
      {children(links)}
      {help !== undefined && (
        <p id={`${id}-help`} className="field-help">
          {help}
        </p>
      )}
      {hasErrors && (
        <ul id={`${id}-errors`} className="field-errors">
          {errors.map((error) => (
            <li key={error}>{text.fromServer(error)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface SelectFieldProps extends Pick<SelectProps, 'value' | 'options' | 'isDisabled' | 'onChange'> {
  readonly label: string
  readonly help?: string | undefined
}

/** Chooses one of some values, with a label. */
export const SelectField = ({ label, help, value, options, isDisabled = false, onChange }: SelectFieldProps) => (
  <LabelledField label={label} help={help}>
    {(links) => <Select {...{ links, value, options, isDisabled, onChange }} />}
  </LabelledField>
)
