import { useQuery } from '@tanstack/react-query'
import { useSession } from '../data/page-session.ts'
import { webhooksQuery } from '../data/webhooks.ts'
import { AddWebhook } from '../panels/webhook-form.tsx'
import { WebhookTable } from '../panels/webhook-table.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { EmptyState, Failure, Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { SuperusersOnly } from './not-found.tsx'

/** The webhooks of the project. */
export function WebhooksPage() {
  const text = useLaterText().webhooks
  return (
    <SuperusersOnly>
      <PageHeader title={text.title} actions={<AddWebhook />} />
      <Webhooks />
    </SuperusersOnly>
  )
}

function Webhooks() {
  const text = useLaterText().webhooks
  const { data, error, refetch } = useQuery(webhooksQuery(useSession()))
  if (data === undefined) return error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />
  if (data.length === 0) return <EmptyState title={text.noneTitle}>{text.noneText}</EmptyState>
  return <WebhookTable webhooks={data} />
}
