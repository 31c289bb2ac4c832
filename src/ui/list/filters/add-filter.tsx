import { ListFilter as FilterIcon, Plus } from 'lucide-react'
import { useState } from 'react'
import type { SiteModel } from '../../../client/client.ts'
import { fieldOf } from '../../data/site.ts'
import type { ListView } from '../../data/views.ts'
import { useText } from '../../text/text.tsx'
import { type FilterField, filterField } from './filter-field.ts'
import { FilterPopover } from './filter-popover.tsx'
import type { ListFilter } from './filter-text.ts'

interface AddFilterProps {
  readonly model: SiteModel
  readonly view: ListView
  /** The field to filter by; without it, the user chooses one. */
  readonly field?: string
  readonly onAdd: (filter: ListFilter) => void
}

/** A button that adds a filter. */
export function AddFilter({ model, view, field: name, onAdd }: AddFilterProps) {
  const text = useText().list
  const [isOpen, setOpen] = useState(false)
  const fields = name === undefined ? byOffer(model, view) : offered(model, view, name)
  const [first] = fields
  if (first === undefined) return undefined
  const title = name === undefined ? undefined : first.view.title
  return (
    <FilterPopover
      trigger={
        <button type="button" className="filter-add">
          {title === undefined ? <FilterIcon size={14} aria-hidden /> : <Plus size={14} aria-hidden />}
          {title ?? text.addFilter}
        </button>
      }
      label={title === undefined ? text.addFilter : text.filterBy(title)}
      isOpen={isOpen}
      onOpenChange={setOpen}
      model={model}
      fields={fields}
      onApply={(filter) => {
        setOpen(false)
        onAdd(filter)
      }}
    />
  )
}

/** The field that a view offers; none if the user does not see it. */
function offered(model: SiteModel, view: ListView, name: string): readonly FilterField[] {
  const field = fieldOf(model, name)
  return field === undefined || field.operators.length === 0 ? [] : [filterField(field, view)]
}

/** The fields that can be filtered by: those that the view offers first. */
function byOffer(model: SiteModel, view: ListView): readonly FilterField[] {
  const { filters = [] } = view
  const place = (name: string) => (filters.includes(name) ? filters.indexOf(name) : filters.length)
  return model.fields
    .filter(({ operators }) => operators.length > 0)
    .toSorted((one, other) => place(one.name) - place(other.name))
    .map((field) => filterField(field, view))
}
