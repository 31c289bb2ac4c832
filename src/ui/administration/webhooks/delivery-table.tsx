import { DateCell } from '../../cells/date-cell.tsx'
import type { Delivery } from '../../data/webhooks.ts'
import { Table } from '../../parts/table.tsx'
import { useText } from '../../text/text.tsx'
import { DeliveryState } from './webhook-state.tsx'

interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[]
  readonly onOpen: (delivery: Delivery) => void
}

/** Deliveries of a webhook; each opens. */
export function DeliveryTable({ deliveries, onOpen }: DeliveryTableProps) {
  const text = useText().webhooks
  return (
    <Table
      label={text.deliveries}
      columns={[text.at, text.what, text.state, { label: text.attempts, kind: 'number' }, text.lastAnswer]}
      shape="stacks"
    >
      {deliveries.map((delivery) => (
        <tr key={delivery.id}>
          <td className="no-wrap">
            <button type="button" className="link-button" onClick={() => onOpen(delivery)}>
              <DateCell type="datetime" value={delivery.timestamp} />
            </button>
          </td>
          <td>
            {delivery.event} {delivery.model} {delivery.record_id}
          </td>
          <td>
            <DeliveryState status={delivery.status} />
          </td>
          <td className="number" data-label={text.attempts}>
            {delivery.attempts.length}
          </td>
          <td className="wrap" data-label={text.lastAnswer}>
            {lastAnswer(delivery)}
          </td>
        </tr>
      ))}
    </Table>
  )
}

/** Status or error of the last attempt. */
function lastAnswer({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  return last?.error ?? (last?.status === null || last === undefined ? '' : String(last.status))
}
