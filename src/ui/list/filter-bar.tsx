import { useQuery } from '@tanstack/react-query'
import { ListFilter as FilterIcon, Plus, X } from 'lucide-react'
import { type ReactElement, type ReactNode, useRef, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { labelsQuery } from '../data/related.ts'
import { fieldOf, may, modelOf, useSite } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import type { PopoverTriggerProps } from '../parts/popover-popup.tsx'
import { Popover } from '../parts/popups.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useLocale, useText } from '../text/text.tsx'
import type { FilterEditorProps } from './filter-editor.tsx'
import { type FilterField, filterField, filterSentence } from './filter-labels.ts'
import { filteredField, filterText, isUsable, itemsOf, type ListFilter, parseFilter } from './filter-text.ts'
import type { ChangeList, ListState } from './list-state.ts'

interface FilterBarProps {
  readonly model: SiteModel
  readonly view: ListView
  readonly state: ListState
  readonly change: ChangeList
  /** Stands after the filters. */
  readonly children: ReactNode
}

/** A place of the bar: a filter, or a field that is offered for one. It keeps its key, and so its open editor, when the filter changes. */
interface Slot {
  readonly key: string
  readonly path: string
  /** Place of the filter among those of the address; undefined for an offered field. */
  readonly index: number | undefined
}

/** The filters of a list, and those that its view offers. */
export function FilterBar({ model, view, state, change, children }: FilterBarProps) {
  const text = useText().list
  const site = useSite()
  const { filters, q } = state
  const bar = useRef<HTMLElement>(null)
  /** True once the open editor has changed the address: Back leaves all its changes. */
  const wasChanged = useRef(false)
  /** Key of the chip with an open editor. It stays while its last value is taken away. */
  const [openKey, setOpenKey] = useState<string>()
  /** The filter that the button for any field has added since its editor is open. */
  const [added, setAdded] = useState<string>()

  const slots = slotsOf(model, view, filters, openKey)
  const replaced = (index: number | undefined, next: string | undefined) =>
    index === undefined
      ? [...filters, ...(next === undefined ? [] : [next])]
      : filters.flatMap((each, place) => (place === index ? (next ?? []) : each))
  const edit = (index: number | undefined, next: ListFilter | undefined) => {
    const made = next && filterText(next)
    change({ filters: replaced(index, made) }, wasChanged.current)
    wasChanged.current = true
    return made
  }
  // Records found by words are not counted by value.
  const othersOf = (index: number | undefined) => (q === '' ? replaced(index, undefined) : undefined)
  const focusAdd = () => bar.current?.querySelector<HTMLElement>('.filter-add')?.focus()
  const remove = (index: number) => {
    change({ filters: replaced(index, undefined) })
    focusAdd()
  }
  const addedIndex = added === undefined ? -1 : filters.lastIndexOf(added)
  const addIndex = addedIndex === -1 ? undefined : addedIndex
  return (
    <section className="list-filters" aria-label={text.filters} ref={bar}>
      <AddFilter
        {...{ model, view }}
        filter={added === undefined ? undefined : parseFilter(added)}
        others={othersOf(addIndex)}
        onChange={(next) => setAdded(edit(addIndex, next))}
        onOpenChange={(isOpen) => {
          wasChanged.current = false
          if (isOpen) setAdded(undefined)
        }}
      />
      {slots.map(({ key, path, index }) => {
        const filter = index === undefined ? undefined : filters[index]
        if (filter !== undefined && index !== undefined && !isUsable(site, model, filter))
          return <UnknownFilter key={key} text={filter} onRemove={() => remove(index)} />
        return (
          <FilterChip
            key={key}
            {...{ model, view, path }}
            text={filter}
            others={othersOf(index)}
            onChange={(next) => edit(index, next)}
            onRemove={() => index !== undefined && remove(index)}
            onOpenChange={(isOpen) => {
              wasChanged.current = false
              setOpenKey(isOpen ? key : undefined)
              if (!isOpen && filter === undefined && !offeredPaths(model, view).includes(path)) focusAdd()
            }}
          />
        )
      })}
      {filters.length > 1 && (
        <Button
          kind="quiet"
          onClick={() => {
            change({ filters: [] })
            focusAdd()
          }}
        >
          {text.clearFilters}
        </Button>
      )}
      {children}
    </section>
  )
}

/** The fields that a view offers first, if the user has them. */
function offeredPaths(model: SiteModel, view: ListView): readonly string[] {
  const fields = (view.filters ?? []).map((name) => fieldOf(model, name))
  return fields.flatMap((field) => (field === undefined || field.operators.length === 0 ? [] : field.name))
}

/** The places of the bar: the fields that the view offers, in its order, with the filters by them; then the other filters. */
function slotsOf(model: SiteModel, view: ListView, filters: readonly string[], openKey: string | undefined): readonly Slot[] {
  const numbers = new Map<string, number>()
  const used = filters.map((text, index): Slot => {
    const path = parseFilter(text)?.path ?? text
    const number = (numbers.get(path) ?? 0) + 1
    numbers.set(path, number)
    return { key: number === 1 ? path : `${path} ${number}`, path, index }
  })
  const offered = offeredPaths(model, view)
  const free = (key: string): readonly Slot[] =>
    used.some((slot) => slot.key === key) ? [] : [{ key, path: key, index: undefined }]
  const isOffered = ({ path }: Slot) => offered.includes(path)
  const kept = openKey === undefined || openKey.includes(' ') || offered.includes(openKey) ? [] : free(openKey)
  return [
    ...offered.flatMap((name) => [...free(name), ...used.filter(({ path }) => path === name)]),
    ...used.filter((slot) => !isOffered(slot)),
    ...kept,
  ]
}

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
function FilterChip({ model, view, path, text: source, others, onChange, onRemove, onOpenChange }: FilterChipProps) {
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
function UnknownFilter({ text: source, onRemove }: { readonly text: string; readonly onRemove: () => void }) {
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
function AddFilter({ model, view, filter, others, onChange, onOpenChange }: AddFilterProps) {
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
