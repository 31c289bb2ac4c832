import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { SiteModel, Versioned } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, recordQuery, refreshModel } from '../data/records.ts'
import { fieldOf, useSite } from '../data/site.ts'
import { useNoun, useViews } from '../data/use-views.ts'
import { type FormView, formFor, formModel, labelIn, underForm, writableFields } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Dialog } from '../parts/popups.tsx'
import { EmptyState, Skeleton } from '../parts/states.tsx'
import { useLanguage, useText } from '../text/text.tsx'
import { type CreateRelatedProps, RelatedContext } from '../widgets/use-related.ts'
import { FormFields, useHidden } from './form-fields.tsx'
import { FormFrame } from './form-frame.tsx'
import { FormTables } from './form-tables.tsx'
import { releaseUploads, unsentFiles, unsentProblems, uploadsEnded, useLatestEdits } from './pending-files.ts'
import { hasUnparsed, type Problems, problemsOf, uncopiedProblems, unparsedProblems } from './problems.ts'
import { useCloseGuard } from './use-leave-guard.tsx'
import { type FormRows, useFormRows } from './use-rows.ts'
import { createdValues, type FormValues, sentValues, startValues } from './values.ts'

/** Creates a record over the page, for a picker that selects it then. */
export function CreateDialog({ model, typed, onClose }: CreateRelatedProps) {
  const text = useText()
  const views = useViews(model.key)
  const noun = useNoun()
  const form = views.data === undefined ? undefined : formFor(views.data.forms, 'create')
  const [isDirty, setDirty] = useState(false)
  const { close, guard } = useCloseGuard(isDirty, () => onClose(undefined))
  return (
    <Dialog isOpen onClose={close} title={text.form.createTitle(noun(model))} shape="drawer">
      {views.data === undefined && <Skeleton />}
      {views.data !== undefined && form === undefined && <EmptyState title={text.form.noForm} />}
      {form !== undefined && (
        <Loaded fallback={<Skeleton />}>
          <RelatedContext value={WITHIN}>
            <CreateForm
              model={formModel(model, form)}
              {...{ form, typed }}
              onDirty={setDirty}
              onCreated={onClose}
              onCancel={close}
            />
          </RelatedContext>
        </Loaded>
      )}
      {guard}
    </Dialog>
  )
}

/** A record that does not exist yet is not in the address, so what it opened would lose it. */
const WITHIN = { CreateDialog, open: undefined }

interface CreateFormProps extends Pick<CreateRelatedProps, 'model' | 'typed'> {
  readonly form: FormView
  /** Called when the form has its first edit. */
  readonly onDirty: (isDirty: boolean) => void
  readonly onCreated: (record: AnyRecord) => void
  readonly onCancel: () => void
}

function CreateForm({ model, form, typed, onDirty, onCreated, onCancel }: CreateFormProps) {
  const text = useText()
  const state = useNewRecord(model, form, typedValues(model, typed))
  const { isDirty } = state
  useEffect(() => onDirty(isDirty), [onDirty, isDirty])
  const submit = async () => {
    const created = await state.save()
    if (created !== undefined) onCreated(created)
  }
  return (
    <NewRecordForm
      {...{ form, model, state }}
      onSave={() => void submit()}
      round={0}
      actions={
        <>
          <Button onClick={onCancel}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={state.isBusy}>
            {text.form.createAndSelect}
          </Button>
        </>
      }
    />
  )
}

/** What was searched for, as the name of a record; nothing where a text cannot be its name. */
function typedValues(model: SiteModel, typed: string): FormValues {
  const isText = ['string', 'text', 'slug', 'email', 'url'].includes(fieldOf(model, model.display_field)?.type ?? '')
  return isText && typed !== '' ? { [model.display_field]: typed } : {}
}

interface NewRecordFormProps {
  /** Id of the form, for a button outside of it that submits it. */
  readonly id?: string | undefined
  readonly form: FormView
  readonly model: SiteModel
  readonly state: ReturnType<typeof useNewRecord>
  readonly onSave: () => void
  /** Number of the attempt: the first input gets the focus when it changes. */
  readonly round: number
  /** The buttons below the fields; none for a form that a header saves. */
  readonly actions?: ReactNode | undefined
}

/** The form of a record that does not exist yet. */
export function NewRecordForm({ id, form, model, state, onSave, round, actions }: NewRecordFormProps) {
  const { values, setValue, writable, hidden, problems, isLocked, rows } = state
  return (
    <FormFrame
      {...{ id, form, model, problems, rows, values, onSave, round, actions }}
      shown={writable.filter((name) => !hidden.has(name))}
      isLocked={isLocked}
    >
      <FormFields
        {...{ form, model, writable, hidden, values }}
        record={undefined}
        onChange={setValue}
        errors={problems?.fields ?? {}}
        wasTried={problems !== undefined}
      />
      <FormTables {...{ form, model, rows }} record={undefined} />
    </FormFrame>
  )
}

/** The state of a form that creates a record. */
interface NewRecord {
  readonly values: FormValues
  readonly setValue: (name: string, value: unknown) => void
  readonly writable: readonly string[]
  readonly hidden: ReadonlySet<string>
  readonly rows: FormRows
  readonly problems: Problems | undefined
  readonly isDirty: boolean
  readonly isBusy: boolean
  /** True while the record is stored; not while its uploads are waited for, which can still be cancelled. */
  readonly isLocked: boolean
  /** Creates the record; undefined if the server did not accept it. */
  readonly save: () => Promise<AnyRecord | undefined>
  /** Starts over with another record. */
  readonly reset: () => void
}

const NOTHING: FormValues = {}

/**
 * Keeps what is typed for a new record, and creates it.
 *
 * @param given values that the form begins with, over its defaults; they are sent as if they had been typed
 * @param copyOf the record whose rows are copied, too
 */
export function useNewRecord(model: SiteModel, form: FormView, given: FormValues = NOTHING, copyOf?: number): NewRecord {
  const session = useSession()
  const queries = useQueryClient()
  const site = useSite()
  const { user } = site
  const rows = useFormRows(form, copyOf)
  const { files: text, errors } = useText()
  const language = useLanguage()
  const [edits, setEdits] = useState<FormValues>({})
  const [problems, setProblems] = useState<Problems>()
  const [isBusy, setBusy] = useState(false)
  const [isLocked, setLocked] = useState(false)
  const latestEdits = useLatestEdits(edits)
  const writable = writableFields(form, 'create', model, user.is_superuser)
  const [openedAt, setOpenedAt] = useState(() => new Date())
  const begun = Object.fromEntries(Object.entries(given).filter(([name]) => writable.includes(name)))
  const values = { ...startValues(form.fields, model, user.id, openedAt), ...begun, ...edits }
  const hidden = useHidden(form, model, undefined, values)
  const sent = writable.filter((name) => !hidden.has(name))
  const titleOf = (name: string) => labelIn(form, model, name)
  const isCopying = rows.isWaiting && Object.values(rows.tables).every(({ failure }) => failure === undefined)
  const tableTitle = (table: string) =>
    form.related?.find(({ field }) => field === table)?.title ??
    site.models.find(({ key }) => key === table.split('.')[0])?.label ??
    table

  /** Keeps a record that was created, for the pages that show it. */
  const kept = (created: Versioned<AnyRecord>, sentEdits: FormValues): AnyRecord => {
    releaseUploads(sentEdits)
    queries.setQueryData(recordQuery(session, model.key, created.data.id).queryKey, created)
    void refreshModel(queries, model.key)
    return created.data
  }

  const save = async () => {
    if (isBusy || isCopying) return undefined
    if (rows.isWaiting) {
      setProblems(uncopiedProblems(rows, tableTitle, errors, () => setProblems(undefined)))
      return undefined
    }
    setBusy(true)
    setProblems(undefined)
    try {
      await uploadsEnded(latestEdits)
      setLocked(true)
      const now = latestEdits()
      const unsent = unsentFiles(now)
      if (unsent.size > 0) {
        setProblems({ error: undefined, fields: unsentProblems(unsent, text) })
        return undefined
      }
      const data = sentValues(model, createdValues(sent, { ...values, ...now }, { ...begun, ...now }))
      if (rows.isDirty) {
        const { storeWithRows } = await import('./row-batch.ts')
        const { stored, problems } = await storeWithRows(
          { session, queries, site, rows, language },
          { model, form, id: undefined, data },
        )
        setProblems(problems)
        return stored && kept(stored, now)
      }
      if (hasUnparsed(data)) {
        const dryRun = (parsed: FormValues) =>
          session.run((client) => client.model(model.key).create(parsed, { ...underForm(form), dryRun: true }))
        setProblems(await unparsedProblems(data, dryRun, titleOf))
        return undefined
      }
      const created = await session.run((client) => client.model(model.key).create(data, underForm(form)))
      return kept(created, now)
    } catch (error) {
      setProblems(problemsOf(error, titleOf))
      return undefined
    } finally {
      setBusy(false)
      setLocked(false)
    }
  }
  return {
    values,
    setValue: (name, value) => setEdits((former) => ({ ...former, [name]: value })),
    writable,
    hidden,
    rows,
    problems,
    isDirty: Object.keys(edits).length > 0 || rows.isDirty,
    isBusy: isBusy || isCopying,
    isLocked,
    save,
    reset: () => {
      setEdits({})
      rows.forget()
      setOpenedAt(new Date())
      setProblems(undefined)
    },
  }
}
