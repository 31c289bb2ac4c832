import { Link } from '@tanstack/react-router'
import { useLocale } from '../../cells/use-locale.ts'
import type { Webhook } from '../../data/webhooks.ts'
import { Table } from '../../parts/table.tsx'
import { useText } from '../../text/text.tsx'
import { WebhookEvents, WebhookModels } from './webhook-scope.tsx'
import { WebhookActivity, WebhookHealth } from './webhook-state.tsx'

/** All webhooks. */
export function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const text = useText().webhooks
  const locale = useLocale()
  return (
    <Table
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
    </Table>
  )
}
