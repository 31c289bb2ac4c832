import { useQuery } from '@tanstack/react-query'
import { SuperusersOnly } from '../administration/superusers-only.tsx'
import { AddWebhook } from '../administration/webhooks/add-webhook.tsx'
import { WebhookTable } from '../administration/webhooks/webhook-table.tsx'
import { webhooksQuery } from '../data/webhooks.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Failure } from '../parts/failure.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'

/** The webhooks of the project. */
export function WebhooksPage() {
  const text = useText().webhooks
  return (
    <SuperusersOnly>
      <PageHeader title={text.title} actions={<AddWebhook />} />
      <Webhooks />
    </SuperusersOnly>
  )
}

function Webhooks() {
  const text = useText().webhooks
  const { data, error, refetch } = useQuery(webhooksQuery(useSession()))
  if (data === undefined) return error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />
  if (data.length === 0) return <EmptyState title={text.noneTitle}>{text.noneText}</EmptyState>
  return <WebhookTable webhooks={data} />
}
