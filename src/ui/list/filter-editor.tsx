import { type FormEvent, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { may, modelOf, useSite } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { faultsOf, faultText } from '../widgets/faults.ts'
import { numberSigns } from '../widgets/numbers.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import { Widget } from '../widgets/widget.tsx'
import { editorOperator, type FilterField, firstOperator, offeredOperators, operatorLabel } from './filter-labels.ts'
import type { ListFilter } from './filter-text.ts'
import { comparedField, faultyItems, filterValue, widgetValue } from './filter-value.ts'

export interface FilterEditorProps {
  /** The model that has the fields. */
  readonly model: SiteModel
  /** The fields to choose from. */
  readonly fields: readonly FilterField[]
  /** The filter to edit. */
  readonly filter?: ListFilter
  readonly onApply: (filter: ListFilter) => void
}

/** Makes a filter of a field, an operator of the field, and a value of its type. */
export function FilterEditor({ model, fields, filter, onApply }: FilterEditorProps) {
  const text = useText()
  const site = useSite()
  const signs = numberSigns(useLocale())
  const [name, setName] = useState(fields[0]?.field.name)
  const chosen = fields.find((each) => each.field.name === name)
  const field = chosen?.field
  const [operator, setOperator] = useState(
    () => (filter === undefined ? field && firstOperator(field) : editorOperator(filter)) ?? 'eq',
  )
  const [value, setValue] = useState<unknown>(() =>
    filter === undefined || field === undefined ? null : widgetValue(filter, field, signs),
  )
  const [isMissing, setMissing] = useState(false)
  if (chosen === undefined || field === undefined) return undefined
  const canPick = field.relation === null || may(modelOf(site, field.relation.model), 'view')
  const compared = comparedField(chosen, operator, canPick)
  const faults =
    operator === 'in' && isMissing
      ? faultyItems(field, value, signs).map((item) => `${item.text}: ${faultText(item.fault, text.form)}`)
      : faultsOf(value, text.form, isMissing)

  const chooseField = (next: string) => {
    const found = fields.find((each) => each.field.name === next)
    if (found === undefined) return
    setName(next)
    setOperator(firstOperator(found.field))
    setValue(null)
    setMissing(false)
  }
  const chooseOperator = (next: string) => {
    // A list of values and a single one have different inputs.
    if ((next === 'in') !== (operator === 'in')) setValue(null)
    setOperator(next)
    setMissing(false)
  }
  const apply = (event: FormEvent) => {
    event.preventDefault()
    // A form in a popup is, for React, within the forms of the page.
    event.stopPropagation()
    const made = filterValue(field, operator, value, signs)
    if (made === undefined || value instanceof Unparsed) setMissing(true)
    else onApply({ path: field.name, ...made })
  }

  return (
    <form className="filter-editor" onSubmit={apply}>
      {fields.length > 1 && (
        <LabelledField label={text.list.field}>
          {(links) => (
            <select {...links} className="input" value={name} onChange={(event) => chooseField(event.target.value)}>
              {fields.map((each) => (
                <option key={each.field.name} value={each.field.name}>
                  {each.view.title}
                </option>
              ))}
            </select>
          )}
        </LabelledField>
      )}
      <LabelledField label={fields.length > 1 ? text.list.operator : chosen.view.title}>
        {(links) => (
          <select {...links} className="input" value={operator} onChange={(event) => chooseOperator(event.target.value)}>
            {offeredOperators(field).map((each) => (
              <option key={each} value={each}>
                {operatorLabel(text.list, each, field)}
              </option>
            ))}
          </select>
        )}
      </LabelledField>
      {compared !== undefined && (
        <LabelledField
          key={`${compared.view.name} ${compared.view.field_type}`}
          label={text.list.value}
          errors={faults.length === 0 && isMissing ? [text.list.valueMissing] : faults}
        >
          {(links) => (
            <Widget
              field={compared.view}
              model={{ ...model, fields: [compared.field] }}
              value={value}
              onChange={(next) => {
                setValue(next)
                setMissing(false)
              }}
              links={links}
            />
          )}
        </LabelledField>
      )}
      <div className="dialog-actions">
        <Button kind="primary" type="submit">
          {text.list.apply}
        </Button>
      </div>
    </form>
  )
}
