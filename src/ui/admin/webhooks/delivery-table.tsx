import { DateCell } from '../../cells/date-cell.tsx'
import type { Delivery } from '../../data/webhooks.ts'
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
    <div className="table-scroll">
      <table className="table table-stacks">
        <thead>
          <tr>
            <th scope="col">{text.at}</th>
            <th scope="col">{text.what}</th>
            <th scope="col">{text.state}</th>
            <th scope="col" className="number">
              {text.attempts}
            </th>
            <th scope="col">{text.lastAnswer}</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  )
}

/** Status or error of the last attempt. */
function lastAnswer({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  return last?.error ?? (last?.status === null || last === undefined ? '' : String(last.status))
}
