import { useCallback, useMemo, useState } from 'react'
import type { FieldErrors } from '../../client/client.ts'
import type { StoredRow } from '../data/row-query.ts'
import { may, useSite } from '../data/site.ts'
import type { FormView } from '../data/views.ts'
import type { FormValues } from './values.ts'

/** What the user has made of a row. */
export interface RowDraft {
  /** The stored row that the edits began with; undefined for a new one. */
  readonly base: StoredRow | undefined
  /** Values that a new row begins with. */
  readonly start: FormValues
  readonly edits: FormValues
  /** True for a stored row that is deleted with the next save. */
  readonly isRemoved: boolean
  /** True if storing the draft changes something. */
  readonly isChanged: boolean
  /** Messages of the last attempt to save, by field; those about the row are under `''`. */
  readonly errors: FieldErrors
}

/** The drafts of a table of a form. */
export interface TableDraft {
  /** By the id of the row; new rows have keys that begin with a sign. */
  readonly rows: ReadonlyMap<string, RowDraft>
  /** The keys in the order that the user has given the rows; undefined for their own order. */
  readonly order?: readonly string[] | undefined
  /** The keys that rows had as new ones before they were stored, by their id. */
  readonly formerKeys?: ReadonlyMap<string, string>
  /** True once the rows of the record that the form copies are among the drafts. */
  readonly isCopied?: boolean
  /** Why the table could not be read. */
  readonly failure?: { readonly error: unknown; readonly retry: () => void }
}

/** A row whose inputs are shown. */
export interface ActiveRow {
  readonly field: string
  readonly key: string
  /** The column whose input gets the focus. */
  readonly column: string | undefined
}

/** The rows of other models that a form edits, by the relation of their table. The code of the tables is loaded with the first of them. */
export interface FormRows {
  readonly tables: Readonly<Record<string, TableDraft>>
  readonly change: (field: string, change: (former: TableDraft) => TableDraft) => void
  readonly active: ActiveRow | undefined
  readonly activate: (row: ActiveRow | undefined) => void
  /** The record whose rows a new record copies. */
  readonly copyOf: number | undefined
  /** True if the user may change rows, of some of the tables at least. */
  readonly isWritable: boolean
  readonly isDirty: boolean
  /** True until the rows to copy are there; those of a table with a `failure` come only when it is tried again. */
  readonly isWaiting: boolean
  readonly forget: () => void
}

const NONE: TableDraft = { rows: new Map() }

/** The drafts of a table. */
export const tableDraft = ({ tables }: Pick<FormRows, 'tables'>, field: string): TableDraft => tables[field] ?? NONE

/** Keeps what the user makes of the rows of a form. @param copyOf the record whose rows a new record copies */
export function useFormRows({ related = [] }: FormView, copyOf?: number): FormRows {
  const { models } = useSite()
  const [tables, setTables] = useState<FormRows['tables']>({})
  const [active, activate] = useState<ActiveRow>()
  const change = useCallback<FormRows['change']>(
    (field, next) => setTables((former) => ({ ...former, [field]: next(former[field] ?? NONE) })),
    [],
  )
  const forget = useCallback(() => {
    setTables({})
    activate(undefined)
  }, [])
  return useMemo(() => {
    const drafts = Object.values(tables).flatMap(({ rows }) => [...rows.values()])
    const isOpen = ({ field }: { readonly field: string }) => {
      const model = models.find(({ key }) => key === field.split('.')[0])
      return (['add', 'change', 'delete'] as const).some((action) => may(model, 'view') && may(model, action))
    }
    return {
      tables,
      change,
      active,
      activate,
      copyOf,
      isWritable: related.some(isOpen),
      isDirty: drafts.some(({ isChanged }) => isChanged),
      isWaiting: copyOf !== undefined && related.some(({ field }) => tables[field]?.isCopied !== true),
      forget,
    }
  }, [tables, change, active, copyOf, related, models, forget])
}
