import { useQuery } from '@tanstack/react-query'
import { ListFilter as FilterIcon, Plus, X } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { labelsQuery } from '../data/related.ts'
import { may, modelOf, useSite } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { lazyPart } from '../parts/lazy-part.ts'
import type { PopoverTriggerProps } from '../parts/popover-popup.tsx'
import { Popover } from '../parts/popups.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useLocale, useText } from '../text/text.tsx'
import type { FilterEditorProps } from './filter-editor.tsx'
import { type FilterField, filterField, filterSentence } from './filter-labels.ts'
import { filteredField, itemsOf, type ListFilter, parseFilter } from './filter-text.ts'

/** What the editors of the filters of a list share. */
interface FilterProps extends Pick<FilterEditorProps, 'others'> {
  readonly model: SiteModel
  readonly view: ListView
  /** @param filter undefined for none */
  readonly onChange: (filter: ListFilter | undefined) => void
  readonly onOpenChange: (isOpen: boolean) => void
}

interface FilterChipProps extends FilterProps {
  /** Path to the field. */
  readonly path: string
  /** The filter as the address holds it; undefined for a field that is offered, and not filtered by. */
  readonly text: string | undefined
  readonly onRemove: () => void
}

/** A filter of a list as a sentence, or the field that is offered for one. Its button opens an editor. */
export function FilterChip({ model, view, path, text: source, others, onChange, onRemove, onOpenChange }: FilterChipProps) {
  const text = useText()
  const site = useSite()
  const locale = useLocale()
  const session = useSession()
  const [isOpen, setOpen] = useState(false)
  const filter = source === undefined ? undefined : parseFilter(source)
  const found = filteredField(site, model, path)
  const target = found?.field.relation ? modelOf(site, found.field.relation.model) : undefined
  const ids =
    filter === undefined || filter.operator === 'isnull' ? [] : itemsOf(filter.value).map(Number).filter(Number.isSafeInteger)
  const names = useQuery({ ...labelsQuery(session, target, ids), enabled: may(target, 'view') && ids.length > 0 })
  if (found === undefined) return undefined

  const isOwn = !path.includes('__')
  const shown = filterField(found.field, isOwn ? view : undefined)
  const title = isOwn ? shown.view.title : found.label
  const nameOf = (id: string) =>
    found.field.relation === null ? undefined : (names.data?.find((each) => String(each.id) === id)?.label ?? `#${id}`)
  const words = filter === undefined ? title : filterSentence(title, filter, shown, { text, locale, nameOf })
  const open = (next: boolean) => {
    setOpen(next)
    onOpenChange(next)
  }
  return (
    <>
      <span className={filter === undefined ? 'filter-chip filter-offered' : 'filter-chip'}>
        <FilterPopover
          trigger={
            <button type="button" className="filter-text" title={words}>
              {filter === undefined && <Plus size={14} aria-hidden />}
              {words}
            </button>
          }
          label={filter === undefined ? text.list.filterBy(title) : text.list.editFilter}
          isOpen={isOpen}
          onOpenChange={open}
          model={found.model}
          fields={[shown]}
          filter={filter}
          others={isOwn ? others : undefined}
          onChange={(next) => onChange(next && { ...next, path })}
          onClose={() => open(false)}
        />
        {filter !== undefined && <RemoveButton label={words} onRemove={onRemove} />}
      </span>
      {names.error !== null && <Failure error={names.error} onRetry={() => void names.refetch()} />}
    </>
  )
}

/** A filter of an address that the API would reject. It is not used. */
export function UnknownFilter({ text: source, onRemove }: { readonly text: string; readonly onRemove: () => void }) {
  return (
    <span className="filter-chip filter-unknown">
      <span className="filter-text">{useText().list.unknownFilter(source)}</span>
      <RemoveButton label={source} onRemove={onRemove} />
    </span>
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

interface AddFilterProps extends FilterProps {
  /** The filter that was made since the button opened its editor. */
  readonly filter: ListFilter | undefined
}

/** A button that adds a filter by any field. */
export function AddFilter({ model, view, filter, others, onChange, onOpenChange }: AddFilterProps) {
  const text = useText().list
  const [isOpen, setOpen] = useState(false)
  const open = (next: boolean) => {
    setOpen(next)
    onOpenChange(next)
  }
  return (
    <FilterPopover
      trigger={
        <button type="button" className="filter-add">
          <FilterIcon size={14} aria-hidden />
          {text.addFilter}
        </button>
      }
      label={text.addFilter}
      isOpen={isOpen}
      onOpenChange={open}
      model={model}
      fields={byOffer(model, view)}
      filter={filter}
      others={others}
      onChange={onChange}
      onClose={() => open(false)}
    />
  )
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
    focusOn="input, textarea, [data-first-focus]"
    fallback={
      <div className="filter-editor">
        <Skeleton lines={3} />
      </div>
    }
  >
    <FilterEditor {...editor} />
  </Popover>
)
