import { Check, ChevronDown } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { may, modelOf, useSite } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { CommandList } from '../parts/command-list.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { matchingOptions } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import { faultsOf, faultText } from '../widgets/faults.ts'
import { numberSigns } from '../widgets/numbers.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import { Widget } from '../widgets/widget.tsx'
import { editorOperator, type FilterField, filterKind, offeredOperators, operatorLabel } from './filter-labels.ts'
import { ChoiceList, PeriodList, RelatedList } from './filter-options.tsx'
import { itemsOf, itemsText, type ListFilter } from './filter-text.ts'
import { comparedField, convertedValue, faultyItems, filterValue, isReversed, widgetValue } from './filter-value.ts'

export interface FilterEditorProps {
  /** The model that has the fields. */
  readonly model: SiteModel
  /** The fields to choose from. */
  readonly fields: readonly FilterField[]
  /** The filter to edit. */
  readonly filter?: ListFilter | undefined
  /** The other filters of the list; undefined where records by value cannot be counted. */
  readonly others: readonly string[] | undefined
  /** Called with each change, at once where values are chosen from a list. @param filter undefined for none */
  readonly onChange: (filter: ListFilter | undefined) => void
  readonly onClose: () => void
}

/** Chooses a field, if there are several, then an operator of it, and a value of its type. */
export function FilterEditor({ fields, ...props }: FilterEditorProps) {
  const [name, setName] = useState(fields.length === 1 ? fields[0]?.field.name : undefined)
  const chosen = fields.find(({ field }) => field.name === name)
  if (chosen === undefined) return <FieldList fields={fields} onChoose={setName} />
  return <FieldFilter {...props} shown={chosen} isNext={fields.length > 1} />
}

interface FieldListProps {
  readonly fields: readonly FilterField[]
  readonly onChoose: (name: string) => void
}

/** The fields of a model, with a search. */
function FieldList({ fields, onChoose }: FieldListProps) {
  const text = useText()
  const [search, setSearch] = useState('')
  const items = fields.map(({ field, view }) => ({ value: field.name, label: view.title, run: () => onChoose(field.name) }))
  const matches = matchingOptions(items, search)
  return (
    <div className="filter-editor filter-fields">
      <CommandList
        label={text.list.findField}
        query={search}
        onQuery={setSearch}
        groups={matches.length === 0 ? [] : [{ value: text.list.fields, items: matches }]}
        empty={text.common.noMatches}
      />
    </div>
  )
}

interface FieldFilterProps extends Omit<FilterEditorProps, 'fields'> {
  readonly shown: FilterField
  /** True if the editor takes the place of a list of fields, and so the focus. */
  readonly isNext: boolean
}

function FieldFilter({ model, shown, filter, others, onChange, onClose, isNext }: FieldFilterProps) {
  const site = useSite()
  const signs = numberSigns(useLocale())
  const { field, view } = shown
  const canPick = field.relation === null || may(modelOf(site, field.relation.model), 'view')
  const kind = filterKind(field, canPick)
  const present = filter && editorOperator(filter, kind)
  const operators = offeredOperators(field, kind, present)
  const [operator, setOperator] = useState(present ?? operators[0] ?? 'eq')
  const [value, setValue] = useState<unknown>(() => (filter === undefined ? null : widgetValue(filter, field, signs)))
  /** The operator that the value was typed for: a period of the calendar keeps it. */
  const [typedFor, setTypedFor] = useState(operator)
  const editor = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isNext) editor.current?.querySelector<HTMLElement>('input, textarea, [data-first-focus]')?.focus()
  }, [isNext])

  const isPicked = (each: string) => (kind === 'choices' || kind === 'related') && (each === 'in' || each === 'ne')
  const chosen = filter === undefined || filter.operator === 'isnull' ? [] : itemsIn(filter)
  const write = (next: string, items: readonly string[]) => {
    const [only = ''] = items
    const isOne = next !== 'in' || items.length === 1
    const made = { path: field.name, operator: isOne && next === 'in' ? 'eq' : next, value: isOne ? only : itemsText(items) }
    onChange(items.length === 0 ? undefined : made)
  }
  const chooseOperator = (next: string) => {
    setOperator(next)
    if (next === 'empty' || next === 'filled') {
      onChange({ path: field.name, operator: 'isnull', value: String(next === 'empty') })
      onClose()
    } else if (isPicked(next)) {
      if (isPicked(operator) && chosen.length > 0) write(next, next === 'ne' ? chosen.slice(0, 1) : chosen)
    } else if (next !== 'within') {
      setValue(convertedValue(field, value, { from: typedFor, to: next }, signs))
      setTypedFor(next)
    }
  }
  const choose = (key: string) => {
    if (operator === 'in') write(operator, chosen.includes(key) ? chosen.filter((each) => each !== key) : [...chosen, key])
    else {
      write(operator, [key])
      onClose()
    }
  }
  const list = { shown, chosen, isMultiple: operator === 'in', onChoose: choose, onClose }
  return (
    <div className="filter-editor" ref={editor}>
      <div className="filter-condition">
        <span className="filter-title">{view.title}</span>
        <OperatorMenu {...{ field, operator, operators }} onChoose={chooseOperator} />
      </div>
      {operator === 'within' ? (
        <PeriodList {...list} />
      ) : isPicked(operator) ? (
        kind === 'related' ? (
          <RelatedList {...list} />
        ) : (
          <ChoiceList {...list} model={model} others={others} />
        )
      ) : (
        <ValueForm
          key={inputOf(operator)}
          {...{ model, shown, operator, canPick, value }}
          onChange={setValue}
          onApply={(made) => {
            onChange({ path: field.name, ...made })
            onClose()
          }}
        />
      )}
    </div>
  )
}

const itemsIn = ({ operator, value }: ListFilter): readonly string[] => (operator === 'in' ? itemsOf(value) : [value])

/** Operators with the same inputs keep the inputs when one takes the place of another. */
const inputOf = (operator: string): string =>
  operator === 'in' || operator === 'between' || operator === 'within' ? operator : ''

interface OperatorMenuProps {
  readonly field: FilterField['field']
  readonly operator: string
  readonly operators: readonly string[]
  readonly onChoose: (operator: string) => void
}

/** The operators of a field in words. */
function OperatorMenu({ field, operator, operators, onChoose }: OperatorMenuProps) {
  const text = useText().list
  const label = operatorLabel(text, operator, field)
  return (
    <Menu
      trigger={
        <button type="button" className="filter-operator" aria-label={`${text.operator}: ${label}`}>
          {label}
          <ChevronDown size={12} aria-hidden />
        </button>
      }
    >
      {operators.map((each) => (
        <MenuItem key={each} icon={each === operator && <Check size={14} aria-hidden />} onClick={() => onChoose(each)}>
          {operatorLabel(text, each, field)}
        </MenuItem>
      ))}
    </Menu>
  )
}

interface ValueFormProps {
  readonly model: SiteModel
  readonly shown: FilterField
  readonly operator: string
  readonly canPick: boolean
  /** As the input takes it; of a range both ends. */
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly onApply: (made: Pick<ListFilter, 'operator' | 'value'>) => void
}

/** The inputs of a value, or of both ends of a range, with a button that applies it. */
function ValueForm({ model, shown, operator, canPick, value, onChange, onApply }: ValueFormProps) {
  const text = useText()
  const signs = numberSigns(useLocale())
  const [isMissing, setMissing] = useState(false)
  const [wasReversed, setReversed] = useState(false)
  const { field } = shown
  const compared = comparedField(shown, operator, canPick)
  const ends = operator === 'between' ? [text.list.from, text.list.to] : undefined
  const values: readonly unknown[] =
    ends === undefined ? [value] : ends.map((_, end) => (Array.isArray(value) ? value[end] : null))
  const faults = values.map((each) => faultsOf(each, text.form, isMissing))
  if (operator === 'in' && isMissing)
    faults[0] = faultyItems(field, value, signs).map((item) => `${item.text}: ${faultText(item.fault, text.form)}`)
  if (isMissing && faults.every((each) => each.length === 0)) faults[0] = [text.list.valueMissing]

  if (wasReversed) faults[1] = [text.list.rangeReversed]

  const apply = (event: FormEvent) => {
    event.preventDefault()
    // A form in a popup is, for React, within the forms of the page.
    event.stopPropagation()
    const made = values.some((each) => each instanceof Unparsed) ? undefined : filterValue(field, operator, value, signs)
    if (ends !== undefined && isReversed(field, values)) setReversed(true)
    else if (made === undefined) setMissing(true)
    else onApply(made)
  }
  const change = (end: number, next: unknown) => {
    onChange(ends === undefined ? next : values.map((each, place) => (place === end ? next : (each ?? null))))
    setMissing(false)
    setReversed(false)
  }
  return (
    <form className="filter-value" onSubmit={apply}>
      {compared !== undefined && (
        <div className="filter-inputs">
          {values.map((each, end) => (
            <LabelledField key={ends?.[end] ?? ''} label={ends?.[end] ?? text.list.value} errors={faults[end]}>
              {(links) => (
                <Widget
                  field={compared.view}
                  model={{ ...model, fields: [compared.field] }}
                  value={each ?? null}
                  onChange={(next) => change(end, next)}
                  links={links}
                />
              )}
            </LabelledField>
          ))}
        </div>
      )}
      <div className="dialog-actions">
        <Button kind="primary" type="submit">
          {text.list.apply}
        </Button>
      </div>
    </form>
  )
}
