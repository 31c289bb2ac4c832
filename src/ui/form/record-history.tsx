import { useLaterText } from '../text/later.ts'
import '../styles/record-dialogs.css'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { AdminError, type HistoryEntry, type SiteModel } from '../../client/client.ts'
import { AgeCell } from '../cells/cell.tsx'
import { type PageSession, useSession } from '../data/page-session.ts'
import type { FormView } from '../data/views.ts'
import { ChangesTable, ownChanges } from '../panels/changes-table.tsx'
import { Button } from '../parts/button.tsx'
import { PageButtons } from '../parts/page-buttons.tsx'
import { EmptyState, Failure, Skeleton } from '../parts/states.tsx'
import type { FormValues } from './values.ts'
import { restorable } from './versions.ts'

const PAGE_SIZE = 20

/** The query of a page of a record's history. It is read again with the records of the model. */
const historyQuery = (session: PageSession, model: string, id: number, page: number) =>
  queryOptions({
    queryKey: ['records', model, 'history', id, page],
    queryFn: ({ signal }) =>
      session.read(signal, (client) => client.model(model).history(id, { page, page_size: PAGE_SIZE }, { signal })),
    placeholderData: keepPreviousData,
  })

interface RecordHistoryProps {
  readonly model: SiteModel
  readonly form: FormView
  readonly id: number
  /** Names of the fields that can be restored. */
  readonly writable: readonly string[]
  readonly onRestore: (values: FormValues) => void
}

/** The changes of a record, the latest first: who, when, old and new values. */
export function RecordHistory({ model, form, id, writable, onRestore }: RecordHistoryProps) {
  const text = useLaterText().recordHistory
  const [page, setPage] = useState(1)
  const history = useQuery(historyQuery(useSession(), model.key, id, page))
  if (history.error instanceof AdminError && history.error.type === 'not_found') return <EmptyState title={text.none} />
  if (history.error !== null) return <Failure error={history.error} onRetry={() => void history.refetch()} />
  if (history.data === undefined) return <Skeleton />
  if (history.data.data.length === 0) return <EmptyState title={text.none}>{text.noneText}</EmptyState>
  return (
    <div className="history">
      <ol className="history-entries">
        {history.data.data.map((entry) => (
          <Entry key={entry.id} entry={entry} model={model} form={form} writable={writable} onRestore={onRestore} />
        ))}
      </ol>
      <PageButtons page={history.data} onChange={setPage} />
    </div>
  )
}

interface EntryProps extends Omit<RecordHistoryProps, 'id'> {
  readonly entry: HistoryEntry
}

function Entry({ entry, model, form, writable, onRestore }: EntryProps) {
  const { recordHistory: text, history } = useLaterText()
  const values = restorable(entry, writable)
  return (
    <li className="history-entry">
      <header className="history-head">
        <p>
          <strong>{entry.user === null ? history.noUser : (entry.user.username ?? `#${entry.user.id}`)}</strong>{' '}
          {text[entry.action]}
          {entry.via !== 'api' && <> ({history.vias[entry.via]})</>}
        </p>
        <AgeCell value={entry.at} />
        {Object.keys(values).length > 0 && <Button onClick={() => onRestore(values)}>{text.restore}</Button>}
      </header>
      <ChangesTable entry={{ action: entry.action, changes: ownChanges(entry) }} model={model} form={form} />
    </li>
  )
}
