import { Link } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { HistoryEntry } from '../../client/client.ts'
import { DateCell } from '../cells/cell.tsx'
import { fieldOf, modelOf, useModel, useSite } from '../data/site.ts'
import { useAddress } from '../data/use-address.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { LabelledField } from '../parts/field.tsx'
import { DataTable } from '../parts/table.tsx'
import { useText } from '../text/text.tsx'
import { ChangesTable } from './changes-table.tsx'
import { FilterSelect } from './checks.tsx'
import { mayRestore, useRestore } from './use-restore.ts'

interface HistoryTableProps {
  readonly entries: readonly HistoryEntry[]
  /** False leaves out the values that changed. */
  readonly showsChanges?: boolean
}

/** Changes of records: when, who, which, what. */
export function HistoryTable({ entries, showsChanges = true }: HistoryTableProps) {
  const text = useText().history
  return (
    <DataTable
      label={text.title}
      columns={[text.at, text.user, text.action, text.record, ...(showsChanges ? [text.changes, text.via] : [])]}
      shape="stacks"
    >
      {entries.map((entry, place) => (
        <tr key={entry.id}>
          <td className="no-wrap">
            <DateCell type="datetime" value={entry.at} />
          </td>
          <td>{entry.user?.username ?? <span className="muted">{text.noUser}</span>}</td>
          <td>
            <Chip color={actionColor(entry.action)}>{text.actions[entry.action]}</Chip>
          </td>
          <td>
            <HistoryRecord entry={entry} />
            {entry.action === 'delete' && entries.findIndex((each) => isOfSame(each, entry)) === place && (
              <RestoreButton entry={entry} />
            )}
          </td>
          {showsChanges && (
            <td>
              <HistoryEntryChanges entry={entry} />
            </td>
          )}
          {showsChanges && <td>{text.vias[entry.via]}</td>}
        </tr>
      ))}
    </DataTable>
  )
}

const isOfSame = (one: HistoryEntry, other: HistoryEntry): boolean =>
  one.model === other.model && one.record_id === other.record_id

/** Restores the deleted record of an entry. */
function RestoreButton({ entry: { model: key, record_id: id } }: { readonly entry: HistoryEntry }) {
  const text = useText().history
  const model = useModel(key)
  const restore = useRestore()
  const [isBusy, setBusy] = useState(false)
  if (model === undefined || !mayRestore(model)) return null
  const run = () => {
    setBusy(true)
    void restore(model, id).finally(() => setBusy(false))
  }
  return (
    <Button kind="quiet" icon={<RotateCcw size={14} aria-hidden />} isBusy={isBusy} onClick={run}>
      {text.restore}
    </Button>
  )
}

/** The changed fields of an entry; opens their old and new values. */
function HistoryEntryChanges({ entry }: { readonly entry: HistoryEntry }) {
  const text = useText().history
  const model = useModel(entry.model)
  const [isOpen, setOpen] = useState(false)
  const names = Object.keys(entry.changes)
  if (names.length === 0) return <span className="muted">{text.noChanges}</span>
  const labels = names.map((name) => (model === undefined ? undefined : fieldOf(model, name)?.label) ?? name)
  return (
    <details className="changes" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{entry.action === 'update' ? labels.join(', ') : text.fields(names.length)}</summary>
      {/* Values of relations are asked for, so a folded entry does not render them. */}
      {isOpen && <ChangesTable entry={entry} model={model} />}
    </details>
  )
}

/** Chooses which changes are shown. */
export function HistoryFilters() {
  const text = useText().history
  const { models } = useSite()
  const recorded = models.filter(({ history }) => history).map(({ key, label }) => ({ value: key, label }))
  const { get, change } = useAddress()
  const setUser = (user: string) => user !== (get('user') ?? '') && change({ user: user || undefined, page: undefined })
  return (
    <form className="filters" onSubmit={(event) => event.preventDefault()}>
      <FilterSelect name="model" label={text.model} options={recorded} />
      <FilterSelect name="action" label={text.action} options={optionsOf(text.actions)} />
      <FilterSelect name="via" label={text.via} options={optionsOf(text.vias)} />
      <LabelledField label={text.user}>
        {(links) => (
          <input
            {...links}
            key={get('user')}
            className="input"
            type="search"
            autoCapitalize="none"
            defaultValue={get('user') ?? ''}
            onBlur={(event) => setUser(event.target.value.trim())}
            onKeyDown={(event) => event.key === 'Enter' && setUser(event.currentTarget.value.trim())}
          />
        )}
      </LabelledField>
    </form>
  )
}

const optionsOf = (texts: Readonly<Record<string, string>>) => Object.entries(texts).map(([value, label]) => ({ value, label }))

/** Names the record of an entry, with a link if it may still exist. */
function HistoryRecord({ entry: { model: key, record_id: id, action } }: { readonly entry: HistoryEntry }) {
  const model = modelOf(useSite(), key)
  const name = `${model?.label ?? key} ${id}`
  if (model === undefined || action === 'delete') return name
  return (
    <Link to="/models/$model/$id" params={{ model: key, id: String(id) }}>
      {name}
    </Link>
  )
}

const COLORS = { create: 'green', update: 'blue', delete: 'red' } as const

/** The colour of an action. */
const actionColor = (action: HistoryEntry['action']): string => COLORS[action]
