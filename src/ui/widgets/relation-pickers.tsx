import { PanelRightOpen, X } from 'lucide-react'
import type { SiteField } from '../../client/client.ts'
import { Cell } from '../cells/cell.tsx'
import type { AnyRecord } from '../data/records.ts'
import { idsOf, optionOf, optionsOf, type Related } from '../data/related.ts'
import { IconButton } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { Combobox, MultiCombobox } from '../parts/combobox.tsx'
import { passing } from '../parts/pass-focus.ts'
import { useLocale, useText } from '../text/text.tsx'
import { usePicker } from './use-picker.tsx'
import { opening, useRelated } from './use-related.ts'
import type { InputProps } from './widget-props.ts'

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
          onChange={(option) => option !== null && choose(picker.relatedOf(option))}
        >
          {current === undefined ? (
            <span className="placeholder">{field.placeholder ?? text.form.choose}</span>
          ) : (
            optionOf(current).label
          )}
        </Combobox>
        {current !== undefined && (
          <span className="picker-tools">
            <OpenRelated related={related} id={current.id} />
            {!isRequired && (
              <IconButton
                label={text.common.remove(optionOf(current).label)}
                icon={<X size={14} aria-hidden />}
                onClick={passing(() => onChange(null))}
              />
            )}
          </span>
        )}
      </div>
      {picker.reason}
      {picker.dialog}
    </div>
  )
}

/** Chooses any number of records of another model, as chips, with a search on the server. */
export function RelationsPicker({ field, modelField, value, onChange, links, record }: InputProps) {
  const text = useText()
  const ids = idsOf(value)
  const related = useRelated(modelField, record, ids)
  const picker = usePicker({
    related,
    onCreated: (created) => {
      related.remember(created)
      onChange([...ids, created.id])
    },
  })
  const chosen = optionsOf(ids.map(related.relatedOf), useLocale())
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
          for (const option of options) related.remember(picker.relatedOf(option))
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
              button={openButton(related, Number(option.value), text.relation.open(option.label))}
              removeLabel={text.common.remove(option.label)}
              onRemove={() => onChange(ids.filter((id) => String(id) !== option.value))}
            >
              {option.label}
              {option.note !== undefined && <span className="chip-note">{option.note}</span>}
            </Chip>
          ))}
        </div>
      )}
      {picker.reason}
      {picker.dialog}
    </div>
  )
}

interface RelatedValuesProps {
  readonly field: SiteField
  readonly record: AnyRecord
}

/** The related records of a form that does not change them. Each can be opened beside the form. */
export function RelatedValues({ field, record }: RelatedValuesProps) {
  const text = useText().relation
  const ids = idsOf(record[field.name])
  const related = useRelated(field, record, ids)
  if (related.open === undefined || ids.length === 0) return <Cell field={field} value={record[field.name]} record={record} />
  if (field.type !== 'many_to_many') {
    const [id = 0] = ids
    const named = {
      ...record,
      [field.relation?.name ?? '']: { id, [related.target?.display_field ?? 'id']: related.relatedOf(id).label },
    }
    return (
      <span className="related-value">
        <Cell field={field} value={id} record={named} />
        <OpenRelated related={related} id={id} />
      </span>
    )
  }
  return (
    <span className="chips">
      {ids.map((id) => {
        const { label } = optionOf(related.relatedOf(id))
        return (
          <Chip key={id} button={openButton(related, id, text.open(label))}>
            {label}
          </Chip>
        )
      })}
    </span>
  )
}

type RelatedChoice = ReturnType<typeof useRelated>

/** A button that opens a related record beside the form; nothing for one that the user may not view. */
function OpenRelated({ related, id }: { readonly related: RelatedChoice; readonly id: number }) {
  const text = useText().relation
  const { label } = related.relatedOf(id)
  if (label === undefined) return undefined
  const button = openButton(related, id, text.open(label))
  return button && <IconButton {...button} label={text.open(label)} icon={<PanelRightOpen size={14} aria-hidden />} />
}

/** The attributes of a button that opens a related record; undefined where this is not possible. */
function openButton({ target, open }: RelatedChoice, id: number, label: string) {
  if (open === undefined || target === undefined) return undefined
  return { ...opening(target.key, id), 'aria-label': label, onClick: () => open(id) }
}
