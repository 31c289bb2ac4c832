import { type ReactNode, useRef, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { fieldOf, useSite } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { useText } from '../text/text.tsx'
import { AddFilter, FilterChip, UnknownFilter } from './filter-chip.tsx'
import { filterText, isUsable, type ListFilter, parseFilter } from './filter-text.ts'
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
        <Button kind="quiet" onClick={() => change({ filters: [] })}>
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
