import { Link } from '@tanstack/react-router'
import { DateCell } from '../cells/cell.tsx'
import type { DeliveryStatus, Webhook } from '../data/webhooks.ts'
import { Chip } from '../parts/chip.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale } from '../text/text.tsx'

/** All webhooks. */
export function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const text = useLaterText().webhooks
  const locale = useLocale()
  return (
    <DataTable
      label={text.title}
      columns={[text.url, text.eventsLabel, text.modelsLabel, text.state, text.health, { label: text.pending, kind: 'number' }]}
      shape="stacks"
    >
      {webhooks.map((webhook) => (
        <tr key={webhook.id}>
          <td className="wrap">
            <Link to="/webhooks/$id" params={{ id: String(webhook.id) }}>
              {webhook.url}
            </Link>
          </td>
          <td>
            <WebhookEvents webhook={webhook} />
          </td>
          <td>
            <WebhookModels webhook={webhook} />
          </td>
          <td>
            <WebhookActivity webhook={webhook} />
          </td>
          <td data-label={text.health}>
            <WebhookHealth webhook={webhook} />
          </td>
          <td className="number" data-label={text.pending}>
            {webhook.pending.toLocaleString(locale)}
          </td>
        </tr>
      ))}
    </DataTable>
  )
}

const SHOWN = 3

/** The events that a webhook is told of. */
export const WebhookEvents = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useLaterText().webhooks
  return (
    <span className="chips">
      {webhook.events.map((event) => (
        <Chip key={event}>{text.events[event]}</Chip>
      ))}
    </span>
  )
}

/** The models that a webhook is told of. */
export const WebhookModels = ({ webhook: { models } }: { readonly webhook: Webhook }) => {
  const text = useLaterText().webhooks
  if (models.length === 0) return <span>{text.allModels}</span>
  return (
    <span className="chips" title={models.join(', ')}>
      {models.slice(0, SHOWN).map((model) => (
        <Chip key={model}>{model}</Chip>
      ))}
      {models.length > SHOWN && <span>+{models.length - SHOWN}</span>}
    </span>
  )
}

/** Whether a webhook is enabled, and why not. */
export function WebhookActivity({ webhook: { active, disabled_by } }: { readonly webhook: Webhook }) {
  const text = useLaterText().webhooks
  if (active) return <Chip color="green">{text.enabled}</Chip>
  return <Chip color="gray">{disabled_by === null ? text.disabled : text.disabledBy[disabled_by]}</Chip>
}

/** Whether the receiver answers well. */
export function WebhookHealth({ webhook }: { readonly webhook: Webhook }) {
  const text = useLaterText().webhooks
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
  <Chip color={COLORS[status]}>{useLaterText().webhooks.statuses[status]}</Chip>
)
