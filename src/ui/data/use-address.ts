import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { firstOf, type SearchParams } from '../search-params.ts'

/** Parameters of the present address, by name. */
interface Address {
  /** The value of a parameter; undefined without one. */
  readonly get: (name: string) => string | undefined
  /** Number of the page, from 1. */
  readonly page: number
  /** Changes parameters; undefined removes one. @param isReplaced true if Back skips the present address */
  readonly change: (part: SearchParams, isReplaced?: boolean) => void
}

/** Keeps what a page shows in its address. */
export function useAddress(): Address {
  const search = useSearch({ strict: false }) as SearchParams
  const navigate = useNavigate()
  const change = useCallback<Address['change']>(
    (part, isReplaced = false) => {
      void navigate({
        to: '.',
        search: (present: SearchParams) => ({ ...present, ...part }),
        replace: isReplaced,
        resetScroll: false,
      })
    },
    [navigate],
  )
  const page = Number(firstOf(search, 'page') ?? 1)
  return { get: (name) => firstOf(search, name), page: Number.isInteger(page) && page > 0 ? page : 1, change }
}
