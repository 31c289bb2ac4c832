import type { HistoryEntry } from '../../../client/client.ts'
import { useText } from '../../text/text.tsx'
import { ChangeRow } from './change-row.tsx'

/** The changed fields of an entry; opens their old and new values. */
export function HistoryEntryChanges({ entry }: { readonly entry: HistoryEntry }) {
  const text = useText().history
  const changes = Object.entries(entry.changes)
  if (changes.length === 0) return <span className="muted">{text.noChanges}</span>
  return (
    <details className="changes">
      <summary>{entry.action === 'update' ? changes.map(([name]) => name).join(', ') : text.fields(changes.length)}</summary>
      <table className="table table-dense">
        <thead>
          <tr>
            <th scope="col">{text.field}</th>
            <th scope="col">{text.before}</th>
            <th scope="col">{text.after}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(([name, change]) => (
            <ChangeRow key={name} name={name} change={change} />
          ))}
        </tbody>
      </table>
    </details>
  )
}
