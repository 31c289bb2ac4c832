import type { HistoryEntry } from '../../../client/client.ts'
import { DateCell } from '../../cells/date-cell.tsx'
import { Chip } from '../../parts/chip.tsx'
import { Table } from '../../parts/table.tsx'
import { useText } from '../../text/text.tsx'
import { HistoryEntryChanges } from './history-entry-changes.tsx'
import { actionColor, HistoryRecord } from './history-record.tsx'

interface HistoryTableProps {
  readonly entries: readonly HistoryEntry[]
  /** False leaves out the values that changed. */
  readonly showsChanges?: boolean
}

/** Changes of records: when, who, which, what. */
export function HistoryTable({ entries, showsChanges = true }: HistoryTableProps) {
  const text = useText().history
  return (
    <Table
      label={text.title}
      columns={[text.at, text.user, text.action, text.record, ...(showsChanges ? [text.changes, text.via] : [])]}
      shape="stacks"
    >
      {entries.map((entry) => (
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
          </td>
          {showsChanges && (
            <td>
              <HistoryEntryChanges entry={entry} />
            </td>
          )}
          {showsChanges && <td>{text.vias[entry.via]}</td>}
        </tr>
      ))}
    </Table>
  )
}
