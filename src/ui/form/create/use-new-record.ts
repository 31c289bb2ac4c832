import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SiteModel } from '../../../client/client.ts'
import { type AnyRecord, recordQuery, refreshModel } from '../../data/records.ts'
import { useSite } from '../../data/site.ts'
import { type FormView, underForm, writableFields } from '../../data/views.ts'
import { useSession } from '../../session/use-session.ts'
import { labelIn } from '../fields/form-field.tsx'
import { useHidden } from '../fields/form-fields.tsx'
import { hasUnparsed, type Problems, problemsOf, unparsedProblems } from '../fields/problems.ts'
import { startValues } from '../fields/start-values.ts'
import { createdValues, type Values } from '../fields/values.ts'

/** The state of a form that creates a record. */
export interface NewRecord {
  readonly values: Values
  readonly setValue: (name: string, value: unknown) => void
  readonly writable: readonly string[]
  readonly hidden: ReadonlySet<string>
  readonly problems: Problems | undefined
  readonly isDirty: boolean
  readonly isBusy: boolean
  /** Creates the record; undefined if the server did not accept it. */
  readonly save: () => Promise<AnyRecord | undefined>
  /** Starts over with another record. */
  readonly reset: () => void
}

/** Keeps what is typed for a new record, and creates it. */
export function useNewRecord(model: SiteModel, form: FormView): NewRecord {
  const session = useSession()
  const queries = useQueryClient()
  const { user } = useSite()
  const [edits, setEdits] = useState<Values>({})
  const [problems, setProblems] = useState<Problems>()
  const [isBusy, setBusy] = useState(false)
  const writable = writableFields(form, 'create', model, user.is_superuser)
  const [openedAt, setOpenedAt] = useState(() => new Date())
  const values = { ...startValues(form.fields, model, user.id, openedAt), ...edits }
  const hidden = useHidden(form, model, undefined, values)
  const sent = writable.filter((name) => !hidden.has(name))
  const titleOf = (name: string) => labelIn(form, model, name)

  const save = async () => {
    const data = createdValues(sent, values, edits)
    if (isBusy) return undefined
    setBusy(true)
    setProblems(undefined)
    try {
      if (hasUnparsed(data)) {
        const dryRun = (parsed: Values) =>
          session.run((client) => client.model(model.key).create(parsed, { ...underForm(form), dryRun: true }))
        setProblems(await unparsedProblems(data, dryRun, titleOf))
        return undefined
      }
      const created = await session.run((client) => client.model(model.key).create(data, underForm(form)))
      queries.setQueryData(recordQuery(session, model.key, created.data.id).queryKey, created)
      void refreshModel(queries, model.key)
      return created.data
    } catch (error) {
      setProblems(problemsOf(error, titleOf))
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return {
    values,
    setValue: (name, value) => setEdits((former) => ({ ...former, [name]: value })),
    writable,
    hidden,
    problems,
    isDirty: Object.keys(edits).length > 0,
    isBusy,
    save,
    reset: () => {
      setEdits({})
      setOpenedAt(new Date())
      setProblems(undefined)
    },
  }
}
