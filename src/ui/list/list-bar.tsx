import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { fieldOf, useSite } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { usePause } from '../hooks.ts'
import { Button } from '../parts/button.tsx'
import { useText } from '../text/text.tsx'
import { ColumnChooser, type ColumnChooserProps } from './column-chooser.tsx'
import { AddFilter, FilterChip } from './filter-chip.tsx'
import { filterText, parseFilter } from './filter-text.ts'
import type { ChangeList, ListState } from './list-state.ts'
import { SavedFilters } from './saved-filters.tsx'

interface ListBarProps {
  readonly model: SiteModel
  readonly view: ListView
  readonly state: ListState
  readonly change: ChangeList
  readonly columns: ColumnChooserProps
}

/** Search, filters, saved filters and columns of a list. */
export function ListBar({ model, view, state, change, columns }: ListBarProps) {
  const text = useText().list
  const site = useSite()
  const { filters } = state
  const setFilter = (index: number, text: string | undefined) =>
    change({ filters: filters.flatMap((each, place) => (place === index ? (text ?? []) : each)) })
  const used = new Set(filters.map((filter) => parseFilter(filter)?.path))
  const offered = (view.filters ?? []).filter((name) => !used.has(name) && fieldOf(model, name) !== undefined)
  return (
    <div className="list-bar">
      {model.searchable && site.capabilities.search && (
        <SearchBox model={model} value={state.q} onChange={(q, isReplaced) => change({ q }, isReplaced)} />
      )}
      <section className="list-filters" aria-label={text.filters}>
        {filters.map((filter, index) => (
          // The same filter may be there twice: its place names it.
          <FilterChip key={index} {...{ model, view }} text={filter} onChange={(next) => setFilter(index, next)} />
        ))}
        {offered.map((name) => (
          <AddFilter
            key={name}
            {...{ model, view, field: name }}
            onAdd={(filter) => change({ filters: [...filters, filterText(filter)] })}
          />
        ))}
        <AddFilter {...{ model, view }} onAdd={(filter) => change({ filters: [...filters, filterText(filter)] })} />
        {filters.length > 1 && (
          <Button kind="quiet" onClick={() => change({ filters: [] })}>
            {text.clearFilters}
          </Button>
        )}
      </section>
      <div className="list-tools">
        <SavedFilters model={model} state={state} change={change} />
        <ColumnChooser {...columns} />
      </div>
    </div>
  )
}

interface SearchBoxProps {
  readonly model: SiteModel
  readonly value: string
  /** @param isReplaced true while an earlier search is refined, so that Back leaves the search */
  readonly onChange: (q: string, isReplaced: boolean) => void
}

/** Searches the texts of a model, after a pause in typing. */
function SearchBox({ model, value, onChange }: SearchBoxProps) {
  const text = useText().list
  const [typed, setTyped] = useState(value)
  const settled = usePause(typed)
  /** The words of the address that the input has taken over. */
  const sent = useRef(value)

  // Back, or a saved filter, changes the words from outside.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setTyped(value)
  }, [value])

  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    const words = settled.trim()
    if (words === sent.current) return
    const isReplaced = sent.current !== ''
    sent.current = words
    latest.current(words, isReplaced)
  }, [settled])

  return (
    <label className="search-box">
      <Search size={14} aria-hidden />
      <span className="visually-hidden">{text.search(model.label)}</span>
      <input
        className="input"
        type="search"
        value={typed}
        placeholder={text.search(model.label)}
        onChange={(event) => setTyped(event.target.value)}
      />
    </label>
  )
}
