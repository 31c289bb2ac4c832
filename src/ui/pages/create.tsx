import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ListPlus } from 'lucide-react'
import { useId, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { recordQuery } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import { fieldOf, may, useModel } from '../data/site.ts'
import { useNoun, useViews } from '../data/use-views.ts'
import { type FormView, formFor, formModel, formsFor } from '../data/views.ts'
import { NewRecordForm, useNewRecord } from '../form/new-record.tsx'
import { RecordHeader, RecordSkeleton } from '../form/record-header.tsx'
import { RecordMenu } from '../form/record-menu.tsx'
import { RelationDrawers } from '../form/relation-drawers.tsx'
import { type PageChange, useLeaveGuard } from '../form/use-leave-guard.tsx'
import { useSaveKey } from '../form/use-save-key.ts'
import { copiedValues, type FormValues } from '../form/values.ts'
import { Button } from '../parts/button.tsx'
import { focusContent } from '../parts/page-header.tsx'
import { EmptyState, Failure } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { firstOf, type SearchParams, valuesOf } from '../search-params.ts'
import { isDay } from '../text/days.ts'
import { useText } from '../text/text.tsx'
import { NotFound } from './not-found.tsx'

/** Creates a record. */
export function CreatePage() {
  const text = useText().form
  const noun = useNoun()
  const { model: key = '' } = useParams({ strict: false })
  const model = useModel(key)
  const views = useViews(key)
  const search: SearchParams = useSearch({ strict: false })
  const chosen = firstOf(search, 'form')
  const source = Number(firstOf(search, 'copy') ?? 0)
  const session = useSession()
  const copied = useQuery({ ...recordQuery(session, key, source), enabled: source > 0 })
  if (model === undefined || !may(model, 'add')) return <NotFound />
  if (views.error !== null) return <Failure error={views.error} onRetry={() => void views.refetch()} />
  if (copied.error !== null && copied.data === undefined)
    return <Failure error={copied.error} onRetry={() => void copied.refetch()} />
  if (views.data === undefined || (source > 0 && copied.data === undefined))
    return <RecordSkeleton model={model} title={text.createTitle(noun(model))} />
  const forms = formsFor(views.data.forms, 'create')
  const form = forms.find(({ name }) => name === chosen) ?? formFor(views.data.forms, 'create')
  if (form === undefined) return <EmptyState title={text.noForm} />
  const given = { ...filledIn(model, valuesOf(search, 'fill')), ...(copied.data && copiedValues(model, copied.data.data)) }
  const copyOf = copied.data !== undefined && firstOf(search, 'rows') === 'true' ? source : undefined
  return <Creation key={`${key} ${begunBy(search)}`} model={formModel(model, form)} {...{ form, forms, given, copyOf }} />
}

/** What an address lets the form begin with; the chosen form may change, and keeps what was typed. */
const begunBy = (search: SearchParams): string => JSON.stringify(['copy', 'rows', 'fill'].map((name) => valuesOf(search, name)))

/** True if another new record takes the place of one: a copy, that of another day, an empty one. */
const isOtherRecord = ({ current, next }: PageChange): boolean => begunBy(current.search) !== begunBy(next.search)

/** The related records, days and times that an address fills in, such as `category_id=3` and `starts_at=2026-07-02T09:00:00Z`. */
function filledIn(model: SiteModel, fills: readonly string[]): FormValues {
  const values = fills.flatMap((fill): [string, unknown][] => {
    const [name = '', id] = fill.split('=')
    const type = fieldOf(model, name)?.type
    const isRelation = type === 'foreignkey' || type === 'one_to_one'
    if (type === 'date' && isDay(id ?? '')) return [[name, id]]
    if (type === 'datetime' && id?.includes('T') === true && !Number.isNaN(Date.parse(id)))
      return [[name, new Date(id).toISOString()]]
    return isRelation && /^[1-9]\d*$/.test(id ?? '') ? [[name, Number(id)]] : []
  })
  return Object.fromEntries(values)
}

interface CreationProps {
  readonly model: SiteModel
  readonly form: FormView
  readonly forms: readonly FormView[]
  /** Values that the form begins with. */
  readonly given: FormValues
  /** The record whose rows are copied. */
  readonly copyOf: number | undefined
}

function Creation({ model, form, forms, given: first, copyOf: copied }: CreationProps) {
  // A later read of the source leaves the form as it is.
  const [given] = useState(first)
  const [copyOf, setCopyOf] = useState(copied)
  const noun = useNoun()
  const text = useText()
  const toasts = useToasts()
  const navigate = useNavigate()
  const state = useNewRecord(model, form, given, copyOf)
  const guard = useLeaveGuard(state.isDirty, isOtherRecord)
  const [round, setRound] = useState(0)
  const id = useId()

  const create = async (isMore: boolean) => {
    const created = await state.save()
    if (created === undefined) return
    toasts.done(text.form.created(nameOf(created, model)))
    if (isMore || !may(model, 'view')) {
      state.reset()
      setCopyOf(undefined)
      setRound(round + 1)
    } else {
      const params = { model: model.key, id: String(created.id) }
      await navigate({ to: '/models/$model/$id', params, replace: true, ignoreBlocker: true })
      focusContent()
    }
  }
  const save = () => void create(false)
  useSaveKey(save)

  return (
    <RelationDrawers>
      <RecordHeader
        model={model}
        title={text.form.createTitle(noun(model))}
        isDirty={state.isDirty}
        save={{ form: id, onSave: save, isBusy: state.isBusy }}
      >
        <Button
          className="button-folding"
          icon={<ListPlus size={16} aria-hidden />}
          onClick={() => void create(true)}
          isBusy={state.isBusy}
        >
          {text.form.saveAndAdd}
        </Button>
        <RecordMenu {...{ model, forms, form }} />
      </RecordHeader>
      <div className="record-form">
        <NewRecordForm {...{ id, form, model, state, round }} onSave={save} />
      </div>
      {guard}
    </RelationDrawers>
  )
}
