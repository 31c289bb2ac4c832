import { Search } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSite } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { usePause } from '../hooks.ts'
import { useText } from '../text/text.tsx'
import { ColumnChooser, type ColumnChooserProps } from './column-chooser.tsx'
import { DensityButton } from './density-button.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { ChangeList, ListState } from './list-state.ts'
import { SavedFilters } from './saved-filters.tsx'
import { SortChip } from './sort-chip.tsx'

interface ListBarProps {
  readonly model: SiteModel
  readonly view: ListView
  readonly state: ListState
  readonly change: ChangeList
  /** The sort keys of the list by column. */
  readonly sort: readonly string[]
  readonly columns: ColumnChooserProps
  /** The menu of the totals, if the list can have some. */
  readonly totals: ReactNode
}

/** Search, filters, saved filters and columns of a list. */
export function ListBar({ model, view, state, change, sort, columns, totals }: ListBarProps) {
  const site = useSite()
  return (
    <div className="list-bar">
      {model.searchable && site.capabilities.search && (
        <SearchBox model={model} value={state.q} onChange={(q, isReplaced) => change({ q }, isReplaced)} />
      )}
      <FilterBar {...{ model, view, state, change }}>
        <SortChip
          model={model}
          sort={sort}
          columns={columns.all}
          onReset={state.sort === undefined ? undefined : () => change({ sort: undefined })}
        />
      </FilterBar>
      <div className="list-tools">
        <DensityButton />
        {totals}
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
