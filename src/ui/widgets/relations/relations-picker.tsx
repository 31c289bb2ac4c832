import { idOf } from '../../data/related.ts'
import { Chip } from '../../parts/chip.tsx'
import { MultiCombobox } from '../../parts/combobox.tsx'
import { useText } from '../../text/text.tsx'
import { listOf } from '../choices/choices-input.tsx'
import type { InputProps } from '../widget-props.ts'
import { optionOf, usePicker } from './use-picker.tsx'
import { useRelated } from './use-related.ts'

/** Chooses any number of records of another model, as chips, with a search on the server. */
export function RelationsPicker({ field, modelField, value, onChange, links, record }: InputProps) {
  const text = useText()
  const ids = listOf(value).flatMap((each) => idOf(each) ?? [])
  const related = useRelated(modelField, record, ids)
  const picker = usePicker({
    related,
    onCreated: (created) => {
      related.remember(created)
      onChange([...ids, created.id])
    },
  })
  const chosen = ids.map((id) => optionOf(related.relatedOf(id)))
  return (
    <div className="picker chosen">
      <MultiCombobox
        {...picker.combobox}
        id={links.id}
        label={links['aria-label']}
        describedBy={links['aria-describedby']}
        isInvalid={links['aria-invalid'] ?? false}
        value={chosen}
        onChange={(options) => {
          for (const option of options) related.remember({ id: Number(option.value), label: option.label })
          onChange(options.map((option) => Number(option.value)))
        }}
      >
        {chosen.length === 0 ? (
          <span className="placeholder">{field.placeholder ?? text.form.choose}</span>
        ) : (
          text.form.chosen(chosen.length)
        )}
      </MultiCombobox>
      {chosen.length > 0 && (
        <div className="chips">
          {chosen.map((option) => (
            <Chip
              key={option.value}
              removeLabel={text.common.remove(option.label)}
              onRemove={() => onChange(ids.filter((id) => String(id) !== option.value))}
            >
              {option.label}
            </Chip>
          ))}
        </div>
      )}
      {picker.reason}
      {picker.dialog}
    </div>
  )
}
