import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { AdminError, type HistoryEntry, type SiteModel } from '../../client/client.ts'
import { formatDateTime, utcText } from '../cells/format.ts'
import { useLocale } from '../cells/use-locale.ts'
import { fieldOf } from '../data/site.ts'
import type { FormView } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Failure } from '../parts/failure.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import type { PageSession } from '../session/page-session.ts'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'
import { titleOf } from './form-field.tsx'
import { restorable } from './restorable.ts'
import { ValueView } from './value-view.tsx'
import type { Values } from './values.ts'

const PAGE_SIZE = 20

/** The query of a page of a record's history. It is read again with the records of the model. */
const historyQuery = (session: PageSession, model: string, id: number, page: number) =>
  queryOptions({
    queryKey: ['records', model, 'history', id, page],
    queryFn: ({ signal }) => session.run((client) => client.model(model).history(id, { page, page_size: PAGE_SIZE }, { signal })),
    placeholderData: keepPreviousData,
  })

interface RecordHistoryProps {
  readonly model: SiteModel
  readonly form: FormView
  readonly id: number
  /** Names of the fields that can be restored. */
  readonly writable: readonly string[]
  readonly onRestore: (values: Values) => void
}

/** The changes of a record, the latest first: who, when, old and new values. */
export function RecordHistory({ model, form, id, writable, onRestore }: RecordHistoryProps) {
  const text = useText()
  const [page, setPage] = useState(1)
  const history = useQuery(historyQuery(useSession(), model.key, id, page))
  if (history.error instanceof AdminError && history.error.type === 'not_found')
    return <EmptyState title={text.recordHistory.none} />
  if (history.error !== null) return <Failure error={history.error} onRetry={() => void history.refetch()} />
  if (history.data === undefined) return <Skeleton />
  const { data: entries, total_pages: pages } = history.data
  if (entries.length === 0) return <EmptyState title={text.recordHistory.none}>{text.recordHistory.noneText}</EmptyState>
  return (
    <div className="history">
      <ol className="history-entries">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} model={model} form={form} writable={writable} onRestore={onRestore} />
        ))}
      </ol>
      {pages > 1 && (
        <nav className="history-pages" aria-label={text.recordHistory.title}>
          <Button onClick={() => setPage(page - 1)} disabled={page === 1}>
            {text.recordHistory.newer}
          </Button>
          <span>{text.recordHistory.page(page, pages)}</span>
          <Button onClick={() => setPage(page + 1)} disabled={page >= pages}>
            {text.recordHistory.older}
          </Button>
        </nav>
      )}
    </div>
  )
}

interface EntryProps extends Omit<RecordHistoryProps, 'id'> {
  readonly entry: HistoryEntry
}

function Entry({ entry, model, form, writable, onRestore }: EntryProps) {
  const text = useText().recordHistory
  const locale = useLocale()
  const values = restorable(entry, writable)
  const changes = Object.entries(entry.changes).filter(([name]) => name !== 'updated_at' && name !== 'created_at')
  return (
    <li className="history-entry">
      <header className="history-head">
        <p>
          <strong>{entry.user?.username ?? (entry.user === null ? text.nobody : `#${entry.user.id}`)}</strong>{' '}
          {text[entry.action]}
          {entry.via !== 'api' && <> ({text.via[entry.via]})</>}
        </p>
        <time dateTime={entry.at} title={utcText(entry.at)}>
          {formatDateTime(entry.at, locale)}
        </time>
        {Object.keys(values).length > 0 && <Button onClick={() => onRestore(values)}>{text.restore}</Button>}
      </header>
      <div className="table-scroll">
        <table className="table history-table">
          <thead>
            <tr>
              <th scope="col">{text.field}</th>
              {entry.action !== 'create' && <th scope="col">{text.before}</th>}
              {entry.action !== 'delete' && <th scope="col">{text.after}</th>}
            </tr>
          </thead>
          <tbody>
            {changes.map(([name, change]) => (
              <tr key={name}>
                <th scope="row">{labelIn(name, model, form)}</th>
                {entry.action !== 'create' && (
                  <td>{change.secret ? text.secret : <Value name={name} value={change.before} model={model} form={form} />}</td>
                )}
                {entry.action !== 'delete' && (
                  <td>{change.secret ? text.secret : <Value name={name} value={change.after} model={model} form={form} />}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </li>
  )
}

interface ValueProps {
  readonly name: string
  readonly value: unknown
  readonly model: SiteModel
  readonly form: FormView
}

function Value({ name, value, model, form }: ValueProps) {
  const field = fieldOf(model, name)
  // A field that the model no longer has.
  if (field === undefined) return typeof value === 'string' ? value : JSON.stringify(value)
  return <ValueView field={field} view={form.fields.find((each) => each.name === name)} value={value} />
}

function labelIn(name: string, model: SiteModel, form: FormView): string {
  const field = fieldOf(model, name)
  const view = form.fields.find((each) => each.name === name)
  if (field === undefined) return name
  return view === undefined ? field.label : titleOf(view, field)
}
