import { useEffect, useRef } from 'react'
import { Failure } from '../parts/states.tsx'
import type { FormRows } from './use-rows.ts'

interface TableFailureProps {
  /** The relation of the table. */
  readonly field: string
  readonly rows: FormRows
  readonly error: unknown
  readonly onRetry: () => void
}

/** Stands for a table that could not be read; a save that needs its rows says so, too. */
export function TableFailure({ field, rows: { change }, error, onRetry }: TableFailureProps) {
  const latest = useRef(onRetry)
  latest.current = onRetry
  useEffect(() => {
    change(field, (former) => ({ ...former, failure: { error, retry: () => latest.current() } }))
    return () => change(field, ({ failure: _, ...others }) => others)
  }, [change, field, error])
  return <Failure error={error} onRetry={onRetry} />
}
