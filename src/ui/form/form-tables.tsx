import { lazy, Suspense } from 'react'
import type { SiteModel } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import type { FormView } from '../data/views.ts'
import { Skeleton } from '../parts/states.tsx'
import type { FormRows } from './use-rows.ts'

const RelatedTable = lazy(() => import('./related-table.tsx').then((module) => ({ default: module.RelatedTable })))

interface FormTablesProps {
  readonly form: FormView
  readonly model: SiteModel
  /** The stored record; undefined for a new one. */
  readonly record: AnyRecord | undefined
  readonly rows: FormRows
}

/** The tables of rows that a form has below its fields; nothing, and no code of them, for a form without some. */
export const FormTables = ({ form: { related = [] }, model, record, rows }: FormTablesProps) =>
  related.map((view) => (
    <Suspense key={view.field} fallback={<Skeleton lines={4} />}>
      <RelatedTable {...{ view, model, record, rows }} />
    </Suspense>
  ))
