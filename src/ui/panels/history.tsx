import { Link } from '@tanstack/react-router'
import { ChevronRight, RotateCcw } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { HistoryEntry, SiteModel } from '../../client/client.ts'
import { AgeCell } from '../cells/cell.tsx'
import { requestsIn } from '../data/administration.ts'
import { useNames } from '../data/recents.ts'
import { labelOf } from '../data/related.ts'
import { fieldOf, modelOf, useModel, useSite } from '../data/site.ts'
import { useAddress } from '../data/use-address.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { LabelledField } from '../parts/field.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import { ChangesTable, ownChanges } from './changes-table.tsx'
import { FilterSelect } from './checks.tsx'
import { mayRestore, useRestore } from './use-restore.ts'

interface HistoryTableProps {
  readonly entries: readonly HistoryEntry[]
  /** True if the request of the first or the last entry may have more entries on another page. */
  readonly isCut: { readonly first: boolean; readonly last: boolean }
}

/** Changes of records: when, who, which, what. Those of one request stand together; several of one kind are one row that opens to them. */
export function HistoryTable({ entries, isCut }: HistoryTableProps) {
  const text = useLaterText().history
  const names = useNames(entries.map(({ model, record_id: id }) => ({ model, id })))
  const rowOf = (entry: HistoryEntry, isFirst: boolean) => (
    <HistoryRow
      key={entry.id}
      entry={entry}
      name={names.nameOf({ model: entry.model, id: entry.record_id })}
      isFirst={isFirst}
      isLatest={entries.find((each) => each.model === entry.model && each.record_id === entry.record_id) === entry}
    />
  )
  const requests = requestsIn(entries)
  return (
    <DataTable label={text.title} columns={[text.at, text.user, text.action, text.record, text.changes, text.via]} shape="stacks">
      {requests.flatMap((request, place) => {
        const [first] = request
        if (first === undefined || request.filter(({ via }) => via !== 'cascade').length < 2)
          return request.map((entry, index) => rowOf(entry, index === 0))
        const mayHaveMore = (place === 0 && isCut.first) || (place === requests.length - 1 && isCut.last)
        return [
          <RequestRow key={`request-${first.id}`} first={first} request={request} mayHaveMore={mayHaveMore}>
            {request.map((entry) => rowOf(entry, false))}
          </RequestRow>,
        ]
      })}
    </DataTable>
  )
}

interface RequestRowProps {
  readonly first: HistoryEntry
  readonly request: readonly HistoryEntry[]
  readonly mayHaveMore: boolean
  /** The rows of the entries. */
  readonly children: ReactNode
}

/** The changes of one request as one row, which opens to them. */
function RequestRow({ first, request, mayHaveMore, children }: RequestRowProps) {
  const text = useLaterText().history
  const site = useSite()
  const [isOpen, setOpen] = useState(false)
  const models = [...new Set(request.map(({ model }) => modelOf(site, model)?.label ?? model))]
  return (
    <>
      <tr className="of-many">
        <td className="no-wrap">
          <AgeCell value={first.at} />
        </td>
        <td>
          <Actor entry={first} />
        </td>
        <td>
          {[...new Set(request.map(({ action }) => action))].map((action) => (
            <ActionChip key={action} action={action} />
          ))}
        </td>
        <td>
          <Fold isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
            {text.records(request.length, mayHaveMore)}
          </Fold>
        </td>
        <td>
          <span className="muted">{models.join(', ')}</span>
        </td>
        <td>{text.vias[first.via]}</td>
      </tr>
      {isOpen && children}
    </>
  )
}

/** Who made a change; the id of a user who is gone. */
function Actor({ entry: { user } }: { readonly entry: HistoryEntry }) {
  const text = useLaterText().history
  return user === null ? <span className="muted">{text.noUser}</span> : (user.username ?? `#${user.id}`)
}

/** The colours of actions. */
const COLORS = { create: 'green', update: 'blue', delete: 'red' } as const

function ActionChip({ action }: Pick<HistoryEntry, 'action'>) {
  return <Chip color={COLORS[action]}>{useLaterText().history.actions[action]}</Chip>
}

interface FoldProps {
  readonly isOpen: boolean
  /** The id of what it opens, where that is one element. */
  readonly controls?: string | undefined
  readonly onToggle: () => void
  readonly children: ReactNode
}

/** A button of a row that opens what stands below the row. */
function Fold({ isOpen, controls, onToggle, children }: FoldProps) {
  return (
    <button
      type="button"
      className="changes-fold"
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={onToggle}
    >
      <ChevronRight size={14} aria-hidden />
      {children}
    </button>
  )
}

interface HistoryRowProps {
  readonly entry: HistoryEntry
  /** The name of the record now; undefined until it is read, null for a record that is gone. */
  readonly name: string | null | undefined
  /** True for the first entry of its request, which says when and who. */
  readonly isFirst: boolean
  /** True if no later change of the record is shown. */
  readonly isLatest: boolean
}

/** A change of a record; opens the old and new values below. */
function HistoryRow({ entry, name, isFirst, isLatest }: HistoryRowProps) {
  const text = useLaterText().history
  const model = useModel(entry.model)
  const [isOpen, setOpen] = useState(false)
  const details = useId()
  const changes = ownChanges(entry)
  const names = Object.keys(changes)
  const labels = names.map((each) => (model === undefined ? undefined : fieldOf(model, each)?.label) ?? each)
  return (
    <>
      <tr className={isFirst ? undefined : 'of-request'}>
        <td className="no-wrap">{isFirst && <AgeCell value={entry.at} />}</td>
        <td>{isFirst && <Actor entry={entry} />}</td>
        <td>
          <ActionChip action={entry.action} />
        </td>
        <td>
          <HistoryRecord entry={entry} model={model} name={name} />
          {entry.action === 'delete' && entry.via !== 'cascade' && isLatest && <RestoreButton entry={entry} />}
        </td>
        <td>
          {names.length === 0 ? (
            <span className="muted">{text.noChanges}</span>
          ) : (
            <Fold isOpen={isOpen} controls={details} onToggle={() => setOpen(!isOpen)}>
              {entry.action === 'update' ? labels.join(', ') : text.fields(names.length)}
            </Fold>
          )}
        </td>
        <td>{text.vias[entry.via]}</td>
      </tr>
      {/* Values of relations are asked for, so a folded entry does not render them. */}
      {isOpen && (
        <tr id={details} className="changes">
          <td colSpan={6}>
            <ChangesTable entry={{ action: entry.action, changes }} model={model} />
          </td>
        </tr>
      )}
    </>
  )
}

/** Restores the deleted record of an entry. */
function RestoreButton({ entry: { model: key, record_id: id } }: { readonly entry: HistoryEntry }) {
  const text = useLaterText().history
  const model = useModel(key)
  const { one: restore } = useRestore()
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

/** Chooses which changes are shown. */
export function HistoryFilters() {
  const text = useLaterText().history
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

interface HistoryRecordProps extends Pick<HistoryRowProps, 'entry' | 'name'> {
  readonly model: SiteModel | undefined
}

/** The record of an entry by its name and model, with a link if it exists. The name of one that is gone is that of the entry. */
function HistoryRecord({ entry: { record_id: id, changes, action }, name, model }: HistoryRecordProps) {
  const former = changes[model?.display_field ?? '']?.[action === 'create' ? 'after' : 'before']
  const shown = name ?? labelOf({ former }, 'former') ?? `#${id}`
  return (
    <span className="history-record">
      {model === undefined || name == null ? (
        shown
      ) : (
        <Link to="/models/$model/$id" params={{ model: model.key, id: String(id) }}>
          {shown}
        </Link>
      )}{' '}
      {model !== undefined && <span className="muted">{model.label}</span>}
    </span>
  )
}
