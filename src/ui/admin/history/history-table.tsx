import type { HistoryEntry } from '../../../client/client.ts'
import { DateCell } from '../../cells/date-cell.tsx'
import { Chip } from '../../parts/chip.tsx'
import { TableScroll } from '../../parts/table-scroll.tsx'
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
    <TableScroll label={text.title}>
      <table className="table table-stacks">
        <thead>
          <tr>
            <th scope="col">{text.at}</th>
            <th scope="col">{text.user}</th>
            <th scope="col">{text.action}</th>
            <th scope="col">{text.record}</th>
            {showsChanges && <th scope="col">{text.changes}</th>}
            {showsChanges && <th scope="col">{text.via}</th>}
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </TableScroll>
  )
}
