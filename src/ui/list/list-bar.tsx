import { ArrowDown, ArrowUp, ArrowUpDown, Rows3, Rows4, Search, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSite } from '../data/site.ts'
import { usePause } from '../hooks.ts'
import { IconButton } from '../parts/button.tsx'
import { passing } from '../parts/pass-focus.ts'
import { useText } from '../text/text.tsx'
import { ColumnChooser } from './column-chooser.tsx'
import type { ColumnChooserProps } from './column-list.tsx'
import { type ListColumn, pathField } from './columns.ts'
import { FilterBar } from './filter-bar.tsx'
import type { LookState } from './use-look.ts'
import type { ShownViews } from './use-view-changes.ts'
import { ViewsButton } from './views-button.tsx'

interface ListBarProps {
  readonly views: ShownViews
  /** The sort keys of the list by column. */
  readonly sort: readonly string[]
  readonly columns: ColumnChooserProps
  /** The switch of layouts and the menu of the totals, if the list can have some. */
  readonly totals: ReactNode
}

/** Search, filters, saved views and columns of a list. */
export function ListBar({ views, sort, columns, totals }: ListBarProps) {
  const site = useSite()
  const { model, view, state, change, look } = views
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
        <ViewsButton {...views} />
        <DensityButton {...look} />
        {totals}
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
  const { list: text, common } = useText()
  const [typed, setTyped] = useState(value)
  const settled = usePause(typed)
  /** The words of the address that the input has taken over. */
  const sent = useRef(value)

  // Back, or a saved view, changes the words from outside.
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
        placeholder={common.search}
        onChange={(event) => setTyped(event.target.value)}
      />
    </label>
  )
}

interface SortChipProps {
  readonly model: SiteModel
  /** The sort keys by column, the most significant first. */
  readonly sort: readonly string[]
  /** All columns that the list can have. */
  readonly columns: readonly ListColumn[]
  /** Returns to the order of the list view; undefined if the list has it. */
  readonly onReset: (() => void) | undefined
}

/** Says how a list is sorted, by columns that are not shown too; nothing for the order by id or by relevance. */
function SortChip({ model, sort, columns, onReset }: SortChipProps) {
  const text = useText().list
  const site = useSite()
  if (sort.length === 0) return undefined
  return (
    <span className="filter-chip sort-chip" title={text.sortedBy}>
      <span className="filter-text">
        <ArrowUpDown size={14} aria-hidden />
        <span className="visually-hidden">{text.sortedBy} </span>
        {sort.map((key, place) => {
          const name = key.replace(/^-/, '')
          const Icon = key === name ? ArrowUp : ArrowDown
          return (
            <span key={name} className="sort-key">
              {columns.find((column) => column.name === name)?.label ?? pathField(site, model, name)?.label}
              <Icon size={12} aria-hidden />
              <span className="visually-hidden">{key === name ? text.ascending : text.descending}</span>
              {place < sort.length - 1 && ','}
            </span>
          )
        })}
      </span>
      {onReset !== undefined && (
        <button type="button" className="chip-remove" aria-label={text.resetSort} data-tooltip="" onClick={passing(onReset)}>
          <X size={12} aria-hidden />
        </button>
      )}
    </span>
  )
}

/** Makes the rows of all lists, or of a saved view, compact, or comfortable again. */
function DensityButton({ look, set }: LookState) {
  const text = useText().list
  const isCompact = look.density === 'compact'
  const Icon = isCompact ? Rows4 : Rows3
  return (
    <IconButton
      className="list-look"
      label={text.compact}
      icon={<Icon size={16} aria-hidden />}
      aria-pressed={isCompact}
      onClick={() => set({ density: isCompact ? 'comfortable' : 'compact' })}
    />
  )
}
