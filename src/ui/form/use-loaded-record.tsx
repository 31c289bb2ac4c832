import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { AdminError, type ChangeEvent, type SiteModel, type Versioned } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, recordQuery } from '../data/records.ts'
import { useSite } from '../data/site.ts'
import { useChanges } from '../data/use-live.ts'
import { useViews } from '../data/use-views.ts'
import { type FormView, formFor, formModel, formsFor, type ModelViews } from '../data/views.ts'
import { Failure } from '../parts/states.tsx'
import { hasConditions, loadConditions } from './conditions.ts'

/** A record with what is needed to edit it. */
export interface LoadedRecord {
  readonly model: SiteModel
  /** The forms that may be chosen. */
  readonly forms: readonly FormView[]
  readonly form: FormView
  /** The newest version that the page knows. */
  readonly latest: Versioned<AnyRecord>
  /** True if the record was deleted while it was open. */
  readonly isDeleted: boolean
  readonly onDeleted: () => void
}

interface LoadingOptions {
  /** Name of the form; the one for updates if there is none of this name. */
  readonly chosen?: string | undefined
  /** True while this page deletes the record: it is then not read, and its deletion is no news. */
  readonly isLeaving?: boolean
  /** Shown for a record that does not exist for the user. */
  readonly missing: ReactNode
  /** Shown while the record is read. */
  readonly waiting: ReactNode
}

/** Reads a record and its forms, and follows its changes. @returns the record, or what is shown instead of it */
export function useLoadedRecord(
  model: SiteModel,
  id: number,
  { chosen, isLeaving = false, missing, waiting }: LoadingOptions,
): { readonly loaded: LoadedRecord; readonly instead?: never } | { readonly loaded?: never; readonly instead: ReactNode } {
  const [isDeleted, setDeleted] = useState(false)
  const views = useViews(model.key)
  const opening = views.data && openingForm(views.data, chosen)
  useRowsAhead(opening, id)
  const isReady = useConditionsAhead(opening)
  // A record that is known to be deleted is not asked for again.
  const record = useQuery({ ...recordQuery(useSession(), model.key, id), enabled: !isDeleted && !isLeaving })
  useChanges(
    useCallback(
      (change: ChangeEvent) => {
        if (change.model === model.key && change.record_id === id && change.action === 'delete') setDeleted(true)
      },
      [model.key, id],
    ),
  )

  const isMissing = record.error instanceof AdminError && record.error.type === 'not_found'
  if (isMissing && record.data === undefined) return { instead: missing }
  const failure = views.error ?? (isMissing || record.data !== undefined ? null : record.error)
  if (failure !== null) {
    const retry = () => void Promise.all([views.refetch(), record.refetch()])
    return { instead: <Failure error={failure} onRetry={retry} /> }
  }
  if (views.data === undefined || record.data === undefined || !isReady) return { instead: waiting }
  const forms = formsFor(views.data.forms, 'update')
  const form = openingForm(views.data, chosen)
  if (form === undefined) return { instead: missing }
  const loaded = {
    model: formModel(model, form),
    forms,
    form,
    latest: record.data,
    isDeleted: (isDeleted || isMissing) && !isLeaving,
    onDeleted: () => setDeleted(true),
  }
  return { loaded }
}

/** The form that a record opens with. @param chosen name of a form */
const openingForm = ({ forms }: ModelViews, chosen: string | undefined): FormView | undefined =>
  formsFor(forms, 'update').find(({ name }) => name === chosen) ?? formFor(forms, 'update') ?? forms[0]

/** Reads the rows of other models in a form at the same time as its record. */
function useRowsAhead(form: FormView | undefined, id: number): void {
  const session = useSession()
  const queries = useQueryClient()
  const site = useSite()
  const related = form?.related
  useEffect(() => {
    if (related !== undefined)
      void import('./rows-ahead.ts').then(({ readRowsAhead }) => readRowsAhead({ session, queries, site }, related, id))
  }, [related, id, session, queries, site])
}

/**
 * Loads the conditions of the form that opens while its record is read. A form that suspends for them after the record has come would be held
 * back for 300 ms.
 *
 * @returns false until they are there; true for every later form, which suspends so that what is typed stays
 */
function useConditionsAhead(form: FormView | undefined): boolean {
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    const end = () => setLoaded(true)
    if (form !== undefined && hasConditions(form)) void loadConditions(form).then(end, end)
  }, [form])
  return isLoaded || form === undefined || !hasConditions(form)
}
