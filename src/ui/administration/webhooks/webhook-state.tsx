import { DateCell } from '../../cells/date-cell.tsx'
import type { DeliveryStatus, Webhook } from '../../data/webhooks.ts'
import { Chip } from '../../parts/chip.tsx'
import { useText } from '../../text/text.tsx'

/** Whether a webhook is enabled, and why not. */
export function WebhookActivity({ webhook: { active, disabled_by } }: { readonly webhook: Webhook }) {
  const text = useText().webhooks
  if (active) return <Chip color="green">{text.enabled}</Chip>
  return <Chip color="gray">{disabled_by === null ? text.disabled : text.disabledBy[disabled_by]}</Chip>
}

/** Whether the receiver answers well. */
export function WebhookHealth({ webhook }: { readonly webhook: Webhook }) {
  const text = useText().webhooks
  const { failing_since, disabled_by } = webhook
  if (failing_since !== null) {
    return (
      <span>
        {text.failingSince} <DateCell type="datetime" value={failing_since} />
      </span>
    )
  }
  if (disabled_by === 'gone' || disabled_by === 'failing') return <span>{text.disabledBy[disabled_by]}</span>
  return <span className="muted">{text.healthy}</span>
}

const COLORS = { pending: 'yellow', delivered: 'green', failed: 'red' } as const

/** How a delivery stands. */
export const DeliveryState = ({ status }: { readonly status: DeliveryStatus }) => (
  <Chip color={COLORS[status]}>{useText().webhooks.statuses[status]}</Chip>
)
