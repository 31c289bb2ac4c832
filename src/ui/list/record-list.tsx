import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { SavedView, SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { orderOf, type RecordOrder } from '../data/record-order.ts'
import { type ListedPage, listQuery } from '../data/records.ts'
import { may, useSite } from '../data/site.ts'
import type { FormView, ListView } from '../data/views.ts'
import { useListPreference } from '../hooks.ts'
import { Button } from '../parts/button.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { focusContent } from '../parts/page-header.tsx'
import { EmptyState, Failure, Notice } from '../parts/states.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { TableSkeleton, type Widths } from './column-heads.tsx'
import { allColumns, linkColumn, placedColumns, shownColumns } from './columns.ts'
import { ListBar } from './list-bar.tsx'
import { ListHeader } from './list-header.tsx'
import { type ChangeList, hasView, type ListState, layoutOf, listPlan, openedView, sortOf } from './list-state.ts'
import { Pager } from './pager.tsx'
import { RecordTable } from './record-table.tsx'
import { type ListSelection, NO_SELECTION, selectedCount } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { addedColumns, TotalRows, TotalsMenu } from './totals.tsx'
import { useLook } from './use-look.ts'

const OpenedView = partOnUse(() => import('./view-parts.ts').then((module) => module.OpenedView))

const ListLayout = partOnUse(() => import('./layouts.tsx').then((module) => module.ListLayout))
const LayoutSwitch = partOnUse(() => import('./layouts.tsx').then((module) => module.LayoutSwitch))

const NO_WIDTHS: Widths = {}

interface RecordListProps {
  readonly model: SiteModel
  readonly view: ListView
  readonly forms: readonly FormView[]
  /** The other list views of the model. */
  readonly tabs: ReactNode
  readonly state: ListState
  readonly change: ChangeList
}

/** The records of a model as a list view shows them. The address holds what is shown. */
export function RecordList({ model, view, forms, tabs, state, change }: RecordListProps) {
  const site = useSite()
  const listKey = `${model.key}/${view.name}`
  const isSaved = hasView(state)
  const opened = openedView(site, model.key, state)
  const [ownColumns, setOwnColumns] = useListPreference('columns', listKey)
  const preferred = isSaved ? undefined : ownColumns
  const base = useRef<SavedView>(undefined)
  const look = useLook(listKey, opened)
  const { widths = NO_WIDTHS, pinned: chosenPins, totals = [], density } = look.look

  // An address that was copied must show the same columns elsewhere.
  useEffect(() => {
    if (state.columns === undefined && preferred !== undefined) change({ columns: preferred, page: state.page }, true)
  }, [state.columns, state.page, preferred, change])

  const all = useMemo(() => allColumns(model, view, forms), [model, view, forms])
  const columns = useMemo(() => shownColumns(all, state.columns ?? preferred), [all, state.columns, preferred])
  const placed = useMemo(() => placedColumns(columns, chosenPins), [columns, chosenPins])
  const pinned = useMemo(
    () => placed.flatMap(({ name }) => ((chosenPins ?? [linkColumn(columns, model)?.name]).includes(name) ? [name] : [])),
    [placed, columns, chosenPins, model],
  )
  const canTotal = addedColumns(columns).length > 0
  const sort = sortOf({ site, model, view }, state)
  const plan = listPlan({ site, model, view }, state, columns)
  const { q, filters, any } = plan
  const { data, error, refetch, isPlaceholderData } = useQuery(listQuery(useSession(), model.key, plan))
  const [editedId, setEditedId] = useState<number>()
  const page = useHeldPage(data, editedId)

  const latestOrder = useRef<RecordOrder>(undefined)
  latestOrder.current = page === undefined ? undefined : orderOf(model.key, plan, page)
  const order = useCallback(() => latestOrder.current, [])

  const matches = { q, filters, any }
  const shown = { view, columns: placed }
  const selected = JSON.stringify(matches)
  const [selection, setSelection] = useState<ListSelection>(NO_SELECTION)
  // Other matches need another selection.
  useEffect(() => setSelection(NO_SELECTION), [selected])

  const lastPage = page === undefined || isPlaceholderData ? undefined : page.total_pages
  useEffect(() => {
    if (lastPage !== undefined && lastPage > 0 && state.page > lastPage) change({ page: lastPage }, true)
  }, [lastPage, state.page, change])

  const isLaidOut = layoutOf(view, state) !== undefined
  const isNarrowed = q !== '' || filters.length > 0 || any.length > 0
  const choose = (names: readonly string[] | undefined) => {
    if (!isSaved) setOwnColumns(names)
    change({ columns: names, page: state.page }, true)
  }
  const isChanged = [state.columns, chosenPins, look.look.widths].some((each) => each !== undefined)
  const reset = () => {
    choose(undefined)
    look.set({ pinned: undefined, widths: undefined })
  }
  const clear = () => {
    focusContent()
    change({ q: '', filters: [] })
  }
  const views = { model, view, all, state, change, look, opened, base }
  return (
    <div className="list-page">
      <ListHeader {...{ model, matches, shown }} total={page?.total} sort={plan.sort} />
      {tabs}
      <ListBar
        views={views}
        sort={sort}
        columns={{
          all,
          shown: columns,
          onChange: choose,
          pinned,
          onPin: (names) => look.set({ pinned: names }),
          onReset: isChanged ? reset : undefined,
        }}
        totals={
          <>
            {view.layout && (
              <Loaded>
                <LayoutSwitch {...{ view, state, change }} />
              </Loaded>
            )}
            {canTotal && <TotalsMenu chosen={totals} onChange={(chosen) => look.set({ totals: chosen })} />}
          </>
        }
      />
      {isSaved && (
        <Loaded>
          <OpenedView {...views} />
        </Loaded>
      )}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {page?.missing !== undefined && <NotSearchable count={page.missing} />}
      {isLaidOut && (
        <Loaded>
          <ListLayout {...{ model, view, forms, plan, totals, state, change }} columns={placed} />
        </Loaded>
      )}
      {!isLaidOut && page === undefined && error === null && <TableSkeleton columns={placed} pinned={pinned} widths={widths} />}
      {!isLaidOut && page !== undefined && page.data.length > 0 && (
        <>
          <RecordTable
            {...{ model, view, forms, all, pinned, widths, density, sort, order, selection, setSelection, setEditedId }}
            records={page.data}
            hits={page.hits}
            setWidths={(next) => look.set({ widths: next })}
            columns={placed}
            footer={
              canTotal &&
              totals.length > 0 && <TotalRows {...{ model, pinned, matches, page }} chosen={totals} columns={placed} />
            }
            isStale={isPlaceholderData}
            onSort={(next) => change({ sort: next })}
          />
          <Pager page={page} onChange={change} />
          {selectedCount(selection) > 0 && (
            <SelectionBar
              {...{ model, forms, selection, setSelection, matches, shown }}
              records={page.data}
              total={page.total}
              sort={plan.sort}
            />
          )}
        </>
      )}
      {page !== undefined && page.total === 0 && <NoRecords model={model} isNarrowed={isNarrowed} onClear={clear} />}
    </div>
  )
}

/**
 * The page to show. While a cell is edited, a page without its record does not replace the one with it, since the editor would be lost.
 */
function useHeldPage(page: ListedPage | undefined, editedId: number | undefined): ListedPage | undefined {
  const [held, setHeld] = useState(page)
  const isHeld = editedId !== undefined && held !== undefined && page?.data.every(({ id }) => id !== editedId) === true
  if (!isHeld && held !== page) setHeld(page)
  return isHeld ? held : page
}

/** Says that a search lacks records. */
function NotSearchable({ count }: { readonly count: number }) {
  const text = useText().list
  return <Notice kind="info">{text.notSearchable(count, count.toLocaleString(useLocale()))}</Notice>
}

interface NoRecordsProps {
  readonly model: SiteModel
  /** True if a search or filters may be the reason. */
  readonly isNarrowed: boolean
  readonly onClear: () => void
}

/** Says that a list is empty, and what can be done. */
function NoRecords({ model, isNarrowed, onClear }: NoRecordsProps) {
  const text = useText().list
  if (isNarrowed) {
    return (
      <EmptyState title={text.noMatches} actions={<Button onClick={onClear}>{text.clearFilters}</Button>}>
        {text.noMatchesText}
      </EmptyState>
    )
  }
  const add = may(model, 'add') && (
    <Link to="/models/$model/new" params={{ model: model.key }} className="button button-primary">
      {text.addFirst}
    </Link>
  )
  return <EmptyState title={text.empty(model.label)} actions={add || undefined} />
}
