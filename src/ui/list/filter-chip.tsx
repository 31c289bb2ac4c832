import { useQuery } from '@tanstack/react-query'
import { ListFilter as FilterIcon, Plus, X } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { labelsQuery } from '../data/related.ts'
import { fieldOf, may, modelOf, useSite } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { lazyPart } from '../parts/lazy-part.ts'
import type { PopoverTriggerProps } from '../parts/popover-popup.tsx'
import { Popover } from '../parts/popups.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useLocale, useText } from '../text/text.tsx'
import type { FilterEditorProps } from './filter-editor.tsx'
import { type FilterField, filterField, operatorText, shownValue } from './filter-labels.ts'
import { filteredField, filterText, isUsable, itemsOf, type ListFilter, parseFilter } from './filter-text.ts'

interface FilterChipProps {
  readonly model: SiteModel
  readonly view: ListView
  /** The filter as the API takes it. */
  readonly text: string
  /** @param text undefined to remove the filter */
  readonly onChange: (text: string | undefined) => void
}

/** A filter of a list in words. It opens an editor; a filter that the API would reject says so and is not used. */
export function FilterChip({ model, view, text: source, onChange }: FilterChipProps) {
  const text = useText()
  const site = useSite()
  const locale = useLocale()
  const session = useSession()
  const [isOpen, setOpen] = useState(false)
  const filter = parseFilter(source)
  const found = filter && filteredField(site, model, filter.path)
  const target = found?.field.relation ? modelOf(site, found.field.relation.model) : undefined
  const ids =
    filter === undefined || filter.operator === 'isnull' ? [] : itemsOf(filter.value).map(Number).filter(Number.isSafeInteger)
  const names = useQuery({ ...labelsQuery(session, target, ids), enabled: may(target, 'view') && ids.length > 0 })

  if (filter === undefined || found === undefined || !isUsable(site, model, source)) {
    return (
      <span className="filter-chip filter-unknown">
        <span className="filter-text">{text.list.unknownFilter(source)}</span>
        <RemoveButton label={source} onRemove={() => onChange(undefined)} />
      </span>
    )
  }
  const nameOf = (id: string) =>
    found.field.relation === null ? undefined : (names.data?.find((each) => String(each.id) === id)?.label ?? `#${id}`)
  const isOwn = !filter.path.includes('__')
  const shown = filterField(found.field, isOwn ? view : undefined)
  const value = shownValue(filter, shown, { locale, nameOf, yes: text.common.yes, no: text.common.no })
  const words = [isOwn ? shown.view.title : found.label, operatorText(text.list, filter, found.field), value]
    .filter((part) => part !== '')
    .join(' ')
  return (
    <>
      <span className="filter-chip">
        <FilterPopover
          trigger={
            <button type="button" className="filter-text" title={words}>
              {words}
            </button>
          }
          label={text.list.editFilter}
          isOpen={isOpen}
          onOpenChange={setOpen}
          model={found.model}
          fields={[shown]}
          filter={filter}
          onApply={({ operator, value: next }) => {
            setOpen(false)
            onChange(filterText({ path: filter.path, operator, value: next }))
          }}
        />
        <RemoveButton label={words} onRemove={() => onChange(undefined)} />
      </span>
      {names.error !== null && <Failure error={names.error} onRetry={() => void names.refetch()} />}
    </>
  )
}

function RemoveButton({ label, onRemove }: { readonly label: string; readonly onRemove: () => void }) {
  const text = useText().common
  return (
    <button type="button" className="chip-remove" aria-label={text.remove(label)} onClick={onRemove}>
      <X size={12} aria-hidden />
    </button>
  )
}

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

const FilterEditor = lazyPart(() => import('./filter-editor.tsx').then((module) => module.FilterEditor))

interface FilterPopoverProps extends FilterEditorProps {
  readonly trigger: ReactElement<PopoverTriggerProps>
  readonly label: string
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
}

/** The editor of a filter beside its button. It is loaded after the first list, of which the inputs of all types are no part. */
const FilterPopover = ({ trigger, label, isOpen, onOpenChange, ...editor }: FilterPopoverProps) => (
  <Popover
    {...{ trigger, label, isOpen, onOpenChange }}
    fallback={
      <div className="filter-editor">
        <Skeleton lines={3} />
      </div>
    }
  >
    <FilterEditor {...editor} />
  </Popover>
)
