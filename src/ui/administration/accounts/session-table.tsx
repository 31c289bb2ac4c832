import type { ReactNode } from 'react'
import type { LoginSession } from '../../../client/client.ts'
import { DateCell } from '../../cells/date-cell.tsx'
import { Chip } from '../../parts/chip.tsx'
import { Table } from '../../parts/table.tsx'
import { useText } from '../../text/text.tsx'
import { deviceOf } from './device.ts'

interface SessionTableProps {
  readonly sessions: readonly LoginSession[]
  /** What can be done with a session. */
  readonly actionOf?: (session: LoginSession) => ReactNode
}

/** Sessions of a user, the newest first. */
export function SessionTable({ sessions, actionOf }: SessionTableProps) {
  const text = useText()
  return (
    <Table
      label={text.account.sessions}
      columns={[
        ...[text.account.device, text.account.address, text.account.began, text.account.used],
        ...(actionOf === undefined ? [] : [{ label: text.common.actions, kind: 'buttons' as const }]),
      ]}
      shape="stacks"
    >
      {sessions.map((session) => (
        <tr key={session.id}>
          <td title={session.user_agent ?? undefined}>
            <span className="device">{deviceOf(session.user_agent) ?? text.account.unknownDevice}</span>{' '}
            {session.current && <Chip color="green">{text.account.thisOne}</Chip>}
          </td>
          <td className="no-wrap">{session.address ?? '–'}</td>
          <td className="no-wrap" data-label={text.account.began}>
            <DateCell type="datetime" value={session.created_at} />
          </td>
          <td className="no-wrap" data-label={text.account.used}>
            {session.last_used_at === null ? '–' : <DateCell type="datetime" value={session.last_used_at} />}
          </td>
          {actionOf !== undefined && <td className="number">{actionOf(session)}</td>}
        </tr>
      ))}
    </Table>
  )
}
