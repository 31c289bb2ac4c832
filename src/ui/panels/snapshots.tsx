import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { DateCell } from '../cells/cell.tsx'
import { snapshotsQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { useSite } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { EmptyState, Failure, Skeleton } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { Confirm } from './confirm.tsx'
import { useAction } from './use-action.ts'

/** Saved copies of the data. */
export function SnapshotPanel() {
  const text = useLaterText().tools
  const { capabilities } = useSite()
  if (!capabilities.snapshots) return <EmptyState title={text.noSnapshotsTitle}>{text.noSnapshotsText}</EmptyState>
  return <SnapshotList />
}

function SnapshotList() {
  const { common } = useText()
  const text = useLaterText().tools
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
        <DataTable
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
        </DataTable>
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

/** What the server takes as a name. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** Saves a copy of the data under a name. @param names those that are taken */
function SaveSnapshot({ names }: { readonly names: readonly string[] }) {
  const text = useLaterText().tools
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, run } = useAction()
  const [name, setName] = useState('')
  const [faults, setFaults] = useState<readonly string[]>([])

  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const found = !NAME.test(name) ? [text.nameRule] : names.includes(name) ? [text.nameTaken] : []
    setFaults(found)
    if (found.length > 0) return
    if (!(await run((client) => client.request('/snapshots', { method: 'POST', body: { name } })))) return
    setName('')
    toasts.done(text.saved(name))
    await queries.invalidateQueries({ queryKey: ['snapshots'] })
  }

  return (
    <form className="filters" noValidate onSubmit={(event) => void save(event)}>
      <LabelledField label={text.snapshotName} errors={faults}>
        {(links) => (
          <input
            {...links}
            className="input"
            autoComplete="off"
            autoCapitalize="none"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </LabelledField>
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {text.save}
      </Button>
      {error !== undefined && <Failure error={error} />}
    </form>
  )
}
