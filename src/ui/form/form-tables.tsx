import { type ComponentType, useEffect, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import type { FormView } from '../data/views.ts'
import { Skeleton } from '../parts/states.tsx'
import type { RelatedTableProps } from './related-table.tsx'
import { TableFailure } from './table-failure.tsx'
import type { FormRows } from './use-rows.ts'

interface FormTablesProps {
  readonly form: FormView
  readonly model: SiteModel
  /** The stored record; undefined for a new one. */
  readonly record: AnyRecord | undefined
  readonly rows: FormRows
}

/** The tables of rows that a form has below its fields; nothing, and no code of them, for a form without some. */
export const FormTables = ({ form: { related = [] }, model, record, rows }: FormTablesProps) =>
  related.map((view) => <LazyTable key={view.field} {...{ view, model, record, rows }} />)

/** The table, once its code is loaded. */
let loaded: ComponentType<RelatedTableProps> | undefined

/** Not by `lazy`: what suspends soon after another part has appeared is held back for 300 ms, which is most of the time that a table may take. */
function LazyTable(props: RelatedTableProps) {
  const [Table, setTable] = useState(() => loaded)
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    if (Table !== undefined || error !== undefined) return
    import('./related-table.tsx').then(({ RelatedTable }) => {
      loaded = RelatedTable
      setTable(() => RelatedTable)
    }, setError)
  }, [Table, error])
  if (error !== undefined) {
    return <TableFailure field={props.view.field} rows={props.rows} error={error} onRetry={() => setError(undefined)} />
  }
  return Table === undefined ? <Skeleton lines={4} /> : <Table {...props} />
}
