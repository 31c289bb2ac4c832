import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DateCell } from '../../cells/date-cell.tsx'
import { useLocale } from '../../cells/use-locale.ts'
import { useSite } from '../../data/site.ts'
import { snapshotsQuery } from '../../data/tools.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Failure } from '../../parts/failure.tsx'
import { useToasts } from '../../parts/popups/toast.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Table } from '../../parts/table.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { Confirm } from '../confirm.tsx'
import { useAction } from '../use-action.ts'
import { SaveSnapshot } from './save-snapshot.tsx'

/** Saved copies of the data. */
export function Snapshots() {
  const text = useText().tools
  const { capabilities } = useSite()
  if (!capabilities.snapshots) return <EmptyState title={text.noSnapshotsTitle}>{text.noSnapshotsText}</EmptyState>
  return <SnapshotList />
}

function SnapshotList() {
  const { tools: text, common } = useText()
  const locale = useLocale()
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error: failure, run, clear } = useAction()
  const [asked, setAsked] = useState<{ readonly kind: 'load' | 'delete'; readonly name: string }>()
  const { data, error, refetch } = useQuery({ ...snapshotsQuery(useSession()), refetchOnMount: 'always' })
  const ask = (kind: 'load' | 'delete', name: string) => {
    clear()
    setAsked({ kind, name })
  }

  const load = async (name: string) => {
    if (!(await run((client) => client.request(`/snapshots/${encodeURIComponent(name)}/load`, { method: 'POST' })))) return
    setAsked(undefined)
    toasts.done(text.loaded(name))
    await queries.invalidateQueries()
  }
  const remove = async (name: string) => {
    if (!(await run((client) => client.request(`/snapshots/${encodeURIComponent(name)}`, { method: 'DELETE' })))) return
    setAsked(undefined)
    toasts.done(text.deleted(name))
    await queries.invalidateQueries({ queryKey: ['snapshots'] })
  }

  return (
    <div className="stack">
      <SaveSnapshot names={data?.map(({ name }) => name) ?? []} />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data?.length === 0 && <p className="muted">{text.noneSaved}</p>}
      {data !== undefined && data.length > 0 && (
        <Table
          label={text.snapshots}
          columns={[
            text.snapshotName,
            text.savedAt,
            { label: text.size, kind: 'number' },
            { label: common.actions, kind: 'buttons' },
          ]}
          shape="stacks"
        >
          {data.map(({ name, bytes, saved_at }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="no-wrap">
                <DateCell type="datetime" value={saved_at} />
              </td>
              <td className="number">{kibibytes(bytes).toLocaleString(locale)} KiB</td>
              <td>
                <div className="row-actions">
                  <Button onClick={() => ask('load', name)}>{text.load}</Button>
                  <Button kind="danger" onClick={() => ask('delete', name)}>
                    {common.delete}
                  </Button>
                </div>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {asked !== undefined && (
        <Confirm
          {...{ isBusy, error: failure }}
          title={asked.kind === 'load' ? text.loadTitle(asked.name) : text.deleteTitle(asked.name)}
          action={asked.kind === 'load' ? text.load : common.delete}
          onConfirm={() => void (asked.kind === 'load' ? load(asked.name) : remove(asked.name))}
          onClose={() => setAsked(undefined)}
        >
          {asked.kind === 'load' ? text.loadText : text.deleteText}
        </Confirm>
      )}
    </div>
  )
}

const kibibytes = (bytes: number): number => Math.ceil(bytes / 1024)
