import { X } from 'lucide-react'
import type { Related } from '../../data/related.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { useText } from '../../text/text.tsx'
import type { InputProps } from '../widget-props.ts'
import { optionOf, usePicker } from './use-picker.tsx'
import { useRelated } from './use-related.ts'

/** Chooses one record of another model, with a search on the server. */
export function RelationPicker({ field, modelField, value, onChange, links, record }: InputProps) {
  const text = useText()
  const id = typeof value === 'number' ? value : undefined
  const related = useRelated(modelField, record, id === undefined ? [] : [id])
  const choose = (chosen: Related) => {
    related.remember(chosen)
    onChange(chosen.id)
  }
  const picker = usePicker({ related, onCreated: choose })
  const current = id === undefined ? undefined : related.relatedOf(id)
  const isRequired = field.required || modelField.required
  return (
    <div className="picker">
      <div className="picker-row">
        <Combobox
          {...picker.combobox}
          id={links.id}
          label={links['aria-label']}
          describedBy={links['aria-describedby']}
          isInvalid={links['aria-invalid'] ?? false}
          value={current === undefined ? null : optionOf(current)}
          onChange={(option) => option !== null && choose({ id: Number(option.value), label: option.label })}
        >
          {current === undefined ? (
            <span className="placeholder">{field.placeholder ?? text.form.choose}</span>
          ) : (
            optionOf(current).label
          )}
        </Combobox>
        {current !== undefined && !isRequired && (
          <IconButton
            label={text.common.remove(optionOf(current).label)}
            icon={<X size={14} aria-hidden />}
            onClick={() => onChange(null)}
          />
        )}
      </div>
      {picker.reason}
      {picker.dialog}
    </div>
  )
}
