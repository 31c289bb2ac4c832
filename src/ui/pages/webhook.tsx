import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { SuperusersOnly } from '../administration/superusers-only.tsx'
import { useAddress } from '../administration/use-address.ts'
import { Deliveries } from '../administration/webhooks/deliveries.tsx'
import { WebhookActions } from '../administration/webhooks/webhook-actions.tsx'
import { WebhookEvents, WebhookModels } from '../administration/webhooks/webhook-scope.tsx'
import { WebhookActivity, WebhookHealth } from '../administration/webhooks/webhook-state.tsx'
import { DateCell } from '../cells/date-cell.tsx'
import { type Delivery, type Webhook, webhooksQuery } from '../data/webhooks.ts'
import { Failure } from '../parts/failure.tsx'
import { Notice } from '../parts/notice.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'
import { NotFound } from './not-found.tsx'

/** A webhook and its deliveries. */
export function WebhookPage() {
  const { id } = useParams({ strict: false })
  return (
    <SuperusersOnly>
      <WebhookOf key={id} id={Number(id)} />
    </SuperusersOnly>
  )
}

/** The list of all webhooks has everything, and an unknown id is no failed request. */
function WebhookOf({ id }: { readonly id: number }) {
  const { data, error, refetch } = useQuery(webhooksQuery(useSession()))
  if (data === undefined) return error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />
  const webhook = data.find((each) => each.id === id)
  return webhook === undefined ? <NotFound /> : <WebhookDetails webhook={webhook} />
}

function WebhookDetails({ webhook }: { readonly webhook: Webhook }) {
  const text = useText().webhooks
  const [latest, setLatest] = useState<Delivery>()
  const [failure, setFailure] = useState<unknown>()
  const { change } = useAddress()
  return (
    <>
      <PageHeader
        title={webhook.url}
        above={<Link to="/webhooks">{text.title}</Link>}
        facts={<WebhookActivity webhook={webhook} />}
        actions={
          <WebhookActions
            webhook={webhook}
            onDelivery={(delivery) => {
              setLatest(delivery)
              setFailure(undefined)
              change({ delivery: String(delivery.id) })
            }}
            onFailure={setFailure}
          />
        }
      />
      {failure !== undefined && <Failure error={failure} />}
      {webhook.from_settings && <Notice kind="info">{text.fromSettings}</Notice>}
      <dl className="facts">
        <dt>{text.eventsLabel}</dt>
        <dd>
          <WebhookEvents webhook={webhook} />
        </dd>
        <dt>{text.modelsLabel}</dt>
        <dd>
          <WebhookModels webhook={webhook} />
        </dd>
        <dt>{text.health}</dt>
        <dd>
          <WebhookHealth webhook={webhook} />
        </dd>
        <dt>{text.lastFailure}</dt>
        <dd>{webhook.last_failure_at === null ? '–' : <DateCell type="datetime" value={webhook.last_failure_at} />}</dd>
        <dt>{text.pending}</dt>
        <dd>{webhook.pending}</dd>
      </dl>
      <Deliveries webhook={webhook} latest={latest} />
    </>
  )
}
