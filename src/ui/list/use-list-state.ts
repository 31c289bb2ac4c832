import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { SearchParams } from '../search-params.ts'
import { changedState, type ListState, listSearch, readListState } from './list-state.ts'

/** Changes what a list shows. @param isReplaced true if Back skips the present address */
export type ChangeList = (change: Partial<ListState>, isReplaced?: boolean) => void

/** What the list of the present address shows, and a function that changes the address. */
export function useListState(): readonly [ListState, ChangeList] {
  const search = useSearch({ strict: false }) as SearchParams
  const { model = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  const state = useMemo(() => readListState(search), [search])
  const change = useCallback<ChangeList>(
    (part, isReplaced = false) => {
      void navigate({
        to: '/models/$model',
        params: { model },
        search: (present: SearchParams) => listSearch(changedState(readListState(present), part)),
        replace: isReplaced,
        resetScroll: false,
      })
    },
    [navigate, model],
  )
  return [state, change]
}
