import { ListFilter as FilterIcon, Plus } from 'lucide-react'
import { useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { fieldOf } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { Popover } from '../parts/popover.tsx'
import { useText } from '../text/text.tsx'
import type { ListFilter } from './filter-text.ts'
import { LazyFilterEditor } from './lazy-filter-editor.tsx'

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
  const field = name === undefined ? undefined : fieldOf(model, name)
  const fields = field === undefined ? byOffer(model, view) : [field]
  if (fields.length === 0) return undefined
  return (
    <Popover
      trigger={
        <button type="button" className="filter-add">
          {field === undefined ? <FilterIcon size={14} aria-hidden /> : <Plus size={14} aria-hidden />}
          {field === undefined ? text.addFilter : (titleIn(view, field.name) ?? field.label)}
        </button>
      }
      label={field === undefined ? text.addFilter : text.filterBy(field.label)}
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <LazyFilterEditor
        model={model}
        fields={fields}
        onApply={(filter) => {
          setOpen(false)
          onAdd(filter)
        }}
      />
    </Popover>
  )
}

const titleIn = (view: ListView, name: string): string | undefined => view.fields.find((field) => field.name === name)?.title

/** The fields that can be filtered by: those that the view offers first. */
function byOffer(model: SiteModel, { filters = [] }: ListView) {
  const place = (name: string) => (filters.includes(name) ? filters.indexOf(name) : filters.length)
  return model.fields
    .filter(({ operators }) => operators.length > 0)
    .toSorted((one, other) => place(one.name) - place(other.name))
}
