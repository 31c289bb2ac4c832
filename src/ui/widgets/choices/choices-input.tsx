import { useState } from 'react'
import { Chip } from '../../parts/chip.tsx'
import { MultiCombobox } from '../../parts/combobox.tsx'
import { useText } from '../../text/text.tsx'
import { matchingOptions } from '../relations/matching-options.ts'
import type { InputProps } from '../widget-props.ts'
import { choiceOf, choicesOf } from './choices.ts'

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
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
