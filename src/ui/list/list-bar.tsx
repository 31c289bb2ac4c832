import type { SiteModel } from '../../client/client.ts'
import { fieldOf, useSite } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { useText } from '../text/text.tsx'
import { AddFilter } from './filters/add-filter.tsx'
import { FilterChip } from './filters/filter-chip.tsx'
import { filterText, parseFilter } from './filters/filter-text.ts'
import { SavedFilters } from './filters/saved-filters.tsx'
import type { ListState } from './list-state.ts'
import { SearchBox } from './search-box.tsx'
import { ColumnChooser, type ColumnChooserProps } from './table/column-chooser.tsx'
import type { ChangeList } from './use-list-state.ts'

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
