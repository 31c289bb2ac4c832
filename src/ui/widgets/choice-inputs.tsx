import { useId, useState } from 'react'
import { choiceOf, choicesOf, toggledChoice } from '../cells/choices.ts'
import { Chip } from '../parts/chip.tsx'
import { MultiCombobox } from '../parts/combobox.tsx'
import { Select } from '../parts/select.tsx'
import { matchingOptions } from '../text/format.ts'
import { useText } from '../text/text.tsx'
import type { InputProps } from './widget-props.ts'

/** The choices of a field; a boolean has yes and no. A value that is no longer offered stays selectable until it is replaced. */
function useOffered({ field, modelField, value }: InputProps) {
  const text = useText().common
  const offered = choicesOf(field, modelField)
  const choices =
    modelField.type === 'boolean' && offered.length === 0
      ? [
          { value: true, key: 'true', label: field.options?.labels?.true ?? text.yes, color: undefined },
          { value: false, key: 'false', label: field.options?.labels?.false ?? text.no, color: undefined },
        ]
      : offered
  const key = value === null || value === undefined ? '' : String(value)
  if (key === '' || choices.some((choice) => choice.key === key)) return choices
  return [...choices, { value: value as string | number, key, label: key, color: undefined }]
}

/** One of some choices, in a list that opens. A field that need not have a value has a choice for none. */
export function ChoiceSelect(props: InputProps) {
  const { field, modelField, value, onChange, links } = props
  const choices = useOffered(props)
  const text = useText().form
  const options = choices.map(({ key, label }) => ({ value: key, label }))
  const isRequired = field.required || modelField.required
  return (
    <Select
      links={links}
      value={value === null || value === undefined ? '' : String(value)}
      options={isRequired ? options : [{ value: '', label: text.noChoice }, ...options]}
      placeholder={field.placeholder ?? (isRequired ? text.choose : text.noChoice)}
      onChange={(chosen) => onChange(choices.find(({ key }) => key === chosen)?.value ?? null)}
    />
  )
}

/** One of some choices, all of them visible. A field that need not have a value has a choice for none. */
export function ChoiceRadios(props: InputProps) {
  const { field, modelField, value, onChange, links } = props
  const choices = useOffered(props)
  const text = useText().form
  const name = useId()
  const { id, ...attributes } = links
  const none = field.required || modelField.required ? [] : [{ value: null, key: '', label: text.noChoice }]
  const key = value === null || value === undefined ? '' : String(value)
  return (
    <div {...attributes} role="radiogroup" aria-labelledby={id === undefined ? undefined : `${id}-label`} className="options">
      {[...choices, ...none].map((choice, index) => (
        <label key={choice.key} className="option">
          <input
            id={index === 0 ? id : undefined}
            type="radio"
            name={name}
            checked={choice.key === key}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  )
}

/** Any number of choices, all of them visible. */
export function ChoiceCheckboxes({ field, modelField, value, onChange, links }: InputProps) {
  const choices = choicesOf(field, modelField)
  const chosen = new Set(listOf(value).map(String))
  const { id, 'aria-required': _, 'aria-invalid': __, ...attributes } = links
  return (
    <fieldset {...attributes} aria-labelledby={id === undefined ? undefined : `${id}-label`} className="options">
      {choices.map(({ key, label }, index) => (
        <label key={key} className="option">
          <input
            id={index === 0 ? id : undefined}
            type="checkbox"
            checked={chosen.has(key)}
            onChange={() => onChange(toggledChoice(listOf(value), key, choices))}
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

/** Any number of choices, as chips. */
export function ChoicesInput({ field, modelField, value, onChange, links }: InputProps) {
  const [search, setSearch] = useState('')
  const text = useText()
  const chosen = listOf(value)
  const choices = choicesOf(field, modelField).map(({ key, label }) => ({ value: key, label }))
  const chosenValue = (key: string) => choicesOf(field, modelField).find((choice) => choice.key === key)?.value ?? key
  const selected = chosen.map((each) => choiceOf(each, field, modelField))
  return (
    <div className="chosen">
      <MultiCombobox
        id={links.id}
        label={links['aria-label']}
        describedBy={links['aria-describedby']}
        isInvalid={links['aria-invalid'] ?? false}
        options={matchingOptions(choices, search)}
        search={search}
        onSearch={setSearch}
        value={selected.map(({ key, label }) => ({ value: key, label }))}
        onChange={(next) => onChange(next.map((option) => chosenValue(option.value)))}
      >
        {selected.length === 0 ? (
          <span className="placeholder">{field.placeholder ?? text.form.choose}</span>
        ) : (
          text.form.chosen(selected.length)
        )}
      </MultiCombobox>
      {selected.length > 0 && (
        <div className="chips">
          {selected.map(({ key, label, color }) => (
            <Chip
              key={key}
              color={color}
              removeLabel={text.common.remove(label)}
              onRemove={() => onChange(chosen.filter((each) => String(each) !== key))}
            >
              {label}
            </Chip>
          ))}
        </div>
      )}
    </div>
  )
}

/** The items of a value that should be a list. */
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
